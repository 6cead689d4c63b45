import type { Attributes } from './attributes.ts'

/**
 * A drive: where objects live as ordinary files. This file is the contract that every drive keeps
 * and that test/contract/drive-contract.ts checks; read it before writing one.
 *
 * A drive knows buckets (folders below its root) and keys (strings of 1 to 1,024 UTF-8 bytes, any
 * characters). How a key becomes a file is the drive's affair (key-path.ts); every legal key works,
 * two keys never share a file, and files you add by hand appear as objects immediately.
 *
 * Every method may reject with a DriveError, and with nothing else but bugs.
 */
export interface Drive {
  /** For the log and the status page: `file`, `memory`, `gdrive`, `webdav`. */
  readonly kind: string

  /** Where removed objects go. `server`: a trash if the server has one, else nothing is kept. */
  readonly deletes: 'permanent' | 'trash' | 'server'

  /**
   * Makes the buckets' folders where they are absent, and finishes what ended processes left. Called
   * once, before anything else; not called by a process that only reads, except on Google Drive.
   */
  prepare(buckets: readonly string[]): Promise<void>

  /** Resolves when the drive answers; rejects with `unavailable` and a message for people if not. */
  check(): Promise<void>

  /** Creation time of the bucket's folder, milliseconds since the epoch. */
  bucketCreatedAtMs(bucket: string): Promise<number>

  /** A cursor over the bucket's entries in key order. Costs nothing until read. */
  list(bucket: string, query: ListQuery): EntryCursor

  /** The object's facts as of now, or undefined when there is none. */
  head(bucket: string, key: string): Promise<ObjectMetadata | undefined>

  /**
   * Opens one version of an object: facts and bytes belong together however often the key is
   * overwritten meanwhile; a drive that can't keep what was overwritten ends reads of it with
   * `changed`. Undefined when there is none. The caller must close it. A drive
   * that has the object at hand gives it at once: waiting costs a small read a good part of its time.
   */
  open(
    bucket: string,
    key: string,
    options?: OpenOptions,
  ): OpenObject | Promise<OpenObject | undefined>

  /** Begins a new object. Nothing is visible until `publish`. */
  draft(bucket: string, key: string, options: DraftOptions): Promise<Draft>

