import { setTimeout as sleep } from 'node:timers/promises'
import { HeldLease } from '../../../platform/process/held-lease.ts'
import { isLeaseFree, newLeaseOwner } from '../../../platform/process/lease-owner.ts'
import { withDeadline } from '../../../platform/process/time-limit.ts'
import { DriveError } from '../drive-error.ts'
import type { KeyedLease, LeaseClaim, LeaseLook, LeaseTable } from './key-lease-table.ts'
import { LeaseQueue } from './lease-queue.ts'

/** After this long without renewal, another process may take a lease. */
const leaseMs = 20_000
const renewEveryMs = 5_000
/** No change starts this close to the end of a lease, because a call takes time to arrive. */
const safetyMarginMs = 5_000
const defaultWaitMs = 30_000
/** Pauses between checks of a key that another process holds. */
const firstPauseMs = 4
const longestPauseMs = 200
/** More leases than are ever held at once. */
const maxHeld = 100_000
/** The pause before the next attempt to release a lease. */
const releaseAgainMs = 200

export interface KeyLeasesOptions {
  readonly table: LeaseTable
  /** Wall clock, milliseconds since the epoch; roughly equal in all processes that share the database. */
  readonly now: () => number
  /** How long `hold` waits for the keys. */
  readonly waitMs?: number
  /**
   * Completes or undoes the work in a dead holder's note before another holder gets the keys, which `lease` holds
   * meanwhile. If it rejects, `hold` rejects, and the note stays for the next holder.
   */
  readonly recover?: (note: string, lease: KeyLease) => Promise<void>
  /** @default DriveErrors of kind `busy` */
  readonly errors?: LeaseErrors
}

/** The errors of a caller that does not get or loses a lease. */
export interface LeaseErrors {
  /** Other holders kept it for longer than `waitMs`. */
  busy(): Error
  /** It was lost, or is about to end: this process was suspended, or the database did not respond. */
  lost(): Error
}

interface HoldOptions {
  readonly signal?: AbortSignal
  /** For `recover`, if this process dies while it holds the lease. */
  readonly note?: string
}

/**
 * Leases in the database: one writer of a key at a time in all processes that share a drive. The leases of a dead process
 * are free immediately if its death can be detected, and otherwise when they expire.
 */
export class KeyLeases {
  readonly #options: KeyLeasesOptions & { readonly errors: LeaseErrors }
  readonly #queue = new LeaseQueue()
  readonly #closed = new AbortController()

  constructor(options: KeyLeasesOptions) {
    this.#options = { errors: driveErrors, ...options }
  }

