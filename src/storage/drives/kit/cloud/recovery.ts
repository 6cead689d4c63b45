import { DriveError } from '../../drive-error.ts'
import { withDatabaseErrors } from '../drive-database.ts'
import type { LeaseTable } from '../key-lease-table.ts'
import { type KeyLease, KeyLeases } from '../key-leases.ts'

/** The number of leases that are read first; more are read if none of them can be recovered. */
const firstPage = 1_000
/** The remaining work is recovered when the drive is opened again, or when its keys are needed. */
const largestPage = 64_000
/** Leases of a process that has just died have not expired yet. */
const anyTimeMs = Number.MAX_SAFE_INTEGER

/** Interprets the recovery records that a drive's writers leave in their leases. */
export interface RecoveryHandler {
  /** All keys of the lease with this record; empty for records of another kind of drive. */
  leaseKeysOf(record: string): readonly string[]
  /** Completes or undoes the interrupted work; `lease` covers these keys meanwhile. */
  recover(record: string, lease: KeyLease): Promise<void>
}

interface RecoveryOptions {
  readonly table: LeaseTable
  /** Wall clock, milliseconds since the epoch; the same in all processes that share the database. */
  readonly now: () => number
}

/**
 * The leases of a drive's writers, and the recovery of work that was interrupted because its process
 * died or did not learn the outcome. Each lease has a recovery record of that work.
 */
export class Recovery {
  readonly leases: KeyLeases
  readonly #table: LeaseTable
  #handler: RecoveryHandler | undefined

  constructor({ table, now }: RecoveryOptions) {
    this.#table = withDatabaseErrors(table, 'the leases')
    const recover = async (record: string, lease: KeyLease) =>
      await this.#handler?.recover(record, lease)
    this.leases = new KeyLeases({ table: this.#table, now, recover })
  }

  /** The handler is set after the leases exist, because it needs the drive, and opening the drive needs leases. */
  handleWith(handler: RecoveryHandler): void {
    this.#handler = handler
  }

  /**
   * Recovers the work of dead processes, even if its keys are not needed again.
   *
   * @returns the failures, and in `isComplete` whether no interrupted work is left
   */
  async recoverAll(): Promise<{
    readonly isComplete: boolean
    readonly failures: readonly DriveError[]
  }> {
    const tried = new Set<string>()
    const failures: DriveError[] = []
    for (let limit = firstPage; limit <= largestPage; ) {
      const { records, isLastPage } = await this.#interrupted(limit)
      const untried = records.filter((record) => !tried.has(record))
      for (const record of untried) {
        tried.add(record)
        const failure = await this.#tryRecover(record)
        if (failure !== undefined) failures.push(failure)
      }
      if (untried.length > 0) continue
      if (isLastPage) return { isComplete: records.length === 0, failures }
      limit *= 2
    }
    return { isComplete: false, failures }
  }

  async #interrupted(limit: number) {
    const found = await this.#table.endedWithNote(anyTimeMs, limit)
    // All keys of one lease have the same record.
    const dead = found.filter((lease) => !this.leases.isLive(lease)).map(({ note }) => note)
    const records = [...new Set(dead)].filter((record) => this.#leaseKeysOf(record).length > 0)
    return { records, isLastPage: found.length < limit }
  }

  async #tryRecover(record: string): Promise<DriveError | undefined> {
    try {
      await this.leases.recoverEnded(this.#leaseKeysOf(record))
      return undefined
    } catch (error) {
      if (error instanceof DriveError) return error
      throw error
    }
  }

  #leaseKeysOf(record: string): readonly string[] {
    return this.#handler?.leaseKeysOf(record) ?? []
  }
}
