import { setTimeout as sleep } from 'node:timers/promises'
import { HeldLease } from '../process/held-lease.ts'
import { isLeaseFree, newLeaseOwner } from '../process/lease-owner.ts'
import { withDatabaseErrors } from './database-errors.ts'
import { DriveError } from './drive.ts'
import { LeaseQueue } from './lease-queue.ts'
import type { KeyedLease, LeaseClaim, LeaseLook, LeaseTable } from './lease-table.ts'

/** A lease that is not renewed for this long may be taken. */
const leaseMs = 20_000
const renewEveryMs = 5_000
/** No work starts on the drive this close to the end: a call takes time to arrive. */
const safetyMarginMs = 5_000
const defaultWaitMs = 30_000
/** Between looks at a key that another process holds. */
const firstPauseMs = 4
const longestPauseMs = 200

export interface KeyLeasesOptions {
  readonly table: LeaseTable
  /** Wall clock, milliseconds since the epoch; of all processes that share the database, roughly. */
  readonly now: () => number
  /** How long `hold` waits for its turn. */
  readonly waitMs?: number
  /**
   * Finishes or undoes the work in a dead holder's note, before another holder gets the
   * keys, which `lease` holds. When it rejects, `hold` does, and the note stays for the next one.
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
    this.#options = { ...options, table: withDatabaseErrors(options.table, 'the leases') }
  }

  /**
   * Runs `work` while all these keys are held.
   *
   * @throws DriveError `busy` when others held them for longer than `waitMs`, `unavailable` when the
   *   database does not answer; the signal's reason; what `work` rejects with
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

  /** Resolves when what dead holders began at these keys is recovered. Rejects as `hold` does. */
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

  /** Whether there are such leases as `heldBelow` gives of others than `owner`. */
  async isHeldBelow(keys: readonly string[], owner: string): Promise<boolean> {
    return (await this.heldBelow(keys)).some((lease) => lease.owner !== owner)
  }

  /**
   * The leases on keys directly below these whose holders may still be at work, or have died in the
   * middle of it.
   */
  async heldBelow(keys: readonly string[]): Promise<LeaseClaim[]> {
    const leases = await this.#options.table.below(keys)
    return leases.filter((lease) => lease.note !== '' || this.isLive(lease))
  }

  /** Whether the lease's holder may still be at work. */
  isLive({ owner, untilMs }: LeaseClaim): boolean {
    return !isLeaseFree({ leaseOwner: owner, leaseUntilMs: untilMs }, this.#options.now())
  }

  /** Ends all waiting. Leases that are held stay. */
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
      // Those that ended have kept theirs.
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
   * @throws DriveError `busy` when the lease is lost, or about to end: a process that was suspended
   *   notices here
   */
  assertHeld(): void {
    this.#held.assertHeld()
  }

  /** The revisions of these names rise with the release. */
  bumpRevision(...names: readonly string[]): void {
    for (const name of names) this.#bumped.add(name)
  }

  async setNote(note: string): Promise<void> {
    await this.#parts.table.note(this.#parts.keys, this.owner, note)
  }

  /** It is unknown how far the work got: the next holder is to `recover` by the note. */
  leaveNote(): void {
    this.#keepsNote = true
  }

  /** For KeyLeases. A lease that is lost or can't be released ends by itself. */
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
  /** Whether it ended because the time to wait is up. */
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
