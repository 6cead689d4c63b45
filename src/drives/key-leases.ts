import { setTimeout as sleep } from 'node:timers/promises'
import { HeldLease } from '../process/held-lease.ts'
import { isLeaseFree, newLeaseOwner } from '../process/lease-owner.ts'
import { withDatabaseErrors } from './database-errors.ts'
import { DriveError } from './drive.ts'
import { LeaseQueue } from './lease-queue.ts'
import type { KeyedLease, LeaseClaim, LeaseLook, LeaseTable } from './lease-table.ts'

/** After this long without renewal, another process may take a lease. */
const leaseMs = 20_000
const renewEveryMs = 5_000
/** No change starts this close to the end of a lease, because a call takes time to arrive. */
const safetyMarginMs = 5_000
const defaultWaitMs = 30_000
/** Pauses between checks of a key that another process holds. */
const firstPauseMs = 4
const longestPauseMs = 200

export interface KeyLeasesOptions {
  readonly table: LeaseTable
  /**
   * Wall clock, milliseconds since the epoch; roughly equal in all processes that share the
   * database.
   */
  readonly now: () => number
  /** How long `hold` waits for the keys. */
  readonly waitMs?: number
  /**
   * Completes or undoes the work in a dead holder's note before another holder gets the keys;
   * `lease` holds them meanwhile. If it rejects, `hold` rejects, and the note stays for the next
   * holder.
   */
  readonly recover?: (note: string, lease: KeyLease) => Promise<void>
}

export interface HoldOptions {
  readonly signal?: AbortSignal
  /** For `recover`, if this process dies while it holds the lease. */
  readonly note?: string
}

/**
 * Leases in the database: one writer of a key at a time, in all processes that share a drive. The
 * leases of a dead process are free immediately if its death can be detected, otherwise on expiry.
 */
export class KeyLeases {
  readonly #options: KeyLeasesOptions
  readonly #queue = new LeaseQueue()
  readonly #closed = new AbortController()

  constructor(options: KeyLeasesOptions) {
    this.#options = { ...options, table: withDatabaseErrors(options.table, 'the leases') }
  }

  /**
   * Runs `work` while all these keys are held.
   *
   * @throws DriveError `busy` if others hold them for longer than `waitMs`, `unavailable` if the
   *   database does not respond; the signal's reason; what `work` rejects with
   */
  async hold<R>(
    keys: readonly string[],
    work: (lease: KeyLease) => Promise<R>,
    options: HoldOptions = {},
  ): Promise<R> {
    const wanted = [...new Set(keys)]
    const waitLimit = this.#waitLimit(options.signal)
    for (;;) {
      let unfinished: readonly KeyedLease[]
      await this.#enter(wanted, waitLimit)
      try {
        const taken = await this.#take(wanted, waitLimit, options.note ?? '')
        if (taken instanceof KeyLease) return await this.#work(taken, work)
        unfinished = taken
      } finally {
        this.#queue.leave(wanted)
      }
      // Without the other keys: recovery may need them.
      for (const lease of Map.groupBy(unfinished, ({ owner }) => owner).values()) {
        await this.#recover(lease, waitLimit)
      }
    }
  }

  /** Recovers the work of dead holders of these keys. Rejects as `hold` does. */
  async recoverEnded(keys: readonly string[]): Promise<void> {
    await this.hold(keys, async () => undefined)
  }

