import { CallThread } from '../../../../platform/process/call-thread.ts'
import { fs } from '../file-calls.ts'
import type { LocalRoot } from '../local-root.ts'
import type {
  PublishJob,
  PublishOutcome,
  SealJob,
  SealOutcome,
  WriteJob,
  WriteJobs,
  WriteOutcome,
  WriteOutcomes,
} from './write-thread.ts'

/** The maximum number of jobs that wait while the thread is busy. */
const maxWaiting = 1_024
/** The maximum number of jobs in one call, because their bytes are copied. */
const maxAtOnce = 64
/**
 * Up to this average time, syncs are faster in the thread, because they need no call of the thread pool. Slower syncs are
 * faster in the pool, where they run at the same time.
 */
const fastSyncMs = 0.15
/** How long slow syncs then use the pool. The time grows while they are slow again immediately. */
const shortestPauseMs = 500
const longestPauseMs = 60_000

interface Waiting extends PromiseWithResolvers<WriteOutcome> {
  readonly job: WriteJob
}

/**
 * A thread that writes small files with synchronous calls, many at a time. A call in the thread pool costs several times
 * the CPU time of the call itself, and a small object needs ten calls. The thread starts when small objects are written at
 * the same time, and ends when there have been none for a while.
 */
export class SmallWrites {
  readonly #root: LocalRoot
  readonly #thread = new CallThread<WriteJobs, WriteOutcomes>(
    new URL('./write-thread.ts', import.meta.url),
    // Every file is opened and closed within one call.
    { trackUnmanagedFds: false, resourceLimits: { maxYoungGenerationSizeMb: 2 } },
  )
  #writers = 0
  #isStarting = false
  #isRunning = false
  #waiting: Waiting[] = []
  #pausedUntil = Number.NEGATIVE_INFINITY
  #pauseMs = shortestPauseMs

  constructor(root: LocalRoot) {
    this.#root = root
  }

  /** Whether the thread runs, and has room for another job. */
  get isReady(): boolean {
    return this.#thread.isStarted && this.#waiting.length < maxWaiting
  }

  /** Jobs that wait for the thread. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Counts the writer of a small object until `work` settles. */
  async count<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#writers += 1
    try {
      if (this.#writers > 1) this.#startThread()
      return await work()
    } finally {
      this.#writers -= 1
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
    if (!this.#isRunning) this.#schedule()
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

  /** Waits for the end of this turn of the event loop, so that its jobs form one group. */
  #schedule(): void {
    this.#isRunning = true
    setImmediate(() => void this.#runWaiting())
  }

  async #runWaiting(): Promise<void> {
    const group = this.#waiting.splice(0, maxAtOnce)
    try {
      const { outcomes, syncMs } = await this.#call(group.map(({ job }) => job))
      if (syncMs !== undefined) this.#pace(syncMs)
      for (const [index, { resolve }] of group.entries()) resolve(outcomes[index])
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
    this.#isRunning = false
    if (this.#waiting.length > 0) this.#schedule()
  }

  async #call(jobs: readonly WriteJob[]): Promise<WriteOutcomes> {
    const { hasBirthtime, descriptors = '' } = this.#root
    const syncs = performance.now() >= this.#pausedUntil
    return await this.#thread.call({ jobs, syncs, hasBirthtime, descriptors })
  }

  #pace(syncMs: number): void {
    if (syncMs <= fastSyncMs) {
      this.#pauseMs = shortestPauseMs
      return
    }
    this.#pausedUntil = performance.now() + this.#pauseMs
    this.#pauseMs = Math.min(2 * this.#pauseMs, longestPauseMs)
  }
}
