import { createHash } from 'node:crypto'
import { isLeaseFree, newLeaseOwner } from '../../process/lease-owner.ts'
import type { BucketExpiryRow, ExpiryRun } from '../../state/stores/bucket-expiry.ts'
import type { BucketConfiguration } from '../buckets.ts'
import { abortsUploads, dayMs, expiresObjects, type LifecycleRule } from '../lifecycle-rules.ts'
import { expiryCutoff } from './expired-objects.ts'
import type { ExpiryParts } from './expiry-parts.ts'
import { runRules } from './rule-run.ts'

/** Renewed while it works, so another process takes over soon when this one was ended or hangs. */
export const leaseMs = 60_000

/** Pause after a run that failed. */
const retryAfterMs = 5 * 60_000

/** Clocks that differ by more are wrong, and it is not known which one. */
const maxClockDifferenceMs = 60 * 60_000

interface DueRun {
  readonly bucket: string
  readonly rules: readonly LifecycleRule[]
  readonly run: ExpiryRun
  readonly seen: BucketExpiryRow | undefined
}

/**
 * Removes what lifecycle rules expire: once a day for each bucket, after midnight UTC, and when its rules
 * have changed. Any number of processes may do so at once; one of them works on a bucket.
 */
export class Expiry {
  readonly #parts: ExpiryParts
  #hasWrongClock = false

  constructor(parts: ExpiryParts) {
    this.#parts = parts
  }

  /**
   * Does what is due. Without rules it costs nothing.
   *
   * @throws DatabaseError
   */
  async run(signal: AbortSignal): Promise<void> {
    const configured = this.#parts.buckets.all().filter(hasActiveRules)
    if (configured.length === 0 || !this.#isClockTrusted()) return
    const rows = new Map((await this.#parts.table.all()).map((row) => [row.bucket, row]))
    for (const { name, lifecycle } of configured) {
      if (signal.aborted) return
      const due = this.#dueRun(name, lifecycle, rows.get(name))
      if (due !== undefined) await this.#work(due, signal)
    }
  }

  #isClockTrusted(): boolean {
    const { now, localNow, log } = this.#parts
    const differenceMs = now() - localNow()
    const isWrong = Math.abs(differenceMs) > maxClockDifferenceMs
    if (isWrong && !this.#hasWrongClock) {
      log.warn(
        { differenceMs },
        "this machine's clock and the database's differ by more than an hour: this process removes no expired objects until they agree",
      )
    }
    this.#hasWrongClock = isWrong
    return !isWrong
  }

  #dueRun(
    bucket: string,
    rules: readonly LifecycleRule[],
    seen: BucketExpiryRow | undefined,
  ): DueRun | undefined {
    const nowMs = this.#parts.now()
    const run = { rules: digestOf(rules), day: Math.floor(nowMs / dayMs), beganAtMs: nowMs }
    if (seen === undefined) return { bucket, rules, run, seen }
    if (!isLeaseFree(seen, nowMs)) return undefined
    const isSame = seen.rules === run.rules && seen.day === run.day
    if (isSame && seen.phase === 'done') return undefined
    const sinceMs = nowMs - seen.triedAtMs
    // A negative age: the clock was set back.
    const isTooSoon = seen.problem !== '' && sinceMs >= 0 && sinceMs < retryAfterMs
    return isSame && isTooSoon ? undefined : { bucket, rules, run, seen }
  }

  async #work({ bucket, rules, run, seen }: DueRun, signal: AbortSignal): Promise<void> {
    const { table, now } = this.#parts
    const lease = { bucket, owner: newLeaseOwner(), untilMs: now() + leaseMs }
    if (!(await table.take(lease, seen, run))) return
    const isContinued = seen?.rules === run.rules && seen.day === run.day
    await runRules(this.#parts, {
      ...{ lease, leaseMs, rules, signal },
      cutoffMs: expiryCutoff(run.beganAtMs),
      beganAtMs: isContinued ? seen.beganAtMs : run.beganAtMs,
      progress: isContinued ? seen : undefined,
    })
  }
}

function hasActiveRules(
  bucket: BucketConfiguration,
): bucket is BucketConfiguration & Required<Pick<BucketConfiguration, 'lifecycle'>> {
  const { lifecycle = [] } = bucket
  return expiresObjects(lifecycle) || abortsUploads(lifecycle)
}

function digestOf(rules: readonly LifecycleRule[]): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex')
}
