import type { Log } from '../../platform/process/log.ts'
import type { Drive } from '../drives/drive.ts'
import type { JobRunner, Run } from './job-runner.ts'
import type { JobRow } from './job-table.ts'
import { safeSum, walk, walkVersions } from './walk.ts'

/** A count older than this is refreshed when requested; a slow count is kept longer. */
const minAgeMs = 60_000
const maxAgeMs = 24 * 60 * 60_000
const ageOverDuration = 10

/** The state of a bucket. */
export interface BucketCount {
  readonly figures: CountFigures | undefined
  readonly isCounting: boolean
  /** Why the last count failed, as a user-facing message. */
  readonly problem: string | undefined
}

interface CountParts {
  readonly drive: CountedDrive
  /** Whether the bucket has or had versions. */
  readonly hasVersions: (bucket: string) => boolean
  readonly jobs: JobRunner
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  readonly log: Log
}

/** Counts the objects of buckets in the background, only on request, and one bucket at a time in each process. */
export class BucketCounts {
  readonly #parts: CountParts
  /** Buckets to count with the time of the request; 0: only if the figures are old. */
  readonly #queue = new Map<string, number>()
  #current: string | undefined
  #last = Promise.resolve()
  #isClosed = false

  constructor(parts: CountParts) {
    this.#parts = parts
  }

