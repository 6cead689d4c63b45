import { DriveError } from '../../drives/drive.ts'
import type { ObjectEntry } from '../../drives/listed-entry.ts'
import { HeldLease } from '../../process/held-lease.ts'
import type { ExpiryLease, ExpiryProgress } from '../../state/stores/bucket-expiry.ts'
import {
  abortsUploads,
  expiresObjects,
  type LifecycleRule,
  uploadExpiry,
} from '../lifecycle-rules.ts'
import { expiredObjects, isExpired, pauseAfter } from './expired-objects.ts'
import type { ExpiryParts, OpenUploadOf } from './expiry-parts.ts'
import { removeExpired } from './remove-expired.ts'

/** Open uploads in memory at a time. */
const pageUploads = 100

/** Concurrent removals: each waits for the disk, and requests take priority. */
const concurrency = 4

const renewEveryMs = 5_000

/** Failures of a run that are logged one by one: a read-only drive rejects every removal. */
const maxLoggedFailures = 10

export interface RuleRun {
  readonly lease: ExpiryLease
  readonly leaseMs: number
  readonly rules: readonly LifecycleRule[]
  /** What expires at this time or before is removed. */
  readonly cutoffMs: number
  readonly beganAtMs: number
  /** Of a run that is continued. */
  readonly progress: ExpiryProgress | undefined
  /** Aborts to leave the rest to a later call. */
  readonly signal: AbortSignal
}

/** The run must stop, and nothing is wrong: its rules or its lease have gone. */
class RunEnded extends Error {}

/** Runs the rules of a bucket until it is done or stopped. Its end is stored and logged. */
export async function runRules(parts: ExpiryParts, run: RuleRun): Promise<void> {
  const working = new WorkingRun(parts, run)
  const { table, now, log } = parts
  const { bucket } = run.lease
  let problem = ''
  try {
    await working.work()
  } catch (error) {
    if (!(error instanceof RunEnded) && !run.signal.aborted) {
      problem =
        error instanceof DriveError ? error.message : 'The removal failed. See the service log.'
      log.warn({ bucket, err: error }, 'could not remove the expired objects of the bucket')
    }
  }
  const { progress } = working
  await table.release(run.lease, progress, { nowMs: now(), problem })
  const { phase, objects, uploads, failures } = progress
  if (objects + uploads + failures === 0) return
  const fields = { bucket, objects, uploads, failures, isDone: phase === 'done' }
  log.info({ ...fields, sinceBeginMs: now() - run.beganAtMs }, 'removed what has expired')
}

class WorkingRun {
  readonly #parts: ExpiryParts
  readonly #run: RuleRun
  readonly #held: HeldLease
  #rules: readonly LifecycleRule[]
  #progress: { -readonly [Name in keyof ExpiryProgress]: ExpiryProgress[Name] }

  constructor(parts: ExpiryParts, run: RuleRun) {
    const { lease, leaseMs, progress } = run
    this.#parts = parts
    this.#run = run
    this.#rules = run.rules
    this.#progress = {
      phase: progress?.phase ?? 'objects',
      position: progress?.position ?? '""',
      objects: progress?.objects ?? 0,
      uploads: progress?.uploads ?? 0,
      failures: progress?.failures ?? 0,
    }
    this.#held = new HeldLease({
      ...{ ...lease, leaseMs, renewEveryMs, now: parts.now },
      renew: (untilMs) => parts.table.save({ ...lease, untilMs }, this.#progress, parts.now()),
      lostReason: () => new RunEnded(),
    })
  }

  get progress(): ExpiryProgress {
    return this.#progress
  }

  async work(): Promise<void> {
    if (this.#progress.phase === 'objects') {
      if (expiresObjects(this.#run.rules)) await this.#removeObjects()
      this.#progress.phase = 'uploads'
    }
    if (this.#progress.phase === 'uploads') {
      if (abortsUploads(this.#run.rules)) await this.#abortUploads()
      this.#progress.phase = 'done'
    }
  }

  /** Call it before each step. */
  async #assertMayGoOn(): Promise<void> {
    const { signal, lease } = this.#run
    signal.throwIfAborted()
    await this.#held.renewIfDue()
    this.#held.assertHeld()
    await this.#parts.ensureCurrent()
    const current = this.#parts.buckets.find(lease.bucket)?.lifecycle
    if (current === this.#rules) return
    // They are a new object when anything else of the bucket has changed.
    if (JSON.stringify(current) !== JSON.stringify(this.#rules)) throw new RunEnded()
    this.#rules = current ?? []
  }

  async #removeObjects(): Promise<void> {
    const { drive } = this.#parts
    const { lease, signal, rules, cutoffMs } = this.#run
    const pages = expiredObjects({
      ...{ drive, bucket: lease.bucket, rules, cutoffMs, signal },
      after: JSON.parse(this.#progress.position) as string,
      assertMayGoOn: () => this.#assertMayGoOn(),
    })
    for await (const { expired, lastKey } of pages) {
      await this.#removeOf(expired)
      this.#progress.position = JSON.stringify(lastKey)
    }
  }

  async #removeOf(expired: readonly ObjectEntry[]): Promise<void> {
    const { drive, log } = this.#parts
    const { bucket } = this.#run.lease
    const rest = expired.values()
    const work = async (): Promise<void> => {
      // The workers share one iterator.
      for (const { key } of rest) {
        const outcome = await removeExpired({
          ...{ drive, bucket, key, signal: this.#run.signal },
          isExpired: (object) => isExpired(this.#run, object),
          assertMayGoOn: () => this.#assertMayGoOn(),
        })
        if (outcome === 'removed') this.#progress.objects += 1
        if (!(outcome instanceof DriveError)) continue
        this.#progress.failures += 1
        if (this.#progress.failures > maxLoggedFailures) continue
        log.warn({ bucket, key, err: outcome }, 'could not remove an expired object')
      }
    }
    // Waits for all workers, so that nothing is counted after the run has ended.
    const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, work))
    const failure = outcomes.find(({ status }) => status === 'rejected')
    if (failure?.status === 'rejected') throw failure.reason
  }

  async #abortUploads(): Promise<void> {
    const { uploads } = this.#parts
    const { bucket } = this.#run.lease
    let after: OpenUploadOf | undefined
    for (;;) {
      const pageBegan = performance.now()
      await this.#assertMayGoOn()
      const page = await uploads.listOpen({ bucket, after, limit: pageUploads })
      for (const upload of page) await this.#abortIfExpired(upload)
      after = page.at(-1)
      if (after === undefined) return
      await pauseAfter(pageBegan, this.#run.signal)
    }
  }

  async #abortIfExpired({ uploadId, key, createdAtMs }: OpenUploadOf): Promise<void> {
    const { uploads, log } = this.#parts
    const { rules, cutoffMs, lease, signal } = this.#run
    const expiry = uploadExpiry(rules, key, createdAtMs)
    if (expiry === undefined || expiry.atMs > cutoffMs) return
    await this.#assertMayGoOn()
    try {
      if (await uploads.abort(uploadId, signal)) this.#progress.uploads += 1
    } catch (error) {
      signal.throwIfAborted()
      this.#progress.failures += 1
      const fields = { bucket: lease.bucket, key, uploadId, err: error }
      log.warn(fields, 'could not abort an upload by the rules of its bucket')
    }
  }
}
