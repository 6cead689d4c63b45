/** Names are few and fixed: they never depend on buckets, keys or clients. */
export interface DriveStatistics {
  readonly caches?: Readonly<Record<string, CacheCounts>>
  /** How many calls wait now, by queue. */
  readonly queues?: Readonly<Record<string, number>>
  /** Requests to the drive's server that were repeated, by reason. */
  readonly retries?: Readonly<Record<string, number>>
}

export interface CacheCounts {
  readonly hits: number
  readonly misses: number
}
