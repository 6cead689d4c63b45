import type { FileEntry } from '../entries/entry.ts'
import { kindByName } from '../entries/preview-kind.ts'
import { maxFileBytes } from './thumbnail-limits.ts'

/**
 * The kind of file that a thumbnail is made from; undefined for none. Judged by the name, because listings do not
 * have the types of objects.
 */
export function thumbnailKind({ key, size }: FileEntry): 'image' | 'video' | undefined {
  const kind = kindByName(key)
  if (size === 0 || (kind !== 'image' && kind !== 'video')) return undefined
  // A video is read in parts. Drawings have no size in pixels, and icons are small.
  return kind === 'video' || (size <= maxFileBytes && !/\.(?:svg|ico)$/i.test(key))
    ? kind
    : undefined
}
