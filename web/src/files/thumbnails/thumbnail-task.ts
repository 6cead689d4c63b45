import type { PictureForm } from './thumbnail-limits.ts'

/** An object to read, in exactly this version. */
export interface ObjectSource {
  readonly url: string
  readonly etag: string
  /** Bytes. */
  readonly size: number
}

/** An object, or a frame of a video. */
export type ThumbnailTask = (ObjectSource | { readonly frame: ImageBitmap }) & {
  /** Default: a thumbnail. */
  readonly form?: PictureForm
}

export interface MadePicture {
  readonly picture: Blob
  /** Pixels, before it was made smaller. */
  readonly width: number
  readonly height: number
}

/** `refused`: this browser can never make a thumbnail of it. `failed`: a later attempt may succeed. */
export type ThumbnailAnswer = MadePicture | { readonly problem: 'refused' | 'failed' }
