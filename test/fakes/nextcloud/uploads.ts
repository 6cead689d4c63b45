import { DavError } from './dav-error.ts'
import { type DavPath, pathKey } from './dav-path.ts'
import type { Content } from './file-tree.ts'
import type { UserFiles } from './user-files.ts'

export interface Chunk {
  /** The name given by the client. */
  readonly name: string
  readonly content: Content
  readonly etag: string
  readonly modifiedAtMs: number
}

/** An upload folder. */
export interface Upload {
  readonly id: string
  /** By number. */
  readonly chunks: Map<number, Chunk>
  /** The Destination of the MKCOL, and the file that was there. */
  readonly target: DavPath
  readonly targetFileId: number | undefined
  /** v2: whether the distributed cache has its record. */
  hasMetadata: boolean
  /** A MOVE is in progress. */
  isAssembling: boolean
}

/**
 * How the server stores chunks. `files`: one file for each, assembled by the MOVE (v1 with the requests
 * of v2, as on most servers). `object store`: parts of a multipart upload to the object store of the
 * user's files, with its minimum part size, and a record in the distributed cache.
 */
export type ChunkStore = 'files' | 'object store'

export interface UploadOptions {
  readonly store: ChunkStore
  /** The minimum size of an object store's parts, except the last. */
  readonly minPartBytes: number
}

/** The upload folders of a user. */
export class Uploads {
  readonly user: UserFiles
  readonly store: ChunkStore
  readonly minPartBytes: number
  readonly #byId = new Map<string, Upload>()
  #later: { requests: number; readonly work: () => Promise<unknown> }[] = []

  constructor(user: UserFiles, { store, minPartBytes }: UploadOptions) {
    this.user = user
    this.store = store
    this.minPartBytes = minPartBytes
  }

  get all(): readonly Upload[] {
    return [...this.#byId.values()]
  }

  get(id: string): Upload {
    const upload = this.#byId.get(id)
    if (upload === undefined) throw new DavError(404, `File with name ${id} could not be located`)
    return upload
  }

  begin(id: string, target: DavPath): void {
    if (this.#byId.has(id)) {
      throw new DavError(405, 'The resource you tried to create already exists')
    }
    const targetFileId = this.user.tree.find(target)?.fileId
    const fresh = { chunks: new Map(), hasMetadata: true, isAssembling: false }
    this.#byId.set(id, { id, target, targetFileId, ...fresh })
  }

  /** Stores a chunk, replacing the one with its number. */
  putChunk({ chunks }: Upload, number: number, chunk: Chunk): void {
    const old = chunks.get(number)
    if (old !== undefined) this.user.forget(old.content)
    chunks.set(number, chunk)
  }

  removeChunk({ chunks }: Upload, number: number): void {
    const chunk = chunks.get(number)
    if (chunk === undefined) throw new DavError(404, 'no such chunk')
    this.user.forget(chunk.content)
    chunks.delete(number)
  }

  remove({ id, chunks }: Upload): void {
    for (const { content } of chunks.values()) this.user.forget(content)
    this.#byId.delete(id)
  }

  /** Runs the work after this many further requests. */
  later(requests: number, work: () => Promise<unknown>): void {
    this.#later.push({ requests, work })
  }

  /** Called before each request. */
  async tick(): Promise<void> {
    const due = this.#later.filter((entry) => entry.requests-- <= 0)
    this.#later = this.#later.filter((entry) => !due.includes(entry))
    for (const { work } of due) await work()
  }

  /** Runs the daily job when every upload is a day old. */
  expire(): void {
    for (const upload of this.all) this.remove(upload)
  }

  /** Empties the distributed cache. */
  loseMetadata(): void {
    for (const upload of this.all) upload.hasMetadata = false
  }

  /**
   * Object store: throws when the upload cannot continue. Its parts belong to the file that was at the
   * target at its start: 412 without the record, 404 or 500 when the target disappeared or appeared.
   */
  checkUsable({ target, targetFileId, hasMetadata }: Upload): void {
    if (this.store === 'files') return
    if (!hasMetadata) throw new DavError(412, 'Missing metadata for chunked upload.')
    const now = this.user.tree.find(target)?.fileId
    if (now === targetFileId) return
    const where = `${pathKey(target)} is another file than when the upload began`
    throw new DavError(now === undefined ? 404 : 500, where)
  }
}
