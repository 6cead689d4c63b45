import type { PaletteImage, Pixels } from './png.ts'

const maxColours = 256

/** How often colours are in an image: [0xrrggbb, count]. */
type Counted = readonly [colour: number, count: number]

/** Colours that get one place in the palette, unless they are split. */
interface Box {
  readonly colours: readonly Counted[]
  /** The channel in which they differ most, as a shift. */
  readonly shift: number
  /** The mean in it. */
  readonly mean: number
  /** How much they differ: the sum of the squares. */
  readonly spread: number
}

const shifts = [16, 8, 0] as const

/** Redraws an image in 256 colours: those that are wanted most often stay as they are. */
export function withPalette({ width, height, rgb }: Pixels): PaletteImage {
  const colours = new Uint32Array(width * height)
  const counts = new Map<number, number>()
  for (let pixel = 0; pixel < colours.length; pixel += 1) {
    const at = pixel * 3
    const colour = ((rgb[at] ?? 0) << 16) | ((rgb[at + 1] ?? 0) << 8) | (rgb[at + 2] ?? 0)
    colours[pixel] = colour
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const boxes = split([...counts])
  const places = new Map<number, number>()
  for (const [place, box] of boxes.entries()) {
    for (const [colour] of box.colours) places.set(colour, place)
  }
  return {
    ...{ width, height },
    palette: boxes.map(commonest),
    indexes: Uint8Array.from(colours, (colour) => places.get(colour) ?? 0),
  }
}

/** Splits the box that differs most, again and again: median cut with the mean in its place. */
function split(colours: readonly Counted[]): readonly Box[] {
  const boxes = [boxOf(colours)]
  while (boxes.length < maxColours) {
    const widest = boxes.reduce((most, box) => (box.spread > most.spread ? box : most))
    if (widest.spread === 0) break
    const { shift, mean } = widest
    const halves = Object.groupBy(widest.colours, ([colour]) =>
      channel(colour, shift) <= mean ? 'low' : 'high',
    )
    boxes.splice(boxes.indexOf(widest), 1, boxOf(halves.low ?? []), boxOf(halves.high ?? []))
  }
  return boxes
}

function boxOf(colours: readonly Counted[]): Box {
  const candidates = shifts.map((shift) => {
    let [count, sum, squares] = [0, 0, 0]
    for (const [colour, times] of colours) {
      const value = channel(colour, shift)
      count += times
      sum += times * value
      squares += times * value * value
    }
    return { shift, mean: sum / count, spread: Math.max(0, squares - (sum * sum) / count) }
  })
  const widest = candidates.reduce((most, next) => (next.spread > most.spread ? next : most))
  // Rounding leaves a little of one colour that is there very often.
  return { colours, ...widest, spread: colours.length < 2 ? 0 : widest.spread }
}

function commonest({ colours }: Box): number {
  return colours.reduce((most, next) => (next[1] > most[1] ? next : most))[0]
}

function channel(colour: number, shift: number): number {
  return (colour >> shift) & 255
}
