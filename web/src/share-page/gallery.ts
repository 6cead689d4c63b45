import { drawPicture } from '../pictures/draw-picture.ts'

/** A link has a limit of requests for each visitor, which many thumbnails at once may exceed. */
const mostAttempts = 5

/** Shows the thumbnails that are in view, or one screen above or below it. */
export function beginGallery(images: NodeListOf<HTMLImageElement>): void {
  const shown = new Map<Element, AbortController>()
  const sources = new Map<Element, HTMLImageElement>()
  const watch = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        const image = sources.get(target)
        shown.get(target)?.abort()
        shown.delete(target)
        if (!isIntersecting || image === undefined) continue
        const leaving = new AbortController()
        shown.set(target, leaving)
        show(target as HTMLCanvasElement, image, leaving.signal).catch(() => undefined)
      }
    },
    { rootMargin: '100% 0px' },
  )
  for (const image of images) {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { role: 'img', ariaLabel: image.alt, width: 0, height: 0 })
    sources.set(canvas, image)
    image.replaceWith(canvas)
    watch.observe(canvas)
  }
}

/** Until the signal aborts. A browser without the script shows the image. */
async function show(
  canvas: HTMLCanvasElement,
  image: HTMLImageElement,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const reply = await fetch(image.src, { signal })
    // A drawing stands for a picture that has no thumbnail.
    if (reply.headers.get('content-type') === 'image/svg+xml') return canvas.replaceWith(image)
    if (reply.ok) return drawPicture(canvas, await reply.blob(), signal)
    await new Promise((resolve) => setTimeout(resolve, 1_000 * 2 ** attempt))
  }
}