  /**
   * Runs `work` while all these keys are held.
   *
   * @throws `errors.busy` if others hold them for longer than `waitMs`; the signal's reason; the errors of the table and
   *   of `work`
   */
  async hold<R>(
    keys: readonly string[],
    work: (lease: KeyLease) => Promise<R>,
    { signal, note = '' }: HoldOptions = {},
  ): Promise<R> {
    const wanted = [...new Set(keys)]
    return await this.#within(signal, async (waiting) => {
      for (;;) {
        let unfinished: readonly KeyedLease[]
        await this.#queue.enter(wanted, waiting)
        try {
          const taken = await this.#take(wanted, note, waiting)
          if (taken instanceof KeyLease) return await this.#work(taken, work)
          unfinished = taken
        } finally {
          this.#queue.leave(wanted)
        }
        // The other keys are not held: recovery may need them.
        for (const lease of Map.groupBy(unfinished, ({ owner }) => owner).values()) {
          await this.#recover(lease, waiting)
        }
      }
    })
  }

  /**
   * As `hold`, but without waiting: undefined if another holder has one of the keys. For keys whose holders leave no
   * notes.
   */
  async holdIfFree<R>(
    keys: readonly string[],
    work: (lease: KeyLease) => Promise<R>,
  ): Promise<R | undefined> {
    const { leases } = await this.look(keys, [])
    if (leases.some((lease) => this.isLive(lease))) return undefined
    const lease = await this.#tryTake(keys, '', leases)
    return lease && (await this.#work(lease, work))
  }

  /** Recovers the work of dead holders of these keys. Rejects as `hold` does. */
  async recoverEnded(keys: readonly string[]): Promise<void> {
    await this.hold(keys, async () => undefined)
  }

  /** Waits until these keys are free, without taking them. Rejects as `hold` does. */
  async untilFree(keys: readonly string[]): Promise<void> {
    await this.#within(undefined, async (waiting) => {
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
        const { leases } = await this.#options.table.look(keys, [])
        if (!leases.some((lease) => this.isLive(lease))) return
        await pause(pauseMs, waiting)
      }
    })
  }

  /** Waits until each lease that is held now and has such a note has been free. Rejects as `hold` does. */
  async untilEnded(isMeant: (note: string) => boolean): Promise<void> {
    const held = async () => {
      const all = await this.#options.table.endedWithNote(Number.MAX_SAFE_INTEGER, maxHeld)
      const meant = all.filter((lease) => this.isLive(lease) && isMeant(lease.note))
      return new Set(meant.map(({ owner }) => owner))
    }
    await this.#within(undefined, async (waiting) => {
      let left = await held()
      for (
        let pauseMs = firstPauseMs;
        left.size > 0;
        pauseMs = Math.min(longestPauseMs, pauseMs * 2)
      ) {
        await pause(pauseMs, waiting)
        const still = await held()
        left = new Set([...left].filter((owner) => still.has(owner)))
      }
    })
  }

  /** As LeaseTable.look. */
  look(keys: readonly string[], names: readonly string[]): Promise<LeaseLook> {
    return this.#options.table.look(keys, names)
  }

  /** Whether `heldBelow` has leases of others than `owner`. */
  async isHeldBelow(keys: readonly string[], owner: string): Promise<boolean> {
    return (await this.heldBelow(keys)).some((lease) => lease.owner !== owner)
  }

  /** The leases on keys directly below these whose holders may still be working, or died during their work. */
  async heldBelow(keys: readonly string[]): Promise<LeaseClaim[]> {
    const leases = await this.#options.table.below(keys)
    return leases.filter((lease) => lease.note !== '' || this.isLive(lease))
  }

  /** Whether the lease's holder may still be working. */
  isLive({ owner, untilMs }: LeaseClaim): boolean {
    return !isLeaseFree({ leaseOwner: owner, leaseUntilMs: untilMs }, this.#options.now())
  }

  /** Ends all waits. Leases that are held stay. */
  close(): void {
    this.#closed.abort(new DriveError('unavailable', 'This drive is being closed.'))
  }

  /** Takes the lease. Returns the leases of dead holders instead if they have left notes. */
  async #take(
    keys: readonly string[],
    note: string,
    waiting: AbortSignal,
  ): Promise<KeyLease | readonly KeyedLease[]> {
    let ended: readonly KeyedLease[] = []
    for (let pauseMs = firstPauseMs; ; ) {
      waiting.throwIfAborted()
      const lease = await this.#tryTake(keys, note, ended)
      if (lease !== undefined) return lease
      const { leases } = await this.#options.table.look(keys, [])
      ended = leases.filter((one) => !this.isLive(one))
      if (ended.length === leases.length) {
        const unfinished = ended.filter((one) => one.note !== '')
        if (unfinished.length > 0) return unfinished
        continue
      }
      await pause(pauseMs, waiting)
      pauseMs = Math.min(longestPauseMs, pauseMs * 2)
    }
  }

  /** Undefined if one of the keys is not free. */
  async #tryTake(
    keys: readonly string[],
    note: string,
    ended: readonly KeyedLease[],
  ): Promise<KeyLease | undefined> {
    const { table, now, errors } = this.#options
    const claim = { owner: newLeaseOwner(), untilMs: now() + leaseMs, note }
    if (!(await table.take(keys, claim, ended))) return undefined
    const lease = new KeyLease({ keys, claim, table, now, lostReason: errors.lost })
    if (ended.length === 0 || note === '') return lease
    try {
      // The ended leases kept their notes.
      await lease.setNote(note)
      return lease
    } catch (error) {
      await lease.release()
      throw error
    }
  }

  /** @param ended the leases of one dead holder on the wanted keys */
  async #recover(ended: readonly KeyedLease[], waiting: AbortSignal): Promise<void> {
    const keys = ended.map(({ key }) => key)
    const note = ended[0]?.note ?? ''
    await this.#queue.enter(keys, waiting)
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
    return await work(lease).finally(() => lease.release())
  }

  /** Runs `work` with a signal that aborts, with the error to report, when the wait is over. */
  async #within<R>(
    signal: AbortSignal | undefined,
    work: (waiting: AbortSignal) => Promise<R>,
  ): Promise<R> {
    const { waitMs = defaultWaitMs, errors } = this.#options
    const signals = [this.#closed.signal, ...(signal === undefined ? [] : [signal])]
    return await withDeadline(
      waitMs,
      () => errors.busy(),
      (late) => work(AbortSignal.any([...signals, late])),
    )
  }
}

interface KeyLeaseParts {
  readonly keys: readonly string[]
  readonly claim: LeaseClaim
  readonly table: LeaseTable
  readonly now: () => number
  readonly lostReason: () => unknown
}

/** Keys whose lease this process holds. The lease is renewed until it is released. */
export class KeyLease extends HeldLease {
  readonly #keys: readonly string[]
  readonly #table: LeaseTable
  readonly #bumped = new Set<string>()
  #keepsNote = false

  constructor({ keys, claim, table, now, lostReason }: KeyLeaseParts) {
    const { owner, untilMs } = claim
    super({
      ...{ owner, untilMs, leaseMs, renewEveryMs, safetyMarginMs, now, lostReason },
      renew: (until) => table.renew(keys, { owner, untilMs: until }),
    })
    this.#keys = keys
    this.#table = table
    this.keep()
  }

  /** Aborts when the lease is lost: another process may be writing. */
  get signal(): AbortSignal {
    return this.lost
  }

  /** The release will bump the revisions of these names. */
  bumpRevision(...names: readonly string[]): void {
    for (const name of names) this.#bumped.add(name)
  }

  async setNote(note: string): Promise<void> {
    await this.#table.note(this.#keys, this.owner, note)
  }

  /** Keeps the note, because the outcome is unknown: the next holder calls `recover` with it. */
  leaveNote(): void {
    this.#keepsNote = true
  }

  /**
   * For KeyLeases. Never rejects, because the work is done. While the database does not respond, it retries until the
   * lease has expired: other processes may be waiting.
   */
  async release(attempts = Math.ceil(leaseMs / releaseAgainMs)): Promise<void> {
    this.end()
    const { owner } = this
    const release = { owner, bumped: [...this.#bumped], keepsNote: this.#keepsNote }
    try {
      await this.#table.release(this.#keys, release)
    } catch {
      if (attempts > 1) setTimeout(() => this.release(attempts - 1), releaseAgainMs).unref()
    }
  }
}

const driveErrors: LeaseErrors = {
  busy: () => busy('Too many concurrent writes to one key, or one takes too long. Try again.'),
  lost: () =>
    busy('The lease on this key was lost: the machine or the database was too slow. Try again.'),
}

function busy(message: string): DriveError {
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}

/** @throws the signal's reason */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
  signal.throwIfAborted()
}
