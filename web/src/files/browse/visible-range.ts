interface RowRange {
  readonly startIndex: number
  readonly endIndex: number
  readonly overscan: number
  readonly count: number
}

/** The rows of a range plus overscan, and one additional row; -1: none. */
export function withIndex({ startIndex, endIndex, overscan, count }: RowRange, index: number) {
  const first = Math.max(0, startIndex - overscan)
  const last = Math.min(count - 1, endIndex + overscan)
  const rows = Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset)
  if (index < 0 || index >= count || (index >= first && index <= last)) return rows
  return index < first ? [index, ...rows] : [...rows, index]
}