  /**
   * Returns the state of the buckets. Schedules a count for those with old figures or none.
   *
   * @throws DatabaseError
   */
  async read(buckets: readonly string[]): Promise<ReadonlyMap<string, BucketCount>> {
    const rows = await this.#rows()
    for (const bucket of buckets) if (this.#isDue(rows.get(bucket))) this.#begin(bucket, 0)
    return new Map(buckets.map((bucket) => [bucket, this.#stateOf(bucket, rows.get(bucket))]))
  }

  /** Counts the bucket again, even if its figures are recent. */
  count(bucket: string): void {
    this.#begin(bucket, this.#parts.now())
  }

  /** Starts no more counts. Call together with `close` of the runner. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#last
  }

  async #rows(): Promise<ReadonlyMap<string, JobRow>> {
    return new Map((await this.#parts.jobs.all('count')).map((row) => [row.id, row]))
  }

  #stateOf(bucket: string, row: JobRow | undefined): BucketCount {
    const figures = figuresOf(row)
    return {
      figures: figures.countedAtMs === 0 ? undefined : figures,
      isCounting: this.#queue.has(bucket) || this.#current === bucket || row?.state === 'running',
      problem: row?.state === 'failed' ? row.message : undefined,
    }
  }

  #isDue(row: JobRow | undefined): boolean {
    if (row === undefined || row.state === 'interrupted') return true
    const ageMs = Math.min(Math.max(figuresOf(row).tookMs * ageOverDuration, minAgeMs), maxAgeMs)
    return row.state !== 'running' && this.#parts.now() - row.endedAtMs >= ageMs
  }

  #begin(bucket: string, askedAtMs: number): void {
    const queuedAtMs = this.#queue.get(bucket)
    this.#queue.set(bucket, Math.max(askedAtMs, queuedAtMs ?? 0))
    if (queuedAtMs === undefined) this.#last = this.#last.then(() => this.#countNext(bucket))
  }

  async #countNext(bucket: string): Promise<void> {
    const askedAtMs = this.#queue.get(bucket) ?? 0
    this.#queue.delete(bucket)
    if (this.#isClosed) return
    this.#current = bucket
    try {
      await this.#countIfNeeded(bucket, askedAtMs)
    } catch (error) {
      this.#parts.log.warn({ bucket, err: error }, 'could not count the objects of the bucket')
    }
    this.#current = undefined
  }

  async #countIfNeeded(bucket: string, askedAtMs: number): Promise<void> {
    const { drive, hasVersions, jobs, now } = this.#parts
    const seen = (await this.#rows()).get(bucket)
    // Another process may already have counted the bucket.
    const isNeeded = askedAtMs === 0 ? this.#isDue(seen) : figuresOf(seen).countedAtMs < askedAtMs
    if (!isNeeded || seen?.state === 'running') return
    const figures = { ...figuresOf(seen) }
    const countedAtMs = now()
    const started = await jobs.start({
      ...{ kind: 'count', id: bucket, target: '', beganAtMs: countedAtMs, figures, seen },
      fields: { bucket },
      failure: 'could not count the objects of the bucket',
      work: async (run) => {
        const tally = { objects: 0, bytes: 0, lastModifiedMs: 0 }
        const place = { drive, bucket, prefix: '' }
        const formerVersions = hasVersions(bucket)
          ? await tallyVersions(place, run, tally)
          : await tallyBelow(place, run, tally)
        const tookMs = now() - countedAtMs
        // Undefined removes the figure from the JSON text.
        Object.assign(figures, tally, { formerVersions, countedAtMs, tookMs })
        return ''
      },
    })
    await started?.ended
  }
}

function figuresOf(row: JobRow | undefined): CountFigures {
  return row === undefined ? noFigures : (JSON.parse(row.figures) as CountFigures)
}

/** The figures of a count so far. */
export interface Tally {
  objects: number
  bytes: number
  /** The time of the last change of any object, milliseconds since the epoch; 0 without objects. */
  lastModifiedMs: number
}

/** The last complete count. */
export interface CountFigures extends Readonly<Tally> {
  /** Only for a bucket that has or had versions. Their bytes are not in `bytes`. */
  readonly formerVersions?: Readonly<FormerTally> | undefined
  /** The start of the count, milliseconds since the epoch; 0 before the first one. */
  readonly countedAtMs: number
  /** How long it took. */
  readonly tookMs: number
}

/** Before the first count. */
export const noFigures: CountFigures = {
  ...{ objects: 0, bytes: 0, lastModifiedMs: 0, countedAtMs: 0, tookMs: 0 },
}

/** Former versions. Delete markers have no bytes, and are not counted. */
interface FormerTally {
  count: number
  bytes: number
}

type CountedDrive = Pick<Drive, 'list' | 'listVersions'>

interface CountedPlace<Counted extends Partial<Drive>> {
  readonly drive: Counted
  readonly bucket: string
  readonly prefix: string
}

/** Adds every object below a prefix to the tally, with pauses. @throws as `walk` */
export async function tallyBelow(
  place: CountedPlace<Pick<Drive, 'list'>>,
  run: Run,
  tally: Tally,
): Promise<void> {
  for await (const entries of walk(listingOf(place, run))) {
    for (const entry of entries) if (entry.kind === 'object') addObject(tally, entry)
  }
}

/** As `tallyBelow`. @returns the tally of former versions */
async function tallyVersions(
  place: CountedPlace<CountedDrive>,
  run: Run,
  tally: Tally,
): Promise<FormerTally> {
  const former = { count: 0, bytes: 0 }
  for await (const entries of walkVersions(listingOf(place, run))) {
    for (const entry of entries) {
      if (entry.isDeleteMarker) continue
      if (entry.isLatest) addObject(tally, entry)
      else {
        former.count += 1
        former.bytes = safeSum(former.bytes, entry.size)
      }
    }
  }
  return former
}

function listingOf<Counted extends Partial<Drive>>(place: CountedPlace<Counted>, run: Run) {
  const assertMayGoOn = () => run.assertMayGoOn()
  return { ...place, signal: run.signal, hasPauses: true, assertMayGoOn }
}

function addObject(
  tally: Tally,
  { size, modifiedAtMs }: { readonly size: number; readonly modifiedAtMs: number },
): void {
  tally.objects += 1
  tally.bytes = safeSum(tally.bytes, size)
  tally.lastModifiedMs = Math.max(tally.lastModifiedMs, Math.floor(modifiedAtMs))
}
