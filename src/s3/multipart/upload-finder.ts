import type { UploadRow } from '../../state/stores/uploads.ts'
import type { Completer } from './completer.ts'
import type { UploadContext } from './upload-context.ts'
import { slowDown } from './upload-errors.ts'
import { findUpload, type UploadName } from './upload-records.ts'
import { livenessCheckMs } from './upload-watch.ts'

/**
 * Finds uploads as requests name them. If a Complete was interrupted, the upload is recovered first
 * (docs/contract/object-storage.md, "Interrupted Complete"): a published upload becomes
 * `completed`, an unpublished one `open`. The lease shows whether a Complete was interrupted or is
 * still running.
 */
export class UploadFinder {
  readonly #context: UploadContext
  readonly #completer: Completer

  constructor(context: UploadContext, completer: Completer) {
    this.#context = context
    this.#completer = completer
  }

  /**
   * The current upload; in `completing` only while a Complete is in progress.
   *
   * @throws S3Error NoSuchUpload.
   */
  async find(name: UploadName): Promise<UploadRow> {
    const { table, leases } = this.#context
    const upload = await findUpload(table, name)
    if (upload.phase !== 'completing' || this.#isAwaited(upload)) return upload
    const lease = await leases.take(upload)
    if (lease !== undefined) await this.#completer.recover(lease)
    return await findUpload(table, name)
  }

  /**
   * As `find`, in any phase but `completing`. Waits `partWaitMs` for a Complete in progress.
   *
   * @throws S3Error SlowDown when a Complete is still in progress after the wait.
   */
  async findRecovered(name: UploadName, signal: AbortSignal): Promise<UploadRow> {
    const { watch, now, partWaitMs } = this.#context
    const deadlineMs = now() + partWaitMs
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
    return leaseOwner === '' && this.#context.now() < touchedAtMs + this.#context.partWaitMs
  }
}
