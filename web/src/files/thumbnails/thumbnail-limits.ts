/** Larger files are not read for a thumbnail. */
export const maxFileBytes = 32 * 1024 * 1024

/** Decoding takes up to 256 MB for a moment. */
export const maxPixels = 64_000_000

/** What is made of a file. */
export interface PictureForm {
  /** The maximum side in pixels. */
  readonly maxSide: number
  readonly maxBytes: number
  readonly type: 'image/webp' | 'image/jpeg'
  readonly quality: number
}

/**
 * As large as a tile; the server accepts up to 256 pixels. Decoded, 500 have 65 MB. 500 thumbnails of photos are some 2 MB
 * together.
 */
export const thumbnailForm: PictureForm = {
  ...{ maxSide: 208, maxBytes: 48 * 1024 },
  ...{ type: 'image/webp', quality: 0.6 },
}

/** As large as most screens. Of this size, Chromium needs ten times as long to write WebP as JPEG. */
export const viewerForm: PictureForm = {
  ...{ maxSide: 2_560, maxBytes: maxFileBytes },
  ...{ type: 'image/jpeg', quality: 0.9 },
}

/** Whether the small previews in files are too coarse for it. */
export function isLarge({ maxSide }: PictureForm): boolean {
  return maxSide > thumbnailForm.maxSide
}
