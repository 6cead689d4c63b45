import { SizedCache } from '../../platform/process/sized-cache.ts'
import { exifPreview } from './exif-preview.ts'
import type { ThumbnailTable } from './thumbnail-table.ts'

/** A camera writes its preview into the first 64 KiB (Exif 2.32, section 4.5.2); the size of the photo follows. */
const previewBytes = 128 * 1024
/** Raw files of these kinds have the structure of TIFF. */
const photo = /\.(?:jpe?g|tiff?|dng|cr2|nef|arw)$/i

/** Files that have no preview, so that they are not read for each person. */
const withoutPreview = new SizedCache<true>(10_000)

interface PicturedObject {
  readonly bucket: string
  readonly key: string
  readonly etag: string
}

interface PreviewParts {
  readonly thumbnails: Pick<ThumbnailTable, 'find' | 'add'>
  /** The database's time. */
  readonly now: () => number
  /** Reads the first bytes of the object, at most so many; undefined if it is gone or has another ETag. */
  readonly readBeginning: (length: number) => Promise<Buffer | undefined>
}

/** The stored thumbnail of an object, or the preview that a camera has put into it, which is then stored for everybody. */
export async function storedOrPreview(
  { bucket, key, etag }: PicturedObject,
  { thumbnails, now, readBeginning }: PreviewParts,
): Promise<Uint8Array | undefined> {
  const stored = await thumbnails.find(bucket, etag)
  const id = `${bucket} ${etag}`
  if (stored !== undefined || !photo.test(key) || withoutPreview.get(id)) return stored
  const beginning = await readBeginning(previewBytes)
  if (beginning === undefined) return undefined
  const picture = exifPreview(beginning)
  if (picture === undefined) withoutPreview.set(id, true)
  else await thumbnails.add({ bucket, etag, picture, atMs: now() })
  return picture
}
