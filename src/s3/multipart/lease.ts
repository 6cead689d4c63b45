import { randomBytes } from 'node:crypto'
import { livenessOf, thisProcess } from '../../process/identity.ts'
import type { UploadRow, UploadTable } from '../../state/stores/uploads.ts'
import type { S3Error } from '../errors.ts'
import { leaseLost, noSuchUpload } from './upload-errors.ts'
import type { UploadWatch } from './upload-watch.ts'

/** A lease that is not renewed for this long may be taken. */
const leaseMs = 20_000
const renewEveryMs = 5_000
/** No byte is written this close to the end: a write takes time to reach the disk. */
const safetyMarginMs = 5_000

export interface LeasesOptions {
  readonly table: UploadTable
  readonly watch: UploadWatch
  /** Wall clock, milliseconds since the epoch; of all processes that share a database, roughly. */
  readonly now: () => number
}

/**
 * The right to touch an upload's bytes on the drive. It is a column of the upload's row: taken,
 * renewed and used up by conditional statements, so that it holds between processes and hosts.
 */
export class Leases {
  readonly #options: LeasesOptions

  constructor(options: LeasesOptions) {
    this.#options = options
  }

  /** Whether the upload's lease may be taken: it is free, or its owner died or stopped renewing. */
  isFree(upload: UploadRow): boolean {
    if (upload.leaseOwner === '') return true
    return (
      upload.leaseUntilMs <= this.#options.now() ||
      livenessOf(upload.leaseOwner.slice(0, upload.leaseOwner.lastIndexOf(' '))) === 'dead'
    )
  }

  /** The columns of a lease that begins now. */
  columns(): { readonly owner: string; readonly untilMs: number } {
    const owner = `${thisProcess} ${randomBytes(9).toString('base64url')}`
    return { owner, untilMs: this.#options.now() + leaseMs }
  }

  /** Takes the lease of the upload as it was seen; undefined when it is not free or has changed. */
  async take(upload: UploadRow): Promise<Lease | undefined> {
    if (!this.isFree(upload)) return undefined
    const { owner, untilMs } = this.columns()
    const isTaken = await this.#options.table.takeLease(upload, { owner, untilMs })
    return isTaken ? this.hold({ ...upload, leaseOwner: owner, leaseUntilMs: untilMs }) : undefined
  }

  /** Holds a lease that this process has already written into the row. */
  hold(upload: UploadRow): Lease {
    return new Lease(upload, this.#options)
  }
}

/**
 * A lease that is held: it renews itself until `end` or `release`, and notices when it is lost or
 * when the upload changes phase (aborted, or completed without the part in progress).
 */
export class Lease {
  /** The row as it was when the lease was taken. */
  readonly upload: UploadRow
  readonly #options: LeasesOptions
  readonly #ended = new AbortController()
  readonly #lost = new AbortController()
  #untilMs: number

  constructor(upload: UploadRow, options: LeasesOptions) {
    this.upload = upload
    this.#options = options
    this.#untilMs = upload.leaseUntilMs
    void this.#keep()
  }

  get owner(): string {
    return this.upload.leaseOwner
  }

  /** Aborts when the lease is lost, with the S3Error to answer as its reason. */
  get lost(): AbortSignal {
    return this.#lost.signal
  }

  /**
   * Whether no other process can have taken the lease. A process that was suspended notices here,
   * before its heartbeat has had a chance to.
   */
  get isHeld(): boolean {
    if (this.#lost.signal.aborted) return false
    return this.#options.now() <= this.#untilMs - safetyMarginMs
  }

  /**
   * To be called before each touch of the upload's bytes.
   *
   * @throws S3Error SlowDown or NoSuchUpload when the lease is lost.
   */
  assertHeld(): void {
    if (this.isHeld) return
    this.#lose(leaseLost())
    this.#lost.signal.throwIfAborted()
  }

  /** Rejects with the reason as soon as the lease is lost; else settles as `work` does. */
  during<T>(work: Promise<T>): Promise<T> {
    const { signal } = this.#lost
    return new Promise((resolve, reject) => {
      const onLost = () => reject(signal.reason)
      if (signal.aborted) onLost()
      signal.addEventListener('abort', onLost, { once: true })
      work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onLost))
    })
  }

  /** Stops renewing. For a lease that a statement has released, or is about to. */
  end(): void {
    this.#ended.abort()
  }

  /** Releases the lease. If the database fails, it expires. */
  async release(): Promise<void> {
    this.end()
    const { table, watch } = this.#options
    await table.releaseLease(this.upload.id, this.owner)
    watch.notify(this.upload.id)
  }

  #lose(reason: S3Error): void {
    this.end()
    this.#lost.abort(reason)
  }

  async #keep(): Promise<void> {
    const { table, watch, now } = this.#options
    let renewAtMs = now() + renewEveryMs
    while (!this.#ended.signal.aborted) {
      const timeoutMs = Math.max(1, renewAtMs - now())
      await watch.wait(this.upload, { timeoutMs, signal: this.#ended.signal })
      if (this.#ended.signal.aborted) return
      try {
        const reason = await this.#reasonToStop()
        if (this.#ended.signal.aborted) return
        if (reason !== undefined) return this.#lose(reason)
        if (now() < renewAtMs) continue
        const untilMs = now() + leaseMs
        if (await table.renewLease(this.upload.id, { owner: this.owner, untilMs })) {
          this.#untilMs = untilMs
        }
      } catch {
        // The database may recover before the lease ends; if not, assertHeld stops the work.
      }
      renewAtMs = now() + renewEveryMs
    }
  }

  async #reasonToStop(): Promise<S3Error | undefined> {
    const { id, phase } = this.upload
    const current = await this.#options.table.find(id)
    if (current === undefined) return noSuchUpload(id)
    if (current.phase === phase) {
      return current.leaseOwner === this.owner ? undefined : leaseLost()
    }
    // Another process has settled the upload and reopened it: it still exists.
    return current.phase === 'open' ? leaseLost() : noSuchUpload(id)
  }
}
