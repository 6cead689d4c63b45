/** A picture to fetch, in exactly this version, or a frame of a video. */
export type ThumbnailTask =
  | { readonly url: string; readonly etag: string }
  | { readonly frame: ImageBitmap }

/** `refused`: this browser can never make a thumbnail of it. `failed`: a later attempt may succeed. */
export type ThumbnailAnswer =
  | { readonly picture: Blob }
  | { readonly problem: 'refused' | 'failed' }
