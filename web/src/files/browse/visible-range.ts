import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual'

/** The rows of a range plus overscan, and one additional row; -1: none. */
export function withIndex(range: Range, index: number): number[] {
  const rows = defaultRangeExtractor(range)
  if (index < 0 || index >= range.count || rows.includes(index)) return rows
  return index < range.startIndex ? [index, ...rows] : [...rows, index]
}
