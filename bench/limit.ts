import { cpus } from 'node:os'
import { threadSeconds } from './process-usage.ts'

/** What kept a measurement from being faster. */
const limits = ['the generator', 'all cores', 'one thread', 'disk or waits'] as const

/** Above this share of the time, a resource counts as used up. */
const full = 0.9

/** Watches from now on what limits the server. */
export class LimitWatch {
  readonly #pid: number
  readonly #startedAtMs = performance.now()
  readonly #cores = coreSeconds()
  readonly #threads: ReadonlyMap<string, number>

  constructor(pid: number) {
    this.#pid = pid
    this.#threads = threadSeconds(pid)
  }

  /** @param generatorLoad the share of the time in which the generator computed */
  limit(generatorLoad: number): number {
    const seconds = (performance.now() - this.#startedAtMs) / 1000
    const cores = coreSeconds()
    const busy = (cores.busy - this.#cores.busy) / (cores.all - this.#cores.all)
    const threads = [...threadSeconds(this.#pid)].map(
      ([thread, used]) => (used - (this.#threads.get(thread) ?? 0)) / seconds,
    )
    const loads = [generatorLoad, busy, Math.max(...threads)]
    const found = loads.findIndex((load) => load >= full)
    return found === -1 ? limits.length - 1 : found
  }
}

/** The limit of most rounds, in words. */
export function limitText(limit: number): string {
  return limits[Math.floor(limit)] ?? ''
}

function coreSeconds(): { readonly busy: number; readonly all: number } {
  const times = cpus().map((core) => core.times)
  const idle = times.reduce((sum, one) => sum + one.idle, 0)
  const all = times.reduce(
    (sum, one) => sum + one.user + one.nice + one.sys + one.irq + one.idle,
    0,
  )
  return { busy: all - idle, all }
}
