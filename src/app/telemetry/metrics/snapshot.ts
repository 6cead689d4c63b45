import { type MetricDefinition, type MetricName, metricDefinitions } from './definitions.ts'

export type Labels = Readonly<Record<string, string>>

export interface MetricValue {
  readonly labels: Labels
  readonly value: number
  /** The series of a histogram, such as `…_bucket`. */
  readonly metricName?: string
}

/** A metric of one process, in the format that prom-client aggregates. Can be sent between processes. */
interface MetricSnapshot {
  readonly name: string
  readonly help: string
  readonly type: MetricDefinition['type']
  readonly aggregator: 'sum' | 'max'
  readonly values: readonly MetricValue[]
}

export type Snapshot = readonly MetricSnapshot[]

/** Collects the current values of metrics. */
export class SnapshotBuilder {
  readonly #values = new Map<MetricName, MetricValue[]>()

  add(name: MetricName, value: number, labels: Labels = {}): void {
    this.#valuesOf(name).push({ labels, value })
  }

  addHistogram(name: MetricName, { bounds, counts, sum }: Histogram, labels: Labels = {}): void {
    const values = this.#valuesOf(name)
    let total = 0
    for (const [index, count] of counts.entries()) {
      total += count
      const le = String(bounds[index] ?? '+Inf')
      values.push({ labels: { le, ...labels }, value: total, metricName: `${name}_bucket` })
    }
    values.push({ labels, value: sum, metricName: `${name}_sum` })
    values.push({ labels, value: total, metricName: `${name}_count` })
  }

  /** All metrics, including those without a value. */
  build(): Snapshot {
    return Object.entries<MetricDefinition>(metricDefinitions).map(([name, definition]) => ({
      name,
      help: definition.help,
      type: definition.type,
      aggregator: definition.combine ?? 'sum',
      values: this.#values.get(name as MetricName) ?? [],
    }))
  }

  #valuesOf(name: MetricName): MetricValue[] {
    const values = this.#values.get(name) ?? []
    this.#values.set(name, values)
    return values
  }
}

/** The snapshot without values that are meaningless after the process has ended. */
export function countersOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter(({ type }) => type !== 'gauge')
}

/** Counts values by their size. Adding a value takes a few comparisons and two additions. */
export class Histogram {
  /** Upper bounds of the buckets, ascending. The last bucket has none. */
  readonly bounds: readonly number[]
  /** Number of values in each bucket, not cumulative. */
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

/** The text format of Prometheus. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** The metrics of several processes as one text. */
export async function metricsText(snapshots: readonly Snapshot[]): Promise<string> {
  const registry = await aggregate(snapshots)
  return await registry.metrics()
}

export async function mergeSnapshots(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  const registry = await aggregate(snapshots)
  return (await registry.getMetricsAsJSON()) as unknown as Snapshot
}

/** Loaded at the first scrape: most gateways are not scraped. */
async function aggregate(snapshots: readonly Snapshot[]) {
  const { AggregatorRegistry } = await import('prom-client')
  return AggregatorRegistry.aggregate(snapshots.map((snapshot) => [...snapshot]))
}
