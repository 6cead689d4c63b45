import { type Drive, DriveError, type UploadDrive } from '../drive.ts'
import type { EntryCursor } from '../listed-entry.ts'

export interface UnavailableDriveOptions extends Pick<Drive, 'kind' | 'deletes'> {
  /** For clients: it must not show where the drive is. */
  readonly message: string
}

/** Stands for a drive that is not open: every call rejects with `unavailable`. */
export class UnavailableDrive implements Drive {
  readonly kind: string
  readonly deletes: Drive['deletes']
  readonly uploads: UploadDrive
  readonly #message: string

  constructor({ kind, deletes, message }: UnavailableDriveOptions) {
    this.kind = kind
    this.deletes = deletes
    this.#message = message
    const refuse = () => this.#refuse()
    this.uploads = {
      abilities: () => ({ replaceLast: false, truncate: false }),
      begin: refuse,
      append: refuse,
      replaceLast: refuse,
      complete: refuse,
      isPublished: refuse,
      abort: refuse,
      sweep: refuse,
    }
  }

  prepare(): Promise<void> {
    return this.#refuse()
  }

  addBucket(): Promise<void> {
    return this.#refuse()
  }

  removeBucket(): Promise<never> {
    return this.#refuse()
  }

  check(): Promise<void> {
    return this.#refuse()
  }

  bucketCreatedAtMs(): Promise<never> {
    return this.#refuse()
  }

  list(): EntryCursor {
    return { next: () => this.#refuse(), seek: () => undefined }
  }

  head(): Promise<never> {
    return this.#refuse()
  }

  open(): Promise<never> {
    return this.#refuse()
  }

  draft(): Promise<never> {
    return this.#refuse()
  }

  remove(): Promise<never> {
    return this.#refuse()
  }

  removeFolder(): Promise<never> {
    return this.#refuse()
  }

  async close(): Promise<void> {
    await Promise.resolve()
  }

  async #refuse(): Promise<never> {
    throw new DriveError('unavailable', this.#message)
  }
}
