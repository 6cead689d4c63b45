import { HeldLease } from '../../../platform/process/held-lease.ts'
import {
  isLeaseFree,
  isOwnerDeadHere,
  newLeaseOwner,
} from '../../../platform/process/lease-owner.ts'
import type { Drive, PartDraft } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import type { S3Error } from '../errors.ts'
import { leaseLost, noSuchUpload, unlessGone } from './upload-records.ts'
import type { LeaseColumns, UploadRow, UploadTable } from './upload-table.ts'
import type { KnownRow, UploadWatch } from './upload-watch.ts'

/** A lease that has not been renewed for this long may be taken. */
const leaseMs = 20_000
const renewEveryMs = 5_000
/** No byte is written this close to the end of a lease, because a write takes time to reach the disk. */
const safetyMarginMs = 5_000
/** The suffix of a lease owner's name if it took the upload over from another owner (lease-owner.ts). */
const takingSuffix = '~'

interface LeasesOptions {
  readonly drive: Pick<Drive, 'uploads'>
  readonly table: UploadTable
  readonly watch: UploadWatch
  /**
   * Wall clock, milliseconds since the epoch; roughly the same in all processes that share the
   * database.
   */
  readonly now: () => number
}

/**
 * The right to change an upload's bytes on the drive. It is stored in the upload's row and changed
 * only by conditional statements, so it also excludes other processes and hosts.
 */
