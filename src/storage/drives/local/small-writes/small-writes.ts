import { CallThread } from '../../../../platform/process/call-thread.ts'
import { fs } from '../file-calls.ts'
import type { LocalRoot } from '../local-root.ts'
import type { RecordPlace } from '../objects/file-record-table.ts'
import { type PackedCall, type PackedOutcomes, packJobs, unpackOutcomes } from './packed-jobs.ts'
import type {
  PublishJob,
  PublishOutcome,
  SealJob,
  SealOutcome,
  StoreJob,
  StoreOutcome,
  WriteJob,
  WriteOutcome,
  WriteOutcomes,
} from './write-jobs.ts'

/** The maximum number of jobs that wait while the thread is busy. */
const maxWaiting = 1_024
/** The maximum number of jobs in one call. */
const maxAtOnce = 64
/** The memory for the bytes of the files of one call. */
const memoryBytes = 1024 * 1024
/**
 * Up to this median time, syncs are faster in the thread, because they need no call of the thread pool. Slower syncs are
 * faster in the pool, where they run at the same time.
 */
const fastSyncMs = 0.15
/** So many calls with slow syncs in a row are needed: on a busy machine, a thread may lose its core during any of them. */
const slowCalls = 2
/** How long slow syncs then use the pool. The time grows while they are slow again immediately. */
const shortestPauseMs = 500
const longestPauseMs = 60_000

/**
 * A single writer is worth the start of the thread as well, after so many small writes, each soon after the last: without the
 * thread, each takes half as much CPU time again, and together they took as much as the start.
 */
const manyInRow = 32
const soonMs = 100

interface Waiting extends PromiseWithResolvers<WriteOutcome> {
  readonly job: WriteJob
}

/**
 * A thread that writes small files with synchronous calls, many at a time. A call in the thread pool costs several times
 * the CPU time of the call itself, and a small object needs ten calls. The thread starts when small objects are written at
 * the same time or quickly one after the other, and ends when there have been none for a while.
 */
