/** Counts values by their size. Adding one is a few comparisons and two additions. */
export class Histogram {
  /** Upper bounds of the buckets, ascending. The last bucket has none. */
  readonly bounds: readonly number[]
  /** Values in each bucket alone, not in the smaller ones. */
  readonly counts: number[]
  sum = 0

  constructor(bounds: readonly number[]) {
    this.bounds = bounds
    this.counts = new Array(bounds.length + 1).fill(0)
  }

  observe(value: number): void {
    let index = 0
    while (value > (this.bounds[index] ?? Number.POSITIVE_INFINITY)) index += 1
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sum += value
  }
}