  /**
   * Copies an object on the drive itself, without the bytes passing through the caller. Absent
   * where the drive has no such thing; undefined when the source is not there or when this object
   * can't be copied that way (then the caller streams).
   */
  copy?(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined>

  /**
   * Removes the object; false when there was none. Folders that only keys created and that are
   * empty now go with it. Durable when resolved. Rejects with `condition` when `conditions` fail.
   */
  remove(bucket: string, key: string, conditions?: WriteConditions): Promise<boolean>

  /**
   * Removes the folder of a key that ends in `/`, regardless of its creator, if it is empty.
   * Folders above that only keys created and that are now empty are removed with it. A folder that
   * has content, or does not exist, is left as it is. Absent where a folder can't be removed
   * without what is put into it meanwhile.
   */
  removeFolder?(bucket: string, key: string): Promise<void>

  /** Growing uploads, see UploadDrive. */
  readonly uploads: UploadDrive

  /** Free and total bytes where the drive can tell. */
  quota?(): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>

  /** Stops background work and closes what is open. */
  close(): Promise<void>
}

export interface ObjectName {
  readonly bucket: string
  readonly key: string
}

export interface ObjectMetadata {
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number
  readonly attributes: Attributes
}

/**
 * `low`: may have a share of what the drive reads at a time, and gives way to others first. Without
 * effect on drives whose reads do not wait for each other.
 */
export type ReadPriority = 'normal' | 'low'

export interface OpenOptions {
  /**
   * Of a client who is sent the bytes. Absent for the gateway's own reads, such as of a copy: they have
   * the places of `normal`, and are never ended because they take the bytes slowly.
   */
  readonly priority?: ReadPriority
}

export interface OpenObject extends ObjectMetadata {
  /** All the bytes, for the caller to keep, where the drive has them in memory already. */
  readonly content?: Uint8Array
  /**
   * The bytes from `start` up to but not including `end`, in order, in bounded memory. A chunk
   * belongs to its receiver: the drive never writes into it again, so it may be kept and read
   * ahead. The receiver must not write into it either, because a drive may hand out bytes that it
   * keeps. Rejects with `changed` when the file turns out shorter than `size` (it was edited by
   * hand), and with `busy` when a client takes the bytes too slowly while others wait for the
   * drive.
   */
  read(start: number, end: number): AsyncIterable<Uint8Array>
  /**
   * Gives the same bytes as `read`, but lends them: `borrow` may use a chunk only until the promise
   * that it returns is settled, because its memory is then filled with later bytes. One chunk is lent
   * at a time. Rejects as `borrow` does, and then lends nothing more. Present only where the new
   * memory that `read` needs for each chunk is a large part of the cost.
   */
  lend?(start: number, end: number, borrow: Borrow): Promise<void>
  /** Idempotent. Ends an iteration or `lend` in progress. */
  close(): Promise<void>
}

/** Uses a lent chunk. It must not be used after the promise is settled. */
export type Borrow = (chunk: Uint8Array) => Promise<void>

export interface ListQuery {
  /** Only keys that begin with this. */
  readonly prefix: string
  /** Only keys (and folders) greater than this, in UTF-8 byte order. Empty: from the beginning. */
  readonly after: string
  /**
   * `/`: entries are rolled up at the first `/` after the prefix. A folder appears as one entry and
   * is not descended into. A folder made by hand appears even when it is empty. A folder that
   * `after` points inside of (after begins with the folder's key and is longer) appears when it
   * holds a key greater than `after`; one that `after` equals does not.
   */
  readonly delimiter?: '/'
}

export type Entry = ObjectEntry | FolderEntry

export interface ObjectEntry {
  readonly kind: 'object'
  readonly key: string
  readonly size: number
  readonly modifiedAtMs: number
  readonly etag: string
}

export interface FolderEntry {
  readonly kind: 'folder'
  /** Ends in `/`. Only with a delimiter. */
  readonly key: string
}

/**
 * Entries in strict UTF-8 byte order of their keys, no key twice. An object that exists during the
 * whole listing appears; one that is created or deleted meanwhile may.
 */
export interface EntryCursor {
  /**
   * The next entries, at least one and at most `limit`; an empty array at the end, and from then on.
   * When it rejects, entries may be lost: continue with a new cursor after the last key returned.
   */
  next(limit: number): Promise<Entry[]>
  /** Continues with the first entry whose key is at least `key`. Never moves back. */
  seek(key: string): void
}

export interface DraftOptions {
  /** Bytes that will come, where known. A hint: space and small-object paths depend on it. */
  readonly size?: number
  readonly signal?: AbortSignal
}

/** An object being written. Exactly one of `publish` and `discard` ends it. */
export interface Draft {
  /**
   * Appends. One call at a time. The chunk is lent: the draft has copied or written all of it when the
   * promise is settled, and does not use it afterwards, because the caller may fill it again.
   */
  write(chunk: Uint8Array): Promise<void>
  /**
   * Makes the bytes written the object, whole and with its attributes, in one step for every
   * reader, and durable when resolved. On rejection the key is as it was and the draft is gone.
   * Rejects with `condition` when `conditions` do not hold at the moment of publishing: of several
   * racing writers with `ifNoneMatch` one wins.
   */
  publish(attributes: Attributes, conditions?: WriteConditions): Promise<ObjectMetadata>
  /** Discards the bytes. Never rejects. Without effect after publish. */
  discard(): Promise<void>
}

/** Checked atomically with the write (RFC 9110 section 13; AWS "conditional writes"). */
export interface WriteConditions {
  /** The object must exist and have one of these ETags (no quotes); `*`: any. */
  readonly ifMatch?: readonly string[] | '*'
  /** The object must not exist (`*`), or have none of these ETags. */
  readonly ifNoneMatch?: readonly string[] | '*'
}

export interface CopySource extends ObjectName {
  /** Copy only the version with this ETag; `changed` when it is no longer there. */
  readonly etag: string
}

export interface CopyOptions {
  /** The target's attributes; the ETag is the MD5 of the bytes when the source's ETag was one. */
  readonly attributes: Attributes
  readonly conditions?: WriteConditions
  readonly signal?: AbortSignal
}

/**
 * Multipart uploads as appends: parts come in order and grow one file (or one resumable session).
 * The drive keeps no table of its own: what it must know of an upload between calls is the opaque
 * `state` string, which the caller stores in the database together with what was committed. Bytes
 * written by a call whose resulting state was never stored do not count and are written over.
 *
 * The caller guarantees that one call runs at a time for one upload (a lease in the database), but
 * after a crash the same call may come again with the older state.
 */
export interface UploadDrive {
  /** The state of an empty upload. `uploadId` is unique, URL-safe, at most 64 characters. */
  begin(uploadId: string, target: ObjectName): Promise<string>

