import type { Values } from './plot-shape.ts'

export interface PlotSeries {
  readonly name: string
  readonly values: Values
  /** Beside the name: the sum of the values, for example. */
  readonly note?: string
  /** Drawn in the colour of errors. */
  readonly isError?: boolean
}

export interface TimePlotProps {
  readonly title: string
  /** The beginnings of the intervals, oldest first. Milliseconds since the epoch. */
  readonly times: readonly number[]
  /** Up to four, each with a value for each time. */
  readonly series: readonly PlotSeries[]
  /** Bars are stacked: their sum must be meaningful. */
  readonly kind: 'bars' | 'lines'
  readonly format: (value: number) => string
  readonly formatTime: (atMs: number) => string
  /** The unit of the values, for a round scale. Default: any number. */
  readonly unit?: 'bytes' | 'count'
}

/** The formatted value; "–" if it is not known. */
export function shownValue(value: number | null | undefined, format: (value: number) => string) {
  return value === null || value === undefined ? '–' : format(value)
}