export class Leases {
  readonly #options: LeasesOptions

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** Whether the upload's lease may be taken: it is free, or its owner died or stopped renewing. */
  isFree(upload: UploadRow): boolean {
    return isLeaseFree(upload, this.#options.now())
  }

  /** The columns of a lease that begins now. */
  columns(): LeaseColumns {
    return { owner: newLeaseOwner(), untilMs: this.#options.now() + leaseMs }
  }

  /**
   * Takes the lease of the upload as it was seen; undefined when the lease is not free or the upload has changed. If
   * the former holder did not release the lease, the drive first makes sure that the holder can no longer change the
   * bytes.
   */
  async take(upload: UploadRow): Promise<Lease | undefined> {
    if (!this.isFree(upload)) return undefined
    const { owner: own, untilMs } = this.columns()
    const owner = isAbandoned(upload) ? `${own}${takingSuffix}` : own
    if (!(await this.#options.table.takeLease(upload, { owner, untilMs }))) return undefined
    const lease = this.hold({ ...upload, leaseOwner: owner, leaseUntilMs: untilMs })
    if (isAbandoned(upload)) await this.#takeOver(lease, isCertainlyOver(upload.leaseOwner))
    return lease
  }

  async #takeOver(lease: Lease, isDead: boolean): Promise<void> {
    const { drive, table } = this.#options
    const { id, driveState: before } = lease.upload
    try {
      if (drive.uploads.takeOver === undefined) return
      const driveState = await unlessGone(drive.uploads.takeOver(before, { isDead }), before)
      if (driveState === before) return
      lease.assertHeld()
      if (!(await table.setDriveState(id, lease.owner, driveState))) throw leaseLost()
      lease.continueWith(driveState)
    } catch (error) {
      // The lease is not released: the process that takes it after it expires must take over the upload again.
      lease.end()
      throw error
    }
  }

  /** Holds a lease that this process has already written into the row. */
  hold(upload: UploadRow): Lease {
    return new Lease(upload, this.#options)
  }
}

/**
 * Whether it is certain that no process works on the bytes. If the owner died during a takeover, the previous owner may
 * still be alive.
 */
function isCertainlyOver(leaseOwner: string): boolean {
  return isOwnerDeadHere(leaseOwner) && !leaseOwner.endsWith(takingSuffix)
}

/** Whether a process may still be working on the bytes. The bytes of a finished upload no longer matter. */
export function isAbandoned({ leaseOwner, phase }: UploadRow): boolean {
  return leaseOwner !== '' && (phase === 'open' || phase === 'completing')
}

/**
 * A held lease of an upload: it renews itself until `end` or `release`, and is also lost when the upload changes
 * phase (aborted, or completed without the part in progress). The reason for `lost` is the S3Error to answer:
 * SlowDown or NoSuchUpload.
 */
export class Lease extends HeldLease {
  #upload: UploadRow
  readonly #options: LeasesOptions

  constructor(upload: UploadRow, options: LeasesOptions) {
    const { id, phase, leaseOwner: owner, leaseUntilMs } = upload
    let lostReason = leaseLost
    super({
      ...{ owner, untilMs: leaseUntilMs, leaseMs, renewEveryMs, safetyMarginMs, now: options.now },
      renew: async (untilMs) => {
        if (await options.table.renewLease({ id, phase }, { owner, untilMs })) return true
        const reason = await this.#reasonToStop()
        lostReason = () => reason ?? leaseLost()
        return false
      },
      lostReason: () => lostReason(),
    })
    this.#upload = upload
    this.#options = options
    this.keep()
    void this.#watch()
  }

  /** The row as it was when the lease was taken. */
  get upload(): UploadRow {
    return this.#upload
  }

  /** Replaces the state of the upload. */
  continueWith(driveState: string): void {
    this.#upload = { ...this.#upload, driveState }
  }

  /**
   * The error to answer when the drive failed. Without the lease, bytes that the drive cannot find may still exist:
   * another process has taken the upload over and may have moved them.
   */
  reasonOf(error: unknown): unknown {
    return error instanceof DriveError && !this.isHeld ? leaseLost() : error
  }

  /** Releases the lease. Never rejects, because the work is done: if the database fails, the lease expires. */
  async release(): Promise<void> {
    this.end()
    const { table, watch } = this.#options
    await table.releaseLease(this.upload.id, this.owner).catch(() => undefined)
    watch.notify(this.upload.id)
  }

  async #watch(): Promise<void> {
    const signal = this.ended
    while (!signal.aborted) {
      const options = { timeoutMs: leaseMs, signal, isHolder: true }
      const known = await this.#options.watch.wait(this.upload, options)
      if (signal.aborted || !this.#isChanged(known)) continue
      // Without the database, `isHeld` becomes false.
      const reason = await this.#reasonToStop().catch(() => undefined)
      if (reason !== undefined && !signal.aborted) this.lose(reason)
    }
  }

  /** The row may have been read before the lease was taken. */
  #isChanged(known: KnownRow | undefined): boolean {
    if (known === undefined) return false
    const { phase, leaseOwner } = known.upload ?? {}
    return phase !== this.upload.phase || leaseOwner !== this.owner
  }

  async #reasonToStop(): Promise<S3Error | undefined> {
    const { id, phase } = this.upload
    const current = await this.#options.table.find(id)
    if (current === undefined) return noSuchUpload(id)
    if (current.phase === phase) {
      return current.leaseOwner === this.owner ? undefined : leaseLost()
    }
    // Another process has recovered and reopened the upload, so it still exists.
    return current.phase === 'open' ? leaseLost() : noSuchUpload(id)
  }
}

/** A part's draft that takes bytes only while the lease is held. */
export class LeasedDraft implements PartDraft {
  readonly #draft: PartDraft
  readonly #lease: Lease
  #writing: Promise<void> | undefined

  constructor(draft: PartDraft, lease: Lease) {
    this.#draft = draft
    this.#lease = lease
  }

  /** As PartDraft.write. @throws S3Error when the lease is lost. */
  async write(chunk: Uint8Array): Promise<void> {
    await this.#lease.confirm()
    this.#writing = this.#draft.write(chunk)
    await this.#writing
  }

  /** As PartDraft.commit; discards the bytes when the lease is lost. @throws S3Error */
  async commit(): Promise<string> {
    try {
      await this.#lease.confirm()
    } catch (error) {
      await this.discard()
      throw error
    }
    return await this.#draft.commit()
  }

  /** Discards the bytes after the write in progress: a draft takes one call at a time. */
  async discard(): Promise<void> {
    // The result of that write no longer matters.
    await this.#writing?.catch(() => undefined)
    await this.#draft.discard()
  }
}
