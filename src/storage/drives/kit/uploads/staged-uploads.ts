import type { Drive, OpenObject, PartDraft } from '../../drive.ts'
import type { AppendOptions, UploadAbilities } from '../../upload-abilities.ts'
import { lostBytes } from './upload-rules.ts'

/** A local drive in the staging directory, which collects uploads for another drive. */
export interface StagedUploads {
  readonly drive: Drive
  /** The bucket of completed uploads; their keys are the upload IDs. */
  readonly bucket: string
  isCompleted(uploadId: string): Promise<boolean>
  /** Makes a completed upload open again, so that parts can be appended to it. */
  reopen(uploadId: string): Promise<void>
}

/** Follows an upload's ID in the key of its note. IDs have no dot. */
const noteSuffix = '.note'
const noAttributes = { etag: '', headers: {}, metadata: {} }

/**
 * The bytes of uploads in a staging directory of this machine, until they are written to another drive. All parts
 * of an upload must arrive at the same machine. States are those of the local drive.
 */
export class StagedBytes {
  readonly #staged: StagedUploads
  readonly #local: Drive

  constructor(staged: StagedUploads) {
    this.#staged = staged
    this.#local = staged.drive
  }

  abilities(state: string): UploadAbilities {
    return this.#local.uploads.abilities(state)
  }

  begin(id: string): Promise<string> {
    return this.#local.uploads.begin(id, { bucket: this.#staged.bucket, key: id })
  }

  /** Opens the upload again if `open` has completed it. */
  async append(id: string, state: string, options: AppendOptions): Promise<PartDraft> {
    await this.#reopen(id)
    return await this.#local.uploads.append(state, options)
  }

  /** As `append`. */
  async replaceLast(id: string, state: string, options: AppendOptions): Promise<PartDraft> {
    await this.#reopen(id)
    return await this.#local.uploads.replaceLast(state, options)
  }

  /** Completes the upload in the staging directory, and opens its first `size` bytes. */
  async open(id: string, state: string, size: number): Promise<OpenObject> {
    const target = { bucket: this.#staged.bucket, key: id }
    const options = { target, size, attributes: noAttributes }
    const metadata = await this.#local.uploads.complete(state, options)
    const object = await this.#local.open(target.bucket, id)
    if (metadata !== undefined && object !== undefined) return object
    await object?.close()
    throw lostBytes()
  }

  /** Whether `open` has completed the upload, and its bytes are still there. */
  areThere(id: string): Promise<boolean> {
    return this.#staged.isCompleted(id)
  }

  async remove(id: string, state: string): Promise<void> {
    await this.#local.remove(this.#staged.bucket, id)
    await this.#local.uploads.abort(state)
  }

  /** A short text about the upload, which stays when its bytes are removed. */
  async writeNote(id: string, text: string): Promise<void> {
    const draft = await this.#local.draft(this.#staged.bucket, id + noteSuffix, {})
    try {
      await draft.write(Buffer.from(text))
      await draft.publish(noAttributes)
    } finally {
      await draft.discard()
    }
  }

  async readNote(id: string): Promise<string | undefined> {
    const object = await this.#local.open(this.#staged.bucket, id + noteSuffix)
    if (object === undefined) return undefined
    try {
      const chunks = await Array.fromAsync(object.read(0, object.size))
      return Buffer.concat(chunks).toString()
    } finally {
      await object.close()
    }
  }

  async removeNote(id: string): Promise<void> {
    await this.#local.remove(this.#staged.bucket, id + noteSuffix)
  }

  /** As UploadDrive.sweep, with the notes of uploads. */
  async sweep(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    await this.#local.uploads.sweep(isKnown, olderThanMs)
    const { bucket } = this.#staged
    const cursor = this.#local.list(bucket, { prefix: '', after: '' })
    for (;;) {
      const entries = await cursor.next(100)
      if (entries.length === 0) return
      for (const entry of entries) {
        if (entry.kind !== 'object' || entry.modifiedAtMs > Date.now() - olderThanMs) continue
        const [id = ''] = entry.key.split('.')
        if (!(await isKnown(id))) await this.#local.remove(bucket, entry.key)
      }
    }
  }

  async #reopen(id: string): Promise<void> {
    if (await this.#staged.isCompleted(id)) await this.#staged.reopen(id)
  }
}
