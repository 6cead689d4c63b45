import type { UploadRow, UploadTable } from '../../state/stores/uploads.ts'
import type { Lease, Leases } from './lease.ts'
import { noSuchUpload, slowDown } from './upload-errors.ts'
import { encodeTarget, type UploadName } from './upload-records.ts'
import type { UploadWatch } from './upload-watch.ts'

/** How often a waiting request checks whether the lease holder has died. */
const livenessCheckMs = 1_000

export interface UploadFinderOptions {
  readonly table: UploadTable
  readonly leases: Leases
  readonly watch: UploadWatch
  /** See Completer.recover. */
  readonly recover: (lease: Lease) => Promise<void>
  /** How long `findRecovered` waits for a Complete in progress. */
  readonly waitMs: number
  readonly now: () => number
}

/**
 * Finds uploads as requests name them. An upload whose Complete was interrupted is recovered first
 * (docs/contract/object-storage.md, "Interrupted Complete"): what was published is completed,
 * what was not is open again. The lease decides whether a Complete was interrupted or is running.
 */
export class UploadFinder {
  readonly #options: UploadFinderOptions

  constructor(options: UploadFinderOptions) {
    this.#options = options
  }

  /**
   * The current upload; in `completing` only while a Complete is in progress.
   *
   * @throws S3Error NoSuchUpload. An id counts only together with its bucket and key.
   */
  async find(name: UploadName): Promise<UploadRow> {
    const upload = await this.read(name)
    if (upload.phase !== 'completing' || this.#isAwaited(upload)) return upload
    const lease = await this.#options.leases.take(upload)
    if (lease !== undefined) await this.#options.recover(lease)
    return await this.read(name)
  }

  /**
   * As `find`, in any phase but `completing`.
   *
   * @throws S3Error SlowDown when a Complete is still in progress after the wait.
   */
  async findRecovered(name: UploadName, signal: AbortSignal): Promise<UploadRow> {
    const { watch, now, waitMs } = this.#options
    const deadlineMs = now() + waitMs
    for (;;) {
      const upload = await this.find(name)
      if (upload.phase !== 'completing') return upload
      const leftMs = deadlineMs - now()
      if (leftMs <= 0 || signal.aborted) {
        throw slowDown('The upload is being completed. Send the request again.')
      }
      await watch.wait(upload, { timeoutMs: Math.min(leftMs, livenessCheckMs), signal })
    }
  }

  /** Whether a Complete may wait for the lease, just released by the part that it stopped. */
  #isAwaited({ leaseOwner, touchedAtMs }: UploadRow): boolean {
    return leaseOwner === '' && this.#options.now() < touchedAtMs + this.#options.waitMs
  }

  /** The upload in any phase. @throws S3Error NoSuchUpload. */
  async read(name: UploadName): Promise<UploadRow> {
    const upload = await this.#options.table.find(name.uploadId)
    if (upload?.target !== encodeTarget(name)) throw noSuchUpload(name.uploadId)
    return upload
  }
}
