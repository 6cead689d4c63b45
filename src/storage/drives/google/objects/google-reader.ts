import { createHash, type Hash } from 'node:crypto'
import type { ObjectName, ReadPriority } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { CloudObject } from '../../kit/open-objects.ts'
import type { Download } from '../api/download.ts'
import { GoogleNotFound } from '../api/google-failure.ts'
import { refreshFile } from '../index/apply-changes.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import { indexedMetadata } from '../index/indexed-file.ts'
import type { OpenDrive } from '../open-drive.ts'
import { objectLeaseKey } from './recovery-record.ts'

/** The maximum number of interrupted downloads in a row without bytes. */
const maxFruitless = 3

/**
 * One version of an object. A download returns the content that the file has when it begins, to the
 * end, so the index is checked for this version after the download has begun. If the version is no
 * longer current, reads fail with `changed`: of earlier revisions, Google returns only those marked
 * "keep forever". The index is right unless the key is being written, which its lease shows, or a
 * user has edited the file since the last poll. Then the length differs, or the MD5, which only a
 * read of the whole file detects.
 */
export class GoogleReader extends CloudObject {
  readonly #drive: OpenDrive
  readonly #name: ObjectName
  readonly #file: IndexedFile

  constructor(drive: OpenDrive, name: ObjectName, file: IndexedFile, priority?: ReadPriority) {
    super(indexedMetadata(file), priority)
    this.#drive = drive
    this.#name = name
    this.#file = file
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined> {
    const isWhole = start === 0 && end === this.size && this.#file.md5 !== ''
    const digest = isWhole ? createHash('md5') : undefined
    let last: Uint8Array | undefined
    try {
      for await (const chunk of this.#bytes(start, end)) {
        digest?.update(chunk)
        // The last chunk is held back until the MD5 of all bytes is verified.
        if (last !== undefined) {
          this.reader?.gave()
          yield last
          this.reader?.took(last.length)
        }
        last = chunk
      }
      if (!this.#isRight(digest)) throw await this.#changed()
      if (!this.isOver() && last !== undefined) yield last
    } catch (error) {
      if (!this.isOver()) throw error
    }
  }

  async *#bytes(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined> {
    let fruitless = 0
    for (let at = start; at < end && !this.signal.aborted; ) {
      const before = at
      try {
        for await (const chunk of this.#once(at, end)) {
          at += chunk.length
          yield chunk
        }
      } catch (error) {
        fruitless = at > before ? 0 : fruitless + 1
        if (fruitless === maxFruitless || !this.#mayResume(error)) throw error
      }
    }
  }

  async *#once(start: number, end: number): AsyncGenerator<Uint8Array, void, undefined> {
    const { body } = await this.#download(start, end)
    for await (const chunk of body) {
      if (this.signal.aborted) return
      yield chunk
    }
  }

  #mayResume(error: unknown): boolean {
    if (this.signal.aborted) return false
    return error instanceof DriveError && error.kind === 'unavailable'
  }

  async #download(start: number, end: number): Promise<Download> {
    const download = await this.#latest(start, end)
    if (download === undefined) throw await this.#changed()
    return download
  }

  /** Undefined if the file no longer has this version. */
  async #latest(start: number, end: number): Promise<Download | undefined> {
    let download: Download
    try {
      download = await this.#begin(start, end)
    } catch (error) {
      if (error instanceof GoogleNotFound || isChanged(error)) return undefined
      throw error
    }
    try {
      if ((download.size ?? this.size) === this.size && (await this.#isCurrent())) return download
    } catch (error) {
      download.close()
      throw error
    }
    download.close()
    return undefined
  }

  #begin(start: number, end: number): Promise<Download> {
    const isWhole = start === 0 && end === this.size
    return this.#drive.api.download(this.#file.id, {
      signal: this.signal,
      reader: this.reader,
      range: isWhole ? undefined : { start, end },
    })
  }

  /** Whether the file had this version when the download began. */
  async #isCurrent(): Promise<boolean> {
    const { api, index, leases } = this.#drive
    const { id, revision } = this.#file
    // Leases first: a writer that has released its lease has already recorded its version.
    const { leases: writers } = await leases.look([objectLeaseKey(this.#name)], [])
    const [row] = await index.getMany([id])
    if (row?.revision !== revision) return false
    if (writers.length === 0) return true
    const file = await api.getFile(id, { signal: this.signal })
    return file.headRevisionId === revision
  }

  #isRight(digest: Hash | undefined): boolean {
    if (digest === undefined || this.signal.aborted) return true
    return digest.digest('hex') === this.#file.md5
  }

  /** Refreshes the index, so that a retry finds the current version. */
  async #changed(): Promise<DriveError> {
    await refreshFile(this.#drive, this.#file.id)
    const { bucket, key } = this.#name
    const message = `${bucket}/${key} was changed on Google Drive while it was being read. Try again.`
    return new DriveError('changed', message)
  }
}

function isChanged(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'changed'
}
