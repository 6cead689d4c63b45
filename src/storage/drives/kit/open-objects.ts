import type { Attributes } from '../attributes.ts'
import type { ObjectMetadata, OpenObject, ReadPriority } from '../drive.ts'
import { DriveError } from '../drive-error.ts'
import { Reader } from './cloud/read-limiter.ts'

/** The metadata alone, without what else a drive keeps in the same object. */
export function metadataOf(object: ObjectMetadata): ObjectMetadata {
  const { size, modifiedAtMs, attributes, versionId, isDeleteMarker } = object
  const plain = { size, modifiedAtMs, attributes }
  if (versionId === undefined) return plain
  return { ...plain, versionId, ...(isDeleteMarker && { isDeleteMarker }) }
}

/** A small object that is already in memory, without an open file or request. */
export class CachedObject implements OpenObject {
  readonly size: number
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  readonly versionId?: string
  readonly isDeleteMarker?: true
  readonly content: Uint8Array
  #isClosed = false

  constructor(metadata: ObjectMetadata, content: Uint8Array) {
    this.size = metadata.size
    this.modifiedAtMs = metadata.modifiedAtMs
    this.attributes = metadata.attributes
    if (metadata.versionId !== undefined) this.versionId = metadata.versionId
    if (metadata.isDeleteMarker) this.isDeleteMarker = true
    this.content = content
  }

  async *read(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (end > start && !this.#isClosed) yield this.content.subarray(start, end)
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }
}

/** Ends a read in progress. One error for all, because creating an error takes longer than a small read. */
const closed = new DriveError('changed', 'This object has been closed.')

/** An object open for reading on a cloud drive. Closing it ends the requests of its reads. */
export abstract class CloudObject implements OpenObject {
  readonly size: number
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  /** Undefined for the gateway's own reads, which are never ended because they are slow. */
  protected readonly reader: Reader | undefined
  readonly #ending = new AbortController()

  constructor(metadata: ObjectMetadata, priority: ReadPriority | undefined) {
    this.size = metadata.size
    this.modifiedAtMs = metadata.modifiedAtMs
    this.attributes = metadata.attributes
    const end = (reason: DriveError) => this.#ending.abort(reason)
    this.reader = priority && new Reader({ priority, end })
  }

  abstract read(start: number, end: number): AsyncGenerator<Uint8Array>

  async close(): Promise<void> {
    this.#ending.abort(closed)
  }

  /** Ends the requests of this object. */
  protected get signal(): AbortSignal {
    return this.#ending.signal
  }

  /**
   * Whether the caller has closed the object.
   * @throws DriveError `busy` if the read was ended to make room for another reader
   */
  protected isOver(): boolean {
    const { aborted, reason } = this.signal
    if (aborted && reason !== closed) throw reason
    return aborted
  }
}
