import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { livenessOf, thisProcess } from '../process/identity.ts'
import { DriveError } from './drive.ts'
import { LeaseQueue } from './lease-queue.ts'
import type { LeaseClaim, LeaseLook, LeaseTable, PlaceLease } from './lease-table.ts'

/** A lease that is not renewed for this long is up for the taking. */
const leaseMs = 20_000
const renewEveryMs = 5_000
/** No work starts on the drive this close to the end: a call takes time to arrive. */
const safetyMarginMs = 5_000
const defaultWaitMs = 30_000
/** Between looks at a place that another process holds. */
const firstPauseMs = 4
const longestPauseMs = 200

export interface KeyLeasesOptions {
  readonly table: LeaseTable
  /** Wall clock, milliseconds since the epoch; of all processes that share the database, roughly. */
  readonly now: () => number
  /** How long `hold` waits for its turn. */
  readonly waitMs?: number
  /**
   * Finishes or undoes the work in a dead holder's note, before another holder gets the place,
   * which `lease` holds. When it rejects, `hold` does, and the note stays for the next one.
   */
  readonly recover?: (note: string, lease: KeyLease) => Promise<void>
}

export interface HoldOptions {
  readonly signal?: AbortSignal
  /** For `recover`, if this process dies while it holds the lease. */
  readonly note?: string
}

/**
 * One writer of a key at a time, in all processes that share a drive: leases in the database. A
 * process that died frees its leases at once where that can be known, and by their expiry elsewhere.
 */
export class KeyLeases {
  readonly #options: KeyLeasesOptions
  readonly #queue = new LeaseQueue()
  readonly #closed = new AbortController()

  constructor(options: KeyLeasesOptions) {
    this.#options = options
  }

  /**
   * Runs `work` while these places are held, all of them.
   *
   * @throws DriveError `busy` when others held them for longer than `waitMs`, `unavailable` when the
   *   database does not answer; the signal's reason; what `work` rejects with
   */
  async hold<R>(
    places: readonly string[],
    work: (lease: KeyLease) => Promise<R>,
    options: HoldOptions = {},
  ): Promise<R> {
    const wanted = [...new Set(places)]
    const waitLimit = this.#waitLimit(options.signal)
    for (;;) {
      let unfinished: readonly PlaceLease[]
      await this.#enter(wanted, waitLimit)
      try {
        const taken = await this.#take(wanted, waitLimit, options.note ?? '')
        if (taken instanceof KeyLease) return await this.#work(taken, work)
        unfinished = taken
      } finally {
        this.#queue.leave(wanted)
      }
      // Without the other places: they may be needed to finish what was begun at these.
      for (const lease of Map.groupBy(unfinished, ({ owner }) => owner).values()) {
        await this.#finish(lease, waitLimit)
      }
    }
  }

  /** Resolves when what dead holders began at these places is finished. Rejects as `hold` does. */
  async settle(places: readonly string[]): Promise<void> {
    await this.hold(places, async () => undefined)
  }

  /** Waits until these places are free, without taking them. Rejects as `hold` does. */
  async untilFree(places: readonly string[], options: HoldOptions = {}): Promise<void> {
    const waitLimit = this.#waitLimit(options.signal)
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      const { leases } = await asked(this.#options.table.look(places, []))
      if (!leases.some((lease) => this.isLive(lease))) return
      await pause(pauseMs, waitLimit)
    }
  }

  /** As LeaseTable.look. */
  look(places: readonly string[], names: readonly string[]): Promise<LeaseLook> {
    return asked(this.#options.table.look(places, names))
  }

  /** Whether there are such leases as `heldBelow` gives of others than `owner`. */
  async isHeldBelow(places: readonly string[], owner: string): Promise<boolean> {
    return (await this.heldBelow(places)).some((lease) => lease.owner !== owner)
  }

  /**
   * The leases on places directly below these whose holders may still be at work, or have died in the
   * middle of it.
   */
  async heldBelow(places: readonly string[]): Promise<LeaseClaim[]> {
    const leases = await asked(this.#options.table.below(places))
    return leases.filter((lease) => lease.note !== '' || this.isLive(lease))
  }

  /** Whether the lease's holder may still be at work. */
  isLive(lease: LeaseClaim): boolean {
    return lease.untilMs > this.#options.now() && livenessOf(processOf(lease.owner)) !== 'dead'
  }

  /** Ends all waiting. Leases that are held run on. */
  close(): void {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
  }

  async #enter(places: readonly string[], waitLimit: WaitLimit): Promise<void> {
    try {
      await this.#queue.enter(places, waitLimit.signal)
    } catch (error) {
      throw waitLimit.isOver() ? tooBusy() : error
    }
  }

  /** The lease, or those of dead holders that have left notes. */
  async #take(
    places: readonly string[],
    waitLimit: WaitLimit,
    note: string,
  ): Promise<KeyLease | readonly PlaceLease[]> {
    const { table } = this.#options
    let ended: readonly PlaceLease[] = []
    for (let pauseMs = firstPauseMs; ; ) {
      waitLimit.signal.throwIfAborted()
      const lease = await this.#tryTake(places, note, ended)
      if (lease !== undefined) return lease
      const { leases } = await asked(table.look(places, []))
      ended = leases.filter((one) => !this.isLive(one))
      if (ended.length === leases.length) {
        const unfinished = ended.filter((one) => one.note !== '')
        if (unfinished.length > 0) return unfinished
        continue
      }
      await pause(pauseMs, waitLimit)
      pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    }
  }

