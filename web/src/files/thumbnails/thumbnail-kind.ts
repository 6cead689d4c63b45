import type { FileEntry } from '../entries/entry.ts'
import { kindByName, previewType } from '../entries/preview-kind.ts'
import { maxFileBytes } from './thumbnail-limits.ts'

/** Pictures that most browsers do not decode. */
export type DecoderKind = 'tiff' | 'heic'

/** What makes the thumbnail: the browser's own decoders for `image` and `video`, a decoder of the dashboard for others. */
export type ThumbnailKind = 'image' | 'video' | 'pdf' | DecoderKind

/** Formats of cameras are TIFF files with previews. */
const decoders: readonly (readonly [DecoderKind, RegExp])[] = [
  ['tiff', /^image\/(?:tiff|x-adobe-dng|x-canon-cr2|x-nikon-nef|x-sony-arw)\b/i],
  ['heic', /^image\/hei[cf]\b/i],
]

/** The decoder of the dashboard for a file, judged by its type, or by its name if the type is generic. */
export function decoderKind(key: string, contentType: string): DecoderKind | undefined {
  const type = previewType(key, contentType) ?? contentType
  return decoders.find(([, types]) => types.test(type))?.[0]
}

/**
 * What a thumbnail is made with; undefined for none. Judged by the name, because listings do not have the types of
 * objects.
 */
export function thumbnailKind({ key, size }: FileEntry): ThumbnailKind | undefined {
  if (size === 0) return undefined
  const kind = kindByName(key)
  // These and what has a decoder are read in parts.
  if (kind === 'video' || kind === 'pdf') return kind
  if (kind !== 'image') return undefined
  const decoder = decoderKind(key, '')
  if (decoder !== undefined) return decoder
  // Drawings have no size in pixels, and icons are small.
  return size <= maxFileBytes && !/\.(?:svg|ico)$/i.test(key) ? kind : undefined
}