export class SmallWrites {
  readonly #root: LocalRoot
  readonly #records: RecordPlace | undefined
  readonly #thread = new CallThread<PackedCall, PackedOutcomes>(
    new URL('./write-thread.ts', import.meta.url),
    // Every file but the database, which SQLite opens, is opened and closed within one call.
    { trackUnmanagedFds: false, resourceLimits: { maxYoungGenerationSizeMb: 2 } },
  )
  #writers = 0
  #inRow = 0
  #lastEndedAtMs = Number.NEGATIVE_INFINITY
  #isStarting = false
  #isRunning = false
  #waiting: Waiting[] = []
  #pausedUntil = Number.NEGATIVE_INFINITY
  #pauseMs = shortestPauseMs
  #slowInRow = 0
  /** Of the thread that runs: calls come one after the other. */
  readonly #memory = new SharedArrayBuffer(memoryBytes)

  /** @param records where the thread saves records by itself; undefined if it can't */
  constructor(root: LocalRoot, records?: RecordPlace) {
    this.#root = root
    this.#records = records
  }

  /** Whether the thread runs, and has room for another job. */
  get isReady(): boolean {
    return this.#thread.isStarted && this.#waiting.length < maxWaiting
  }

  /**
   * Whether the thread may do all steps of a write in one call: it can save records, and syncs are fast, or come later
   * (relaxed-writes.ts).
   */
  stores(isRelaxed: boolean): boolean {
    return this.#records !== undefined && (isRelaxed || this.#syncs)
  }

  get #syncs(): boolean {
    return performance.now() >= this.#pausedUntil
  }

  /** Jobs that wait for the thread. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Whether there is one writer. Several calls of the thread pool then take less than two of the thread. */
  get isAlone(): boolean {
    return this.#writers === 1
  }

  /** Counts the writer of a small object until `work` settles. */
  async count<Result>(isRelaxed: boolean, work: () => Promise<Result>): Promise<Result> {
    this.#writers += 1
    const isSoon = performance.now() - this.#lastEndedAtMs < soonMs
    this.#inRow = isSoon ? this.#inRow + 1 : 1
    try {
      const areMany = this.#inRow > manyInRow && this.stores(isRelaxed)
      if (this.#writers > 1 || areMany) this.#startThread()
      return await work()
    } finally {
      this.#writers -= 1
      this.#lastEndedAtMs = performance.now()
    }
  }

  /** Undefined if the file was not written, or if the thread ended. */
  async seal(job: Omit<SealJob, 'kind'>): Promise<SealOutcome | undefined> {
    try {
      return (await this.#run({ ...job, kind: 'seal' })) as SealOutcome | undefined
    } catch {
      // The thread may have created it.
      await fs.promises.unlink(job.path).catch(() => undefined)
      return undefined
    }
  }

  /** Undefined if the file was not written. Otherwise as `publish`. */
  async store(job: Omit<StoreJob, 'kind'>): Promise<StoreOutcome | undefined> {
    return (await this.#run({ ...job, kind: 'store' })) as StoreOutcome | undefined
  }

  /** @throws Error if the thread ended: it is then unknown whether the file was moved */
  async publish(job: Omit<PublishJob, 'kind'>): Promise<PublishOutcome> {
    return (await this.#run({ ...job, kind: 'publish' })) as PublishOutcome
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  #run(job: WriteJob): Promise<WriteOutcome> {
    const waiting = { job, ...Promise.withResolvers<WriteOutcome>() }
    this.#waiting.push(waiting)
    if (!this.#isRunning) {
      this.#isRunning = true
      // Waits for the end of this turn of the event loop, so that its jobs form one group.
      setImmediate(() => this.#runWaiting())
    }
    return waiting.promise
  }

  #startThread(): void {
    const { descriptors, files } = this.#root
    // A thread is slow if each of its calls waits for a server.
    if (descriptors === undefined || files.mayHang) return
    if (this.#isStarting || this.#thread.isStarted) return
    this.#isStarting = true
    // Without a thread, objects are written step by step.
    this.#call([])
      .catch(() => undefined)
      .finally(() => {
        this.#isStarting = false
      })
  }

  #runWaiting(): void {
    const group = this.#nextGroup()
    this.#call(group.map(({ job }) => job)).then(
      ({ outcomes, syncMs }) => {
        if (syncMs !== undefined) this.#pace(syncMs)
        this.#goOn()
        for (const [index, { resolve }] of group.entries()) resolve(outcomes[index])
      },
      (error: unknown) => {
        this.#goOn()
        for (const { reject } of group) reject(error)
      },
    )
  }

  /** Before the replies to one group, so that the thread works on the next one meanwhile. */
  #goOn(): void {
    this.#isRunning = this.#waiting.length > 0
    if (this.#isRunning) this.#runWaiting()
  }

  /** As many as the memory has room for. */
  #nextGroup(): Waiting[] {
    let [count, bytes] = [0, 0]
    for (const { job } of this.#waiting.slice(0, maxAtOnce)) {
      bytes += job.kind === 'publish' ? 0 : job.bytes.length
      if (bytes > memoryBytes) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #call(jobs: readonly WriteJob[]): Promise<WriteOutcomes> {
    const { hasBirthtime, descriptors = '' } = this.#root
    const [syncs, records] = [this.#syncs, this.#records]
    const packed = packJobs(jobs, this.#memory)
    const call = { jobs: packed, syncs, records, hasBirthtime, descriptors }
    const outcomes = await this.#thread.call(call)
    return { outcomes: unpackOutcomes(outcomes), syncMs: outcomes.syncMs }
  }

  #pace(syncMs: number): void {
    if (syncMs <= fastSyncMs) {
      this.#pauseMs = shortestPauseMs
      this.#slowInRow = 0
      return
    }
    this.#slowInRow += 1
    if (this.#slowInRow < slowCalls) return
    this.#pausedUntil = performance.now() + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }
}
