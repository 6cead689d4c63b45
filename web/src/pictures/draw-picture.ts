/**
 * Shows a picture in a canvas until the signal aborts. Pages with many pictures do so because browsers keep what they have
 * decoded for an <img>, also when it is out of view or gone: 65 MB for 500 thumbnails.
 *
 * @param canvas has no other context; it has a width when the picture is shown
 * @throws if the browser cannot decode the picture
 */
export async function drawPicture(
  canvas: HTMLCanvasElement,
  picture: Blob,
  signal: AbortSignal,
): Promise<void> {
  const bitmap = await createImageBitmap(picture)
  if (signal.aborted) return bitmap.close()
  const { width, height } = bitmap
  Object.assign(canvas, { width, height })
  // With this option, the pixels are in the memory of the process, not of the GPU: a page has hundreds of pictures.
  canvas.getContext('2d', { willReadFrequently: true })?.drawImage(bitmap, 0, 0)
  bitmap.close()
  const clear = () => Object.assign(canvas, { width: 0, height: 0 })
  signal.addEventListener('abort', clear, { once: true })
}