  /** Undefined when one of the places is not free. */
  async #tryTake(
    places: readonly string[],
    note: string,
    ended: readonly PlaceLease[],
  ): Promise<KeyLease | undefined> {
    const { table, now } = this.#options
    const owner = `${thisProcess} ${randomBytes(9).toString('base64url')}`
    const claim = { owner, untilMs: now() + leaseMs, note }
    if (!(await asked(table.take(places, claim, ended)))) return undefined
    const lease = new KeyLease({ places, claim, table, now })
    if (ended.length === 0 || note === '') return lease
    try {
      // Those that ended have kept theirs.
      await lease.setNote(note)
      return lease
    } catch (error) {
      await lease.release().catch(() => undefined)
      throw error
    }
  }

  /** @param ended what is wanted of the places of one dead holder */
  async #finish(ended: readonly PlaceLease[], waitLimit: WaitLimit): Promise<void> {
    const places = ended.map(({ place }) => place)
    const note = ended[0]?.note ?? ''
    await this.#enter(places, waitLimit)
    try {
      const lease = await this.#tryTake(places, '', ended)
      // Otherwise another process is recovering it.
      if (lease === undefined) return
      await this.#work(lease, async () => {
        try {
          await this.#options.recover?.(note, lease)
        } catch (error) {
          lease.leaveNote()
          throw error
        }
      })
    } finally {
      this.#queue.leave(places)
    }
  }

  async #work<R>(lease: KeyLease, work: (lease: KeyLease) => Promise<R>): Promise<R> {
    let result: R
    try {
      result = await work(lease)
    } catch (error) {
      // What went wrong first is what is told.
      await lease.release().catch(() => undefined)
      throw error
    }
    await lease.release()
    return result
  }

  #waitLimit(signal: AbortSignal | undefined): WaitLimit {
    const waitMs = this.#options.waitMs ?? defaultWaitMs
    const end = AbortSignal.timeout(waitMs)
    const signals = signal === undefined ? [] : [signal]
    return {
      signal: AbortSignal.any([end, this.#closed.signal, ...signals]),
      isOver: () => end.aborted && !this.#closed.signal.aborted && signal?.aborted !== true,
    }
  }
}

interface KeyLeaseParts {
  readonly places: readonly string[]
  readonly claim: LeaseClaim
  readonly table: LeaseTable
  readonly now: () => number
}

/** Places that are held. It renews itself until it is released. */
export class KeyLease {
  readonly owner: string
  readonly #parts: KeyLeaseParts
  readonly #lost = new AbortController()
  readonly #bumped = new Set<string>()
  #untilMs: number
  #keepsNote = false
  #isReleased = false
  #timer: NodeJS.Timeout

  constructor(parts: KeyLeaseParts) {
    this.#parts = parts
    this.owner = parts.claim.owner
    this.#untilMs = parts.claim.untilMs
    this.#timer = this.#renewLater()
  }

  /** Aborts when the lease is lost: another process may be writing. */
  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /**
   * To be called before each step that changes what is at the places.
   * @throws DriveError `busy` when the lease is lost, or about to end: a process that was suspended
   *   notices here
   */
  assertHeld(): void {
    if (this.#parts.now() > this.#untilMs - safetyMarginMs) this.#lose()
    this.#lost.signal.throwIfAborted()
  }

  /** The revisions of these names rise with the release. */
  bumpRevision(...names: readonly string[]): void {
    for (const name of names) this.#bumped.add(name)
  }

  async setNote(note: string): Promise<void> {
    await asked(this.#parts.table.note(this.#parts.places, this.owner, note))
  }

  /** It is not known how far the work got: the next holder is to `recover` by the note. */
  leaveNote(): void {
    this.#keepsNote = true
  }

  /** For KeyLeases. A lease that is lost or can't be given back ends by itself. */
  async release(): Promise<void> {
    if (this.#isReleased) return
    this.#isReleased = true
    clearTimeout(this.#timer)
    await asked(
      this.#parts.table.release(this.#parts.places, {
        owner: this.owner,
        bumped: [...this.#bumped],
        keepsNote: this.#keepsNote,
      }),
    )
  }

  #lose(): void {
    const message =
      'The lease on this key was lost: the machine or the database was too slow. Try again.'
    this.#lost.abort(new DriveError('busy', message, { retryAfterSeconds: 1 }))
  }

  #renewLater(): NodeJS.Timeout {
    const timer = setTimeout(() => void this.#renew(), renewEveryMs)
    timer.unref()
    return timer
  }

  async #renew(): Promise<void> {
    const { table, places, now } = this.#parts
    const untilMs = now() + leaseMs
    try {
      if (!(await table.renew(places, { owner: this.owner, untilMs }))) return this.#lose()
      this.#untilMs = untilMs
    } catch {
      // The database may answer again before the lease ends; if not, assertHeld stops the work.
    }
    if (!this.#isReleased) this.#timer = this.#renewLater()
  }
}

interface WaitLimit {
  readonly signal: AbortSignal
  /** Whether it ended because the time to wait is up. */
  isOver(): boolean
}

function processOf(owner: string): string {
  return owner.slice(0, owner.lastIndexOf(' '))
}

function tooBusy(): DriveError {
  const message = 'Too many concurrent writes to one key, or one takes too long. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}

async function pause(ms: number, waitLimit: WaitLimit): Promise<void> {
  try {
    await sleep(ms * (0.5 + Math.random() / 2), undefined, { signal: waitLimit.signal })
  } catch {
    throw waitLimit.isOver() ? tooBusy() : waitLimit.signal.reason
  }
}

async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    const message = 'The database that keeps the leases is not responding.'
    throw new DriveError('unavailable', message, { cause: error })
  }
}
