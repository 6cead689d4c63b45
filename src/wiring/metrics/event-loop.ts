import { performance } from 'node:perf_hooks'
import { Histogram } from './histogram.ts'
import type { SnapshotBuilder } from './snapshot.ts'

const everyMs = 100
const delayBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Watches how long work keeps the event loop of this process from other work. */
export class EventLoopWatch {
  readonly #delays = new Histogram(delayBounds)
  readonly #timer: NodeJS.Timeout
  #lastAt = performance.now()

  constructor() {
    this.#timer = setInterval(() => this.#look(), everyMs).unref()
  }

  addTo(snapshot: SnapshotBuilder): void {
    snapshot.addHistogram('bucketry_event_loop_delay_seconds', this.#delays)
    const { active } = performance.eventLoopUtilization()
    snapshot.add('bucketry_event_loop_busy_seconds_total', active / 1_000)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    this.#delays.observe(Math.max(0, now - this.#lastAt - everyMs) / 1_000)
    this.#lastAt = now
  }
}
