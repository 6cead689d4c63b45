import type { PartDraft } from '../../drives/drive.ts'
import type { Lease } from './lease.ts'

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
    this.#lease.assertHeld()
    this.#writing = this.#draft.write(chunk)
    await this.#writing
  }

  /** As PartDraft.commit; discards the bytes when the lease is lost. @throws S3Error */
  async commit(): Promise<string> {
    try {
      this.#lease.assertHeld()
    } catch (error) {
      await this.discard()
      throw error
    }
    return await this.#draft.commit()
  }

  /** Discards the bytes after the write in progress: a draft takes one call at a time. */
  async discard(): Promise<void> {
    // The outcome of that write no longer matters.
    await this.#writing?.catch(() => undefined)
    await this.#draft.discard()
  }
}