  /** Waits until these keys are free, without taking them. Rejects as `hold` does. */
  async untilFree(keys: readonly string[], options: HoldOptions = {}): Promise<void> {
    const waitLimit = this.#waitLimit(options.signal)
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
      const { leases } = await this.#options.table.look(keys, [])
      if (!leases.some((lease) => this.isLive(lease))) return
      await pause(pauseMs, waitLimit)
    }
  }

  /** As LeaseTable.look. */
  look(keys: readonly string[], names: readonly string[]): Promise<LeaseLook> {
    return this.#options.table.look(keys, names)
  }

  /** Whether `heldBelow` has leases of others than `owner`. */
  async isHeldBelow(keys: readonly string[], owner: string): Promise<boolean> {
    return (await this.heldBelow(keys)).some((lease) => lease.owner !== owner)
  }

  /**
   * The leases on keys directly below these whose holders may still be working, or died during
   * their work.
   */
  async heldBelow(keys: readonly string[]): Promise<LeaseClaim[]> {
    const leases = await this.#options.table.below(keys)
    return leases.filter((lease) => lease.note !== '' || this.isLive(lease))
  }

  /** Whether the lease's holder may still be working. */
  isLive({ owner, untilMs }: LeaseClaim): boolean {
    return !isLeaseFree({ leaseOwner: owner, leaseUntilMs: untilMs }, this.#options.now())
  }

  /** Ends all waits. Held leases stay. */
  close(): void {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
  }

  async #enter(keys: readonly string[], waitLimit: WaitLimit): Promise<void> {
    try {
      await this.#queue.enter(keys, waitLimit.signal)
    } catch (error) {
      throw waitLimit.isOver() ? tooBusy() : error
    }
  }

  /** The lease, or those of dead holders that have left notes. */
  async #take(
    keys: readonly string[],
    waitLimit: WaitLimit,
    note: string,
  ): Promise<KeyLease | readonly KeyedLease[]> {
    const { table } = this.#options
    let ended: readonly KeyedLease[] = []
    for (let pauseMs = firstPauseMs; ; ) {
      waitLimit.signal.throwIfAborted()
      const lease = await this.#tryTake(keys, note, ended)
      if (lease !== undefined) return lease
      const { leases } = await table.look(keys, [])
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

  /** Undefined when one of the keys is not free. */
  async #tryTake(
    keys: readonly string[],
    note: string,
    ended: readonly KeyedLease[],
  ): Promise<KeyLease | undefined> {
    const { table, now } = this.#options
    const claim = { owner: newLeaseOwner(), untilMs: now() + leaseMs, note }
    if (!(await table.take(keys, claim, ended))) return undefined
    const lease = new KeyLease({ keys, claim, table, now })
    if (ended.length === 0 || note === '') return lease
    try {
      // The ended leases kept their notes.
      await lease.setNote(note)
      return lease
    } catch (error) {
      await lease.release().catch(() => undefined)
      throw error
    }
  }

  /** @param ended those of the wanted keys that one dead holder had */
  async #recover(ended: readonly KeyedLease[], waitLimit: WaitLimit): Promise<void> {
    const keys = ended.map(({ key }) => key)
    const note = ended[0]?.note ?? ''
    await this.#enter(keys, waitLimit)
    try {
      const lease = await this.#tryTake(keys, '', ended)
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
      this.#queue.leave(keys)
    }
  }

  async #work<R>(lease: KeyLease, work: (lease: KeyLease) => Promise<R>): Promise<R> {
    let result: R
    try {
      result = await work(lease)
    } catch (error) {
      // The first error is the one to report.
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
  readonly keys: readonly string[]
  readonly claim: LeaseClaim
  readonly table: LeaseTable
  readonly now: () => number
}

/** Keys whose lease this process holds. The lease is renewed until it is released. */
export class KeyLease {
  readonly owner: string
  readonly #parts: KeyLeaseParts
  readonly #held: HeldLease
  readonly #bumped = new Set<string>()
  #keepsNote = false
  #isReleased = false

  constructor(parts: KeyLeaseParts) {
    const { keys, claim, table, now } = parts
    const { owner, untilMs } = claim
    this.#parts = parts
    this.owner = owner
    this.#held = new HeldLease({
      ...{ owner, untilMs, leaseMs, renewEveryMs, safetyMarginMs, now },
      renew: (until) => table.renew(keys, { owner, untilMs: until }),
      lostReason: leaseLost,
    })
    this.#held.keep()
  }

  /** Aborts when the lease is lost: another process may be writing. */
  get signal(): AbortSignal {
    return this.#held.lost
  }

  /**
   * Call it before each step that changes what the keys stand for.
   *
   * @throws DriveError `busy` if the lease is lost or about to end, as after the process was
   *   suspended
   */
  assertHeld(): void {
    this.#held.assertHeld()
  }

  /** The release will bump the revisions of these names. */
  bumpRevision(...names: readonly string[]): void {
    for (const name of names) this.#bumped.add(name)
  }

  async setNote(note: string): Promise<void> {
    await this.#parts.table.note(this.#parts.keys, this.owner, note)
  }

  /** Keeps the note, because the outcome is unknown: the next holder calls `recover` with it. */
  leaveNote(): void {
    this.#keepsNote = true
  }

  /** For KeyLeases. A lease that can't be released expires. */
  async release(): Promise<void> {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#held.end()
    await this.#parts.table.release(this.#parts.keys, {
      owner: this.owner,
      bumped: [...this.#bumped],
      keepsNote: this.#keepsNote,
    })
  }
}

interface WaitLimit {
  readonly signal: AbortSignal
  /** Whether it ended because `waitMs` has passed. */
  isOver(): boolean
}

function leaseLost(): DriveError {
  const message =
    'The lease on this key was lost: the machine or the database was too slow. Try again.'
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
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
