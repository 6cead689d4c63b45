import { setImmediate } from 'node:timers/promises'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import {
  isEnabled,
  type Versioning,
  type VersioningOf,
} from '../../../src/storage/drives/versions.ts'

/** Enables and suspends the versions of one bucket, as PutBucketVersioning does. */
export class VersionSwitch {
  readonly #bucket: string
  #versioning: Versioning | undefined

  constructor(bucket: string) {
    this.#bucket = bucket
  }

  /** What the drive under test reads. */
  readonly of: VersioningOf = (name) => (name === this.#bucket ? this.#versioning : undefined)

  /** Enables versions if they are not enabled, and suspends them otherwise. */
  async toggle(drive: Drive): Promise<void> {
    const entries = await drive.list(this.#bucket, { prefix: '', after: '' }).next(1000)
    const writtenAtMs = entries.map((entry) => (entry.kind === 'object' ? entry.modifiedAtMs : 0))
    const lastMs = Math.max(0, ...writtenAtMs, ...(this.#versioning?.changes ?? []))
    // What was written in the same millisecond would count as written afterwards.
    while (Date.now() <= lastMs) await setImmediate()
    const versioning = { changes: [...(this.#versioning?.changes ?? []), Date.now()] }
    await drive.setVersioning?.(this.#bucket, versioning)
    this.#versioning = versioning
  }

  /** Undefined: the bucket never had versions. */
  get isEnabled(): boolean | undefined {
    return this.#versioning && isEnabled(this.#versioning)
  }
}
