import type { ObjectName, PartDraft, UploadDrive } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import {
  alreadyPublished,
  endingPart,
  lostBytes,
  requireSame,
  requireUploadId,
} from '../../kit/uploads/upload-rules.ts'
import { assertConditions } from '../../write-conditions.ts'
import type { PublishingContext } from '../objects/dav-publisher.ts'
import { type DavObjectPath, davPathOf } from '../objects/object-path.ts'
import { asidePath, nameOfRewritten, requireEntry } from '../objects/own-files.ts'
import { uploadsFolder } from '../own-folder.ts'
import {
  type DavUploadState,
  formatUploadState,
  parseUploadState,
  type UploadBytes,
  uploadPath,
} from './upload-bytes.ts'

/**
 * A Complete may be repeated for 15 minutes (docs/contract/object-storage.md, "Complete"). Its
 * record is kept for longer than that.
 */
const completionLifeMs = 24 * 3_600_000

export interface DavUploadsParts extends PublishingContext {
  readonly bytes: UploadBytes
}

type Calls = Required<UploadDrive>

/**
 * Uploads: bytes are gathered into one file in the drive's own folder, which is then moved into place
 * (docs/paths/complete-on-webdav.md).
 */
export class DavUploads implements UploadDrive {
  readonly #parts: DavUploadsParts

  constructor(parts: DavUploadsParts) {
    this.#parts = parts
  }

  readonly abilities: Calls['abilities'] = () => {
    return { replaceLast: this.#parts.bytes.replaceLast !== undefined, truncate: true }
  }

  readonly begin: Calls['begin'] = async (uploadId, target) => {
    requireUploadId(uploadId)
    // Refuses a key that the server cannot name before its parts are sent.
    this.#pathOf(target)
    return formatUploadState(await this.#parts.bytes.begin(uploadId))
  }

  readonly append: Calls['append'] = async (text, options) => {
    const state = this.#parse(text)
    await this.#reopen(state.id)
    return storedPart(await this.#onDrive(() => this.#parts.bytes.append(state, options)))
  }

  readonly complete: Calls['complete'] = async (text, options) => {
    const state = this.#parse(text)
    const { id } = state
    const { server, records, bytes, publisher, finder } = this.#parts
    const { attributes, conditions, size, assertHeld } = options
    const object = this.#pathOf(options.target)
    const present = await finder.find(object)
    if (present?.record?.uploadId === id) {
      requireSame(present.metadata, options)
      await this.#forgetBytes(state)
      return present.metadata
    }
    if (await this.#hasBecomeObject(id)) return undefined
    assertConditions(object, present?.metadata.attributes.etag, conditions)
    const path = uploadPath(id)
    await records.forgetCompletion(id)
    await this.#onDrive(() => bytes.gather(state, options))
    await server.removeFile(asidePath(path))
    await records.noteCompletion(id)
    const entry = requireEntry(await server.stat(path), 'the upload')
    if (entry.size !== size) throw otherSize()
    const publication = { object, path, entry, attributes, conditions, uploadId: id, assertHeld }
    const metadata = await publisher.publish(publication)
    await this.#forgetBytes(state)
    return metadata
  }

  readonly isPublished: Calls['isPublished'] = async (text) => {
    return await this.#hasBecomeObject(this.#parse(text).id)
  }

  readonly abort: Calls['abort'] = async (text) => {
    const state = this.#parse(text)
    const { id } = state
    await this.#parts.bytes.remove?.(state)
    await this.#parts.server.removeFile(uploadPath(id))
    await this.#parts.server.removeFile(asidePath(uploadPath(id)))
    await this.#parts.records.forgetCompletion(id)
  }

  readonly sweep: Calls['sweep'] = async (isKnown, olderThanMs) => {
    const { server, bytes, records } = this.#parts
    const folder = await server.list(uploadsFolder)
    for (const { name, modifiedAtMs, isFolder } of folder?.children ?? []) {
      const isOld = modifiedAtMs > 0 && modifiedAtMs <= Date.now() - olderThanMs
      if (isFolder || !isOld || (await isKnown(nameOfRewritten(name)))) continue
      await server.removeFile([...uploadsFolder, name])
    }
    await bytes.sweep?.(isKnown, olderThanMs)
    await records.sweepCompletions(Date.now() - completionLifeMs)
  }

  readonly replaceLast: Calls['replaceLast'] = async (text, options) => {
    const state = this.#parse(text)
    const { bytes } = this.#parts
    await this.#reopen(state.id)
    const part = await this.#onDrive(async () => bytes.replaceLast?.(state, options))
    if (part === undefined) throw lostBytes()
    return storedPart(part)
  }

  /** Whether an earlier `complete` moved the bytes into place: there is a note, and the file is gone. */
  async #hasBecomeObject(id: string): Promise<boolean> {
    const { server, records, own } = this.#parts
    if (!(await records.isCompletionNoted(id))) return false
    const path = uploadPath(id)
    if ((await server.stat(path)) !== undefined) return false
    if ((await server.stat(asidePath(path))) !== undefined) return false
    await own.requireThere()
    return true
  }

  /** Runs `work`, and reports `unavailable` if the bytes are missing because the whole drive is. */
  async #onDrive<R>(work: () => Promise<R>): Promise<R> {
    try {
      return await work()
    } catch (error) {
      const isGone = error instanceof DriveError && error.kind === 'upload-gone'
      if (isGone) await this.#parts.own.requireThere()
      throw error
    }
  }

  /**
   * Deletes the note of a `complete` that failed, before the upload takes another part.
   * @throws DriveError `upload-gone` when the bytes were published after all
   */
  async #reopen(id: string): Promise<void> {
    const { records } = this.#parts
    if (!(await records.isCompletionNoted(id))) return
    if (await this.#hasBecomeObject(id)) throw alreadyPublished()
    await records.forgetCompletion(id)
  }

  /** Deletes bytes that only take space now; a sweep deletes them if this fails. */
  async #forgetBytes(state: DavUploadState): Promise<void> {
    await this.#parts.bytes.remove?.(state).catch(() => undefined)
  }

  /** @throws DriveError `upload-gone` for the state of another drive, or of another kind */
  #parse(text: string): DavUploadState {
    const state = parseUploadState(text)
    if (state.kind === this.#parts.bytes.kind) return state
    const message = 'The server stores parts differently than when this upload started.'
    throw new DriveError('upload-gone', `${message} Start a new upload.`)
  }

  #pathOf({ bucket, key }: ObjectName): DavObjectPath {
    return davPathOf(bucket, key, this.#parts.rules)
  }
}

/** The part whose `commit` returns the state as the caller stores it. */
function storedPart(part: PartDraft<DavUploadState>): PartDraft {
  return endingPart({
    write: (chunk) => part.write(chunk),
    commit: async () => formatUploadState(await part.commit()),
    discard: () => part.discard(),
  })
}

/** The server may still be writing an aborted part. The next attempt gathers the right bytes. */
function otherSize(): DriveError {
  return new DriveError('busy', 'The server is still writing to this upload. Try again.')
}
