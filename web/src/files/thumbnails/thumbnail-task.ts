/** A picture that is fetched, exactly this version, or a frame of a video. */
export type ThumbnailTask =
  | { readonly url: string; readonly etag: string }
  | { readonly frame: ImageBitmap }

/** `refused`: no browser like this one makes a thumbnail of it. `failed`: another time it may. */
export type ThumbnailAnswer =
  | { readonly picture: Blob }
  | { readonly problem: 'refused' | 'failed' }
