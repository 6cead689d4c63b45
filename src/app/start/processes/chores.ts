import { type Repetition, repeat } from '../../../platform/process/repeat.ts'
import { withinTime } from '../../../platform/process/time-limit.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ProcessMetrics } from '../../telemetry/metrics/process-metrics.ts'

/** Work that one process of a gateway repeats in the background. */
export interface Chore {
  /** A label of `bucketry_background_failures_total`. */
  readonly name: string
  /** The drive that the chore concerns, if there are several. */
  readonly drive?: string | undefined
  /** Pause between the end of one run and the beginning of the next. */
  readonly everyMs: number
  run(signal: AbortSignal): Promise<unknown> | undefined
}

/**
 * Repeats each chore independently: a failing or hanging chore delays no other. All failures are counted. The first
 * of consecutive failures is logged, and so is the next success.
 */
export function repeatChores(
  chores: readonly Chore[],
  { log, metrics }: { readonly log: Log; readonly metrics: ProcessMetrics | undefined },
): Repetition {
  const running = chores.map(({ name: work, drive, everyMs, run }) => {
    const fields = { work, ...(drive && { drive }) }
    let isFailing = false
    const runAndTell = async (signal: AbortSignal) => {
      await run(signal)
      if (isFailing) log.info(fields, 'background work succeeds again')
      isFailing = false
    }
    const onError = (err: unknown) => {
      metrics?.countFailure(work)
      if (!isFailing) log.error({ ...fields, err }, 'background work failed; will retry')
      isFailing = true
    }
    return repeat(runAndTell, { everyMs, onError })
  })
  return { stop: async () => void (await Promise.all(running.map((one) => one.stop()))) }
}

/**
 * An unhandled rejection is logged and counted, and the process continues: the failed work has released its resources,
 * as a failed request does, and other requests need the process. An uncaught exception may have interrupted a
 * callback, perhaps one of Node's own: it is logged, and the process ends, as it does by default in Node.
 */
export function watchFailures(log: Log, metrics: () => ProcessMetrics | undefined): void {
  process.on('unhandledRejection', (err) => {
    metrics()?.countFailure('unhandled')
    log.error({ err }, 'a rejection was not handled: this is a bug; the process continues')
  })
  process.on('uncaughtExceptionMonitor', (err) => {
    log.fatal({ err }, 'an exception was not caught: this is a bug; the process ends')
  })
}

/** A database that does not respond delays each step by seconds. No step is essential: a process may also be killed. */
const endLimitMs = 5_000

/** Waits a limited time for a service to end. Resolves with the reason if it failed. */
export async function endInTime(end: Promise<void>): Promise<unknown> {
  return await withinTime(end, endLimitMs).catch((error: unknown) => error)
}
