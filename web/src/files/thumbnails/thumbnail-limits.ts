/** Larger files are not read for a thumbnail. */
export const maxFileBytes = 32 * 1024 * 1024

/** Decoding takes up to 256 MB for a moment. */
export const maxPixels = 64_000_000

/**
 * The maximum side of a thumbnail in pixels, as large as a tile; the server accepts up to 256. Decoded, 500 have 65 MB.
 */
export const maxSide = 208
export const maxPictureBytes = 48 * 1024

/** 500 thumbnails of photos have some 2 MB together. */
export const quality = 0.6
