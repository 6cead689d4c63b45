import type { Log } from './log.ts'
import { type Repetition, repeat } from './repeat.ts'
import type { Service } from './service.ts'

const sweepEveryMs = 5 * 60_000

/** Sweeps now and every five minutes. For one process of a gateway. */
export function sweepRepeatedly(service: Service, log: Log): Repetition {
  return repeat((signal) => service.sweep(signal), {
    everyMs: sweepEveryMs,
    onError: (error) => log.error({ err: error }, 'sweep failed'),
  })
}
