import type { Locator } from 'playwright-core'

/** A thumbnail that is drawn: its canvas has a width from then on. */
export const shownPicture = 'canvas:not([width="0"])'

/** The name of what is nearly one colour, at a place of a thumbnail; otherwise its red, green and blue. */
export async function colorAt(picture: Locator, x: number, y: number): Promise<string> {
  const url = await picture.evaluate((canvas) =>
    (canvas as unknown as { toDataURL(): string }).toDataURL(),
  )
  return picture.page().evaluate(`(async () => {
    const image = Object.assign(new Image(), { src: ${JSON.stringify(url)} })
    await image.decode()
    const brush = new OffscreenCanvas(image.width, image.height).getContext('2d')
    brush.drawImage(image, 0, 0)
    const [red, green, blue] = brush.getImageData(${x}, ${y}, 1, 1).data
    if (red > 150 && green < 90 && blue < 90) return 'red'
    if (blue > 150 && green < 90 && red < 90) return 'blue'
    return [red, green, blue].join()
  })()`)
}