  /**
   * Memory for parts that come before their turn. Present where several parts in one append are
   * faster than one after the other: a caller reads what comes early, where there is memory for it.
   */
  readonly partMemory?: PartMemory

  /** Starts writing the next part, or several at once, behind the `size` bytes committed so far. */
  append(state: string, options: AppendOptions): Promise<PartDraft>

  /**
   * Starts replacing the bytes of the last committed part. Absent where a drive can't.
   */
  replaceLast?(state: string, options: ReplaceOptions): Promise<PartDraft>

  /** Whether `complete` may be given a size smaller than what was committed. */
  readonly canTruncate: boolean

  /**
   * Makes the first `size` bytes the object, as Draft.publish does. Repeating it after a crash is
   * safe: when the bytes were already published by an earlier call with the same state, it
   * resolves with the published facts or, when the object has been overwritten since, undefined.
   */
  complete(state: string, options: CompleteOptions): Promise<ObjectMetadata | undefined>

  /** Whether an earlier `complete` with this state has published the bytes. */
  isPublished(state: string): Promise<boolean>

  /** Forgets the upload's bytes; nothing there is success. */
  abort(state: string): Promise<void>

  /**
   * Removes bytes of uploads that `isKnown` does not know (the database was lost, or a crash came
   * between the two), if older than `olderThanMs` milliseconds.
   */
  sweep(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void>
}

/** Bytes of parts that one process may hold. */
export interface PartMemory {
  /** Whether this many more bytes may be held; if so, they are counted. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export interface AppendOptions {
  /** Bytes committed so far: where the part begins. */
  readonly offset: number
  /** Bytes that will come, where known. */
  readonly size?: number
  readonly signal?: AbortSignal
}

export interface ReplaceOptions extends AppendOptions {
  /** Size of the part that is replaced; `offset` is where it begins. */
  readonly replacedSize: number
}

/** A part being written. Exactly one of `commit` and `discard` ends it. */
export interface PartDraft {
  /** As Draft.write. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes the bytes durable and returns the upload's new state, for the caller to store. */
  commit(): Promise<string>
  /** The upload is as it was before. Never rejects. */
  discard(): Promise<void>
}

export interface CompleteOptions {
  readonly target: ObjectName
  readonly size: number
  readonly attributes: Attributes
  readonly conditions?: WriteConditions
  /**
   * What was received for the parts, in order; together they have `size` bytes. A drive that sends the
   * bytes on only now compares them, and rejects with `unavailable` when they differ.
   */
  readonly parts?: () => Promise<readonly PartDigest[]>
  /**
   * To be called right before each step that makes the bytes the object, and before one that would
   * keep the upload from going on. Throws when another process may have taken the upload: then `complete` publishes nothing and rejects with that error.
   */
  readonly assertHeld?: () => void
}

/** What a part was when it was received. */
export interface PartDigest {
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly md5: string
}

/** What can go wrong with a drive, as far as callers tell it apart. */
export type DriveErrorKind =
  /** A write condition did not hold: 412. */
  | 'condition'
  /** If-Match on an object that is not there: 404 NoSuchKey. */
  | 'not-found'
  /** The file changed under a reader, or the version asked for is gone. */
  | 'changed'
  /**
   * The bytes of an upload are lost or can't become the object: retries fail, start a new upload.
   */
  | 'upload-gone'
  /** The drive refuses for lack of permission: an operator must act. */
  | 'denied'
  /** No space or quota left: final, not to be retried soon. */
  | 'full'
  /** The drive can't name this key: its file system refuses a character of it. */
  | 'invalid-key'
  /** The drive can't name this key: too long even after escaping. */
  | 'key-too-long'
  /** Rate-limited or contended: retry later. */
  | 'busy'
  /** The drive does not answer: I/O error, not mounted, network down. */
  | 'unavailable'

export class DriveError extends Error {
  readonly kind: DriveErrorKind
  /** Seconds after which a retry makes sense, where the drive says so. */
  readonly retryAfterSeconds: number | undefined

  /** @param message for people: names the thing, what was expected, and what to do. */
  constructor(
    kind: DriveErrorKind,
    message: string,
    options: ErrorOptions & { readonly retryAfterSeconds?: number } = {},
  ) {
    super(message, options)
    this.name = 'DriveError'
    this.kind = kind
    this.retryAfterSeconds = options.retryAfterSeconds
  }
}
