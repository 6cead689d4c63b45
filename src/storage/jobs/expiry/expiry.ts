import { createHash } from 'node:crypto'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import {
  abortsUploads,
  dayMs,
  type LifecycleRule,
  mayExpire,
} from '../../buckets/lifecycle-rules.ts'
import type { JobRunner, Run } from '../job-runner.ts'
import type { JobRow } from '../job-table.ts'
import {
  type BucketExpiry,
  type ExpiryFigures,
  type ExpiryWorld,
  expireBucket,
} from './expire-bucket.ts'
import { expiryCutoff } from './expired-objects.ts'

/** Pause after a run that failed. */
const retryAfterMs = 5 * 60_000

/** If the clocks differ by more, one of them is wrong. */
const maxClockDifferenceMs = 60 * 60_000

const nothing: ExpiryFigures = {
  phase: 'objects',
  position: '',
  objects: 0,
  uploads: 0,
  versions: 0,
  locked: 0,
  failures: 0,
}

export interface ExpiryParts extends ExpiryWorld {
  readonly jobs: JobRunner
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** This machine's time. */
  readonly localNow: () => number
}

/** The last run of a bucket's lifecycle rules. */
export interface ExpiryRun extends Omit<ExpiryFigures, 'phase' | 'position'> {
  readonly bucket: string
  readonly beganAtMs: number
  readonly isDone: boolean
  /** Why it failed, as a user-facing message. */
  readonly problem: string | undefined
}

/** The last run for each bucket. @throws DatabaseError */
export async function expiryRuns(jobs: JobRunner): Promise<ExpiryRun[]> {
  return (await jobs.all('expire')).map(({ id, state, beganAtMs, figures, message }) => {
    const { phase: _, position: __, ...counts } = figuresOf(figures)
    const problem = state === 'failed' ? message : undefined
    return { bucket: id, beganAtMs, isDone: state === 'done', ...counts, problem }
  })
}

/**
 * Removes what lifecycle rules expire: once a day for each bucket, after midnight UTC, and when its rules change. Several
 * processes may run it; one of them works on a bucket.
 */
export class Expiry {
  readonly #parts: ExpiryParts
  #hasWrongClock = false

  constructor(parts: ExpiryParts) {
    this.#parts = parts
  }

  /**
   * Runs what is due. Costs nothing without rules.
   *
   * @throws DatabaseError
   */
  async run(signal: AbortSignal): Promise<void> {
    const { buckets, jobs } = this.#parts
    const configured = buckets.all().filter((bucket) => this.#hasActiveRules(bucket))
    if (configured.length === 0 || !this.#isClockTrusted()) return
    const rows = new Map((await jobs.all('expire')).map((row) => [row.id, row]))
    for (const { name, lifecycle = [] } of configured) {
      if (signal.aborted) return
      await this.#runIfDue(name, lifecycle, rows.get(name), signal)
    }
  }

  #hasActiveRules({ name, lifecycle = [] }: BucketConfiguration): boolean {
    const hasVersions = this.#parts.hasVersions(name)
    return abortsUploads(lifecycle) || lifecycle.some((rule) => mayExpire(rule, hasVersions))
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

  async #runIfDue(
    bucket: string,
    rules: readonly LifecycleRule[],
    seen: JobRow | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const nowMs = this.#parts.now()
    const target = `${digestOf(rules)} ${Math.floor(nowMs / dayMs)}`
    const last = seen?.target === target ? seen : undefined
    if (seen?.state === 'running' || last?.state === 'done') return
    const sinceMs = nowMs - (last?.endedAtMs ?? 0)
    // A negative age: the clock was set back.
    if (last?.state === 'failed' && sinceMs >= 0 && sinceMs < retryAfterMs) return
    const figures = last === undefined ? { ...nothing } : figuresOf(last.figures)
    const begun = { beganAtMs: last?.beganAtMs ?? nowMs, figures }
    const expiry = { bucket, rules, cutoffMs: expiryCutoff(nowMs) }
    const started = await this.#parts.jobs.start({
      ...{ kind: 'expire', id: bucket, target, ...begun, seen, signal, fields: { bucket } },
      failure: 'could not remove the expired objects of the bucket',
      work: (run) => this.#expire(expiry, begun, run),
    })
    await started?.ended
  }

  async #expire(expiry: BucketExpiry, begun: Begun, run: Run): Promise<string> {
    const { now, log } = this.#parts
    const { figures, beganAtMs } = begun
    let isDone = false
    try {
      await expireBucket(this.#parts, expiry, figures, run)
      isDone = true
      return ''
    } finally {
      const { phase: _, position: __, ...counts } = figures
      if (Object.values(counts).some((count) => count > 0)) {
        const fields = { bucket: expiry.bucket, ...counts, isDone }
        log.info({ ...fields, sinceBeginMs: now() - beganAtMs }, 'removed what has expired')
      }
    }
  }
}

interface Begun {
  readonly figures: ExpiryFigures
  readonly beganAtMs: number
}

/** A version before this one has stored fewer fields. */
function figuresOf(text: string): ExpiryFigures {
  return { ...nothing, ...JSON.parse(text) }
}

function digestOf(rules: readonly LifecycleRule[]): string {
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex')
}
