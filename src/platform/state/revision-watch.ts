import type { RevisionName, RevisionNumbers, Revisions } from './revision-table.ts'

/** Maximum age of a copy before it is checked again: an older one means that the process was suspended or busy. */
const maxAgeMs = 1_000

/** Interval between checks: a usual check ends before requests would have to wait for it. */
const defaultEveryMs = 900

/** Pause after a failed check. */
const retryMs = 500

/**
 * After a longer time without a reply, or a failed check, another database server may have taken over without the last
 * changes. It can assign their revisions to other changes, so equal revisions then prove nothing.
 */
const maxGapMs = 2_000

/** An answer of the database. */
export interface RevisionCheck {
  readonly numbers: RevisionNumbers
  /** When the database was asked. The reply describes its state at this moment or later. */
  readonly askedAtMs: number
  /** Whether equal revisions prove nothing. */
  readonly isDoubtful: boolean
}

export interface RevisionWatchOptions {
  readonly revisions: Pick<Revisions, 'read'>
  /**
   * Age of the last check at which the database is asked again. A process that receives the checks of another one
   * (`take`) asks for itself after this time, at most a second.
   *
   * @default 900
   */
  readonly everyMs?: number
  /** Monotonic clock, milliseconds. */
  readonly now?: () => number
  /** Called with the error when checks begin to fail, and with undefined when they succeed again. */
  readonly onState: (problem: unknown) => void
  /** Called when all copies are current. @param askedAtMs when the database was asked, by `now` */
  readonly onCurrent?: (askedAtMs: number) => void
  /** Called with each reply of the database, for `take` in other processes. Times are by `now`. */
  readonly onRead?: (check: RevisionCheck) => void
}

/**
 * Loads the changes. @throws DatabaseError
 *
 * @param revision the current one
 * @param isDoubtful whether copies may contain changes that the database has lost: load everything again
 */
export type Reload = (revision: number, isDoubtful: boolean) => Promise<void>

interface Follower {
  readonly name: RevisionName
  readonly reload: Reload
  loaded: number | undefined
}

/**
 * Keeps copies in memory current: one small SELECT in the background for all copies, or the reply that another
 * process received, and a reload of those whose revision has changed. The cost per request is a comparison of times.
 */
export class RevisionWatch {
  readonly #options: RevisionWatchOptions
  readonly #now: () => number
  readonly #followers: Follower[] = []
  #confirmedAtMs = Number.NEGATIVE_INFINITY
  /** Whether equal revisions prove nothing, until everything has been loaded again. */
  #isDoubtful = false
  #checking: Promise<void> | undefined
  #isOutdated = false
  /** A check of another process that waits to be taken. */
  #taken: RevisionCheck | undefined
  #isFailing = false
  #isWatching = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: RevisionWatchOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Loads the data of all followers, and begins to watch.
   *
   * @throws DatabaseError
   */
  async start(followers: Readonly<Partial<Record<RevisionName, Reload>>>): Promise<void> {
    for (const [name, reload] of Object.entries(followers)) {
      this.#followers.push({ name: name as RevisionName, reload, loaded: undefined })
    }
    await this.check()
    this.#isWatching = true
    this.#schedule()
  }

  /** Milliseconds since the copies were last known to be current. */
  get ageMs(): number {
    return this.#now() - this.#confirmedAtMs
  }

  /** Whether the last check failed. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  /**
   * Call it before a request uses a copy. Undefined, and without cost, if the copies are current; otherwise resolves
   * after another check. Never rejects: `ageMs` shows whether the database has answered.
   */
  ensureFresh(): Promise<void> | undefined {
    if (this.ageMs <= maxAgeMs) return undefined
    return this.check().catch(() => undefined)
  }

  /**
   * Checks now. Calls during a check share the next one.
   *
   * @throws DatabaseError
   */
  check(): Promise<void> {
    this.#isOutdated = true
    this.#checking ??= this.#run()
    return this.#checking
  }

  /**
   * Takes a check that another process of this gateway has made, instead of asking the database. It does not satisfy a
   * `check()`, which may have begun later.
   */
  take(check: RevisionCheck): void {
    if (!this.#isWatching || !this.#isNews(check)) return
    const isDoubtful = check.isDoubtful || this.#taken?.isDoubtful === true
    this.#taken = { ...check, isDoubtful }
    this.#checking ??= this.#run()
    this.#checking.catch(() => undefined)
  }

  stop(): void {
    this.#isWatching = false
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    if (!this.#isWatching) return
    const { everyMs = defaultEveryMs } = this.#options
    const inMs = this.#isFailing ? retryMs : everyMs - this.ageMs
    this.#timer = setTimeout(() => void this.check().catch(() => undefined), inMs).unref()
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        const taken = this.#taken
        this.#taken = undefined
        if (taken === undefined && !this.#isOutdated) break
        if (taken === undefined) await this.#apply(await this.#ask())
        else if (this.#isNews(taken)) await this.#apply(taken)
      }
      if (this.#isFailing) this.#options.onState(undefined)
      this.#isFailing = false
    } catch (error) {
      this.#isDoubtful = true
      if (!this.#isFailing) this.#options.onState(error)
      this.#isFailing = true
      throw error
    } finally {
      // Cleared here and not when the promise settles, which is later: calls from now on begin another check.
      this.#checking = undefined
      this.#schedule()
    }
  }

  async #ask(): Promise<RevisionCheck> {
    this.#isOutdated = false
    const askedAtMs = this.#now()
    const numbers = await this.#options.revisions.read()
    this.#isDoubtful ||= this.ageMs > maxGapMs
    const check = { numbers, askedAtMs, isDoubtful: this.#isDoubtful }
    this.#options.onRead?.(check)
    return check
  }

  async #apply({ numbers, askedAtMs, isDoubtful }: RevisionCheck): Promise<void> {
    this.#isDoubtful ||= isDoubtful || this.ageMs > maxGapMs
    await this.#reload(numbers)
    this.#isDoubtful = false
    if (askedAtMs < this.#confirmedAtMs) return
    this.#confirmedAtMs = askedAtMs
    this.#options.onCurrent?.(askedAtMs)
  }

  /** Even an older check can show that the database may have lost changes. */
  #isNews({ askedAtMs, isDoubtful }: RevisionCheck): boolean {
    return isDoubtful || askedAtMs > this.#confirmedAtMs
  }

  async #reload(current: RevisionNumbers): Promise<void> {
    for (const follower of this.#followers) {
      const revision = current.get(follower.name) ?? 0
      if (follower.loaded === revision && !this.#isDoubtful) continue
      await follower.reload(revision, this.#isDoubtful)
      follower.loaded = revision
    }
  }
}
