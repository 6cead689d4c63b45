import type { Snapshot } from './snapshot.ts'

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
