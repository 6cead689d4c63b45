import { type Repetition, repeat } from '../../../platform/process/repeat.ts'
import { withinTime } from '../../../platform/process/time-limit.ts'
import type { Log } from '../../telemetry/log.ts'
import type { ProcessMetrics } from '../../telemetry/metrics/process-metrics.ts'

/** Work that one process of a gateway repeats, and that no request waits for. */
export interface Chore {
  /** A label of `bucketry_background_failures_total`. */
  readonly name: string
  /** The drive that it is about, if there are several. */
  readonly drive?: string | undefined
  /** From the end of one run to the beginning of the next. */
  readonly everyMs: number
  run(signal: AbortSignal): Promise<unknown> | undefined
}

/**
 * Repeats each of them for itself: one that fails or hangs delays no other. Failures are counted. The first of several
 * is logged, and the end of them.
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
 * A rejection that nothing handles is logged and counted, and the process continues: the work that failed has released
 * what it held, as in a request that fails, and others need the process. An exception that nothing catches has left a
 * callback half done, perhaps one of Node's own: it is logged, and the process ends, as Node does by default.
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

/** A database that does not answer holds up each step for seconds. Nothing depends on them: a process may be killed. */
const endLimitMs = 5_000

/** Waits for the end of a service, not for ever. Resolves with why it failed. */
export async function endInTime(end: Promise<void>): Promise<unknown> {
  return await withinTime(end, endLimitMs).catch((error: unknown) => error)
}
