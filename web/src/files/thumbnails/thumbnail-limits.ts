/** Larger files are not read for a thumbnail. */
export const maxFileBytes = 32 * 1024 * 1024

/** Decoding takes up to 256 MB for a moment. */
export const maxPixels = 64_000_000

/** The maximum side of a thumbnail in pixels: src/dashboard/thumbnails/picture-form.ts. */
export const maxSide = 256
export const maxPictureBytes = 48 * 1024

/** 500 thumbnails of photos have less than 3 MB together. At this size, the loss is hard to see. */
export const quality = 0.5
