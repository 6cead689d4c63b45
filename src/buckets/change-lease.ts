import { setTimeout as sleep } from 'node:timers/promises'
import { HeldLease } from '../process/held-lease.ts'
import { isLeaseFree, newLeaseOwner } from '../process/lease-owner.ts'
import type { MadeBucketTable } from '../state/stores/made-buckets.ts'
import { BucketError } from './bucket-error.ts'

const leaseMs = 30_000
const renewEveryMs = 5_000
const safetyMarginMs = 2_000
const lookEveryMs = 50
const defaultWaitMs = 15_000

export interface ChangeLeaseOptions {
  readonly table: Pick<MadeBucketTable, 'lease' | 'takeLease' | 'renewLease' | 'releaseLease'>
  /** The database's time. */
  readonly now: () => number
  /** @default 15,000 */
  readonly waitMs?: number
}

/** The right to make and remove buckets, which one process has at a time and uses for one bucket at a time. */
export class ChangeLease {
  readonly #options: ChangeLeaseOptions
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: ChangeLeaseOptions) {
    this.#options = options
  }

  /** Runs `work` when no other does. @throws BucketError `busy` */
  hold<Result>(work: (held: HeldLease) => Promise<Result>): Promise<Result> {
    const result = this.#last.then(() => this.#holdNow(work))
    this.#last = result.catch(() => undefined)
    return result
  }

  async #holdNow<Result>(work: (held: HeldLease) => Promise<Result>): Promise<Result> {
    const held = await this.#take()
    held.keep()
    try {
      return await work(held)
    } finally {
      held.end()
      // If the database does not answer, the lease expires.
      await this.#options.table.releaseLease(held.owner).catch(() => undefined)
    }
  }

  async #take(): Promise<HeldLease> {
    const { table, now, waitMs = defaultWaitMs } = this.#options
    const leaseOwner = newLeaseOwner()
    const beganAt = performance.now()
    for (;;) {
      const seen = await table.lease()
      const leaseUntilMs = now() + leaseMs
      if (isLeaseFree(seen, now()) && (await table.takeLease(seen, { leaseOwner, leaseUntilMs }))) {
        return new HeldLease({
          ...{
            owner: leaseOwner,
            untilMs: leaseUntilMs,
            leaseMs,
            renewEveryMs,
            safetyMarginMs,
            now,
          },
          renew: (untilMs) => table.renewLease(leaseOwner, untilMs),
          lostReason: leaseLost,
        })
      }
      if (performance.now() - beganAt > waitMs) throw busy()
      await sleep(lookEveryMs)
    }
  }
}

function busy(): BucketError {
  return new BucketError('busy', 'Other buckets are being created or removed. Try again.')
}

/** For a step that finds the lease lost: the process was suspended, or the database did not answer. */
export function leaseLost(): BucketError {
  return new BucketError('busy', 'Creating or removing the bucket took too long. Try again.')
}
