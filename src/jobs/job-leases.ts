import type { LeaseTable } from '../drives/lease-table.ts'
import { HeldLease } from '../process/held-lease.ts'
import { isLeaseFree, newLeaseOwner } from '../process/lease-owner.ts'
import type { JobName, JobRun } from '../state/stores/jobs.ts'

/** A job whose process does not renew its lease for this long counts as interrupted. */
const leaseMs = 30_000
const defaultRenewMs = 5_000

/** A job that this process holds. */
export type JobLease = Pick<HeldLease, 'owner' | 'isHeld'>

/** One process at a time works on a job. The jobs of a dead process are free at once, or when their lease ends. */
export class JobLeases {
  readonly #table: LeaseTable
  readonly #now: () => number
  readonly #renewEveryMs: number

  /** @param options.now the database's time, milliseconds since the epoch */
  constructor(options: {
    readonly table: LeaseTable
    readonly now: () => number
    readonly renewEveryMs?: number
  }) {
    this.#table = options.table
    this.#now = options.now
    this.#renewEveryMs = options.renewEveryMs ?? defaultRenewMs
  }

  /** Runs `work` while this process has the job's lease. Does nothing if another process has it. */
  async hold(job: JobName, work: (lease: JobLease) => Promise<void>): Promise<void> {
    const held = await this.#take(keyOf(job))
    if (held === undefined) return
    held.keep()
    try {
      await work(held)
    } finally {
      held.end()
      // If the database does not respond, the lease expires.
      await this.release({ ...job, owner: held.owner }).catch(() => undefined)
    }
  }

  /** Those of these jobs whose processes may still be working. */
  async held<Job extends JobName>(jobs: readonly Job[]): Promise<Job[]> {
    const { leases } = await this.#table.look(jobs.map(keyOf), [])
    const live = new Set(leases.filter((lease) => !this.#isFree(lease)).map(({ key }) => key))
    return jobs.filter((job) => live.has(keyOf(job)))
  }

  /** Removes the lease of a run that has ended. */
  release(run: JobRun): Promise<void> {
    return this.#table.release([keyOf(run)], { owner: run.owner, bumped: [], keepsNote: false })
  }

  async #take(key: string): Promise<HeldLease | undefined> {
    const { leases } = await this.#table.look([key], [])
    if (!leases.every((lease) => this.#isFree(lease))) return undefined
    const claim = { owner: newLeaseOwner(), untilMs: this.#now() + leaseMs }
    if (!(await this.#table.take([key], { ...claim, note: '' }, leases))) return undefined
    return new HeldLease({
      ...{ ...claim, leaseMs, renewEveryMs: this.#renewEveryMs, now: this.#now },
      renew: (untilMs) => this.#table.renew([key], { owner: claim.owner, untilMs }),
      lostReason: () => new Error('the lease of the job is lost'),
    })
  }

  #isFree({ owner, untilMs }: { readonly owner: string; readonly untilMs: number }): boolean {
    return isLeaseFree({ leaseOwner: owner, leaseUntilMs: untilMs }, this.#now())
  }
}

function keyOf({ kind, id }: JobName): string {
  return `${kind}/${id}`
}
