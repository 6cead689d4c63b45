import type { RevisionName, RevisionNumbers, Revisions } from './stores/revisions.ts'

/** Between two checks: changes are in force everywhere within a second, a slow check included. */
const defaultEveryMs = 500

/** What is older than this is not used without another check: the process was suspended or busy. */
const maxAgeMs = 1_000

/**
 * After a longer time without a reply, or a failed check, another server may have taken over and may lack the last
 * changes. It can give their revisions to other changes, so equal revisions then prove nothing.
 */
const maxGapMs = 2_000

export interface RevisionWatchOptions {
  readonly revisions: Pick<Revisions, 'read'>
  /** @default 500 */
  readonly everyMs?: number
  /** Monotonic, milliseconds. */
  readonly now?: () => number
  /** Called with the error when checks begin to fail, and with undefined when they succeed again. */
  readonly onState: (problem: unknown) => void
  /** Called when everything is current. @param askedAtMs when the database was asked, by `now` */
  readonly onCurrent?: (askedAtMs: number) => void
}

/**
 * Loads what has changed. @throws DatabaseError
 *
 * @param revision the current one
 * @param isDoubtful whether earlier data may be of changes that the database has lost: load everything again
 */
export type Reload = (revision: number, isDoubtful: boolean) => Promise<void>

interface Follower {
  readonly name: RevisionName
  readonly reload: Reload
  loaded: number | undefined
}

/**
 * Keeps copies in memory current: one small SELECT in the background for all of them, and a reload of those whose
 * revision has changed. A request costs a comparison of times.
 */
export class RevisionWatch {
  readonly #options: RevisionWatchOptions
  readonly #now: () => number
  readonly #followers: Follower[] = []
  #confirmedAtMs = Number.NEGATIVE_INFINITY
  /** Whether equal revisions prove nothing. Until everything has been loaded again. */
  #isDoubtful = false
  #checking: Promise<void> | undefined
  #isOutdated = false
  #isFailing = false
  #timer: NodeJS.Timeout | undefined

  constructor(options: RevisionWatchOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /**
   * Loads everything that `followers` name, and begins to watch.
   *
   * @throws DatabaseError
   */
  async start(followers: Readonly<Partial<Record<RevisionName, Reload>>>): Promise<void> {
    for (const [name, reload] of Object.entries(followers)) {
      this.#followers.push({ name: name as RevisionName, reload, loaded: undefined })
    }
    await this.check()
    this.#timer = setInterval(
      () => void this.check().catch(() => undefined),
      this.#options.everyMs ?? defaultEveryMs,
    ).unref()
  }

  /** Milliseconds since the copies were known to be current. */
  get ageMs(): number {
    return this.#now() - this.#confirmedAtMs
  }

  /** Whether the last check failed. */
  get isFailing(): boolean {
    return this.#isFailing
  }

  /**
   * For a request that is about to use a copy. Undefined, at no cost, if the copies are current; otherwise
   * resolves after another check. Never rejects: `ageMs` tells whether the database has answered.
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
    this.#checking ??= this.#run().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #run(): Promise<void> {
    try {
      while (this.#isOutdated) {
        this.#isOutdated = false
        // The reply describes the database at this moment or later.
        const askedAtMs = this.#now()
        const current = await this.#options.revisions.read()
        this.#isDoubtful ||= this.ageMs > maxGapMs
        await this.#reload(current)
        this.#isDoubtful = false
        this.#confirmedAtMs = askedAtMs
        this.#options.onCurrent?.(askedAtMs)
      }
    } catch (error) {
      this.#isDoubtful = true
      if (!this.#isFailing) this.#options.onState(error)
      this.#isFailing = true
      throw error
    }
    if (this.#isFailing) this.#options.onState(undefined)
    this.#isFailing = false
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
