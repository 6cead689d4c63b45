/** The shapes of a plot in its own units: each time has a slot 1 wide, and the plot is 100 high. */
export const plotHeight = 100

/** Values in the order of the times; null: unknown, which leaves a gap. */
export type Values = readonly (number | null)[]

/** A margin on both sides of a bar. */
const barMargin = 0.125

/** Tops that have a round half, for the line in the middle. */
const roundTops = [1, 2, 4, 6, 8, 10]

/**
 * The value at the top of a plot: round, and not below any value.
 *
 * @param base 1024 for bytes, whose units are its powers
 * @param minimum of the result: 2 for counts, because there is no half of a count
 */
export function plotTop(highest: number, base: 1000 | 1024 = 1000, minimum = 0): number {
  const wanted = Math.max(highest, minimum)
  if (!(wanted > 0)) return 1
  const unit = base ** Math.floor(Math.log(wanted) / Math.log(base))
  const decade = 10 ** Math.floor(Math.log10(wanted / unit))
  const round = roundTops.find((top) => top * decade * unit >= wanted * (1 - 1e-9)) ?? 10
  return round * decade * unit
}

/** The highest value, or the highest sum of stacked bars. */
export function highestOf(series: readonly Values[], isStacked: boolean): number {
  if (!isStacked) return series.flat().reduce<number>((top, value) => Math.max(top, value ?? 0), 0)
  const sums = stacked(series).at(-1) ?? []
  return sums.reduce((top, sum) => Math.max(top, sum), 0)
}

/** The upper ends of bars that are stacked on those of the previous series. */
export function stacked(series: readonly Values[]): readonly (readonly number[])[] {
  const ends: number[][] = []
  for (const values of series) {
    const below = ends.at(-1)
    ends.push(values.map((value, index) => (below?.[index] ?? 0) + (value ?? 0)))
  }
  return ends
}

/** The bars from `from` to `to` as the data of an SVG path. */
export function barsPath(
  from: readonly number[] | undefined,
  to: readonly number[],
  top: number,
): string {
  const y = scale(top)
  return to
    .map((end, index) => {
      const start = from?.[index] ?? 0
      if (end <= start) return ''
      const width = 1 - 2 * barMargin
      return `M${index + barMargin} ${y(start)}V${y(end)}h${width}V${y(start)}Z`
    })
    .join('')
}

/** The line through known values as the data of an SVG path. A value between gaps is a dot, with round caps. */
export function linePath(values: Values, top: number): string {
  const y = scale(top)
  let isOpen = false
  return values
    .map((value, index) => {
      if (value === null) {
        isOpen = false
        return ''
      }
      const command = isOpen ? 'L' : 'M'
      const isAlone = !isOpen && (values[index + 1] ?? null) === null
      isOpen = true
      return `${command}${index + 0.5} ${y(value)}${isAlone ? 'h0' : ''}`
    })
    .join('')
}

function scale(top: number): (value: number) => number {
  return (value) => Number((plotHeight * (1 - value / top)).toFixed(3))
}

/** The slot after a key is pressed; undefined: the key does nothing. */
export function movedSlot(key: string, slot: number, count: number): number | undefined {
  const page = Math.max(1, Math.round(count / 10))
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: slot - 1, ArrowDown: slot - 1, ArrowRight: slot + 1, ArrowUp: slot + 1 },
    ...{ PageDown: slot - page, PageUp: slot + page, Home: 0, End: count - 1 },
  }
  const moved = moves[key]
  return moved === undefined ? undefined : slotWithin(moved, count)
}

/** The nearest slot that exists. */
export function slotWithin(slot: number, count: number): number {
  return Math.min(count - 1, Math.max(0, slot))
}
