import type { ChecksumAlgorithm } from '../../platform/checksums/checksum.ts'
import type { AttributeChange, Attributes, LockRules, WriterAttributes } from './attributes.ts'
import type { DriveStatistics } from './drive-statistics.ts'
import type { FolderCalls } from './folder-calls.ts'
import type { EntryCursor, ListQuery } from './listed-entry.ts'
import type {
  AppendOptions,
  BeginOptions,
  PartDigest,
  PlacedParts,
  PlaceOptions,
  TakeOverOptions,
  UploadAbilities,
} from './upload-abilities.ts'
import type { DriveVersions, Removal, VersionOptions } from './versions.ts'

/** A value that is in memory, or the promise of one that has to be read. */
type Found<Item> = Item | Promise<Item | undefined>

/**
 * A drive stores objects, as ordinary files if it can. test/contract/drive-contract.ts checks what is required here.
 *
 * A drive has buckets (folders below its root; `a/b` is a folder in a folder, and no bucket is inside another one) and
 * keys (strings of 1 to 1,024 UTF-8 bytes, any characters). Each drive decides how a key becomes a file (key-path.ts),
 * but every legal key works, two keys never share a file, and files that are added by hand are objects immediately.
 *
 * Every method may reject with a DriveError. Any other rejection is a bug.
 */
export interface Drive extends DriveVersions, FolderCalls {
  /** For the log and the status page, as `file`. */
  readonly kind: string

  /** What happens to removed objects. `server`: the server's trash, if it has one. */
  readonly deletes: 'permanent' | 'trash' | 'server'

  /** Whether `trashBucketOf(bucket)` (trash-bucket.ts) is a bucket like others for every method. Absent: no. */
  trashes?(bucket: string): boolean

  /** Whether objects can be read while the database does not respond, with provisional attributes if necessary. */
  readonly readsAlone?: boolean

  /**
   * Whether each process follows what others change, from `prepare` on, in an index: then processes that only read
   * call `prepare` too, and `addBucket` is also called for a bucket that another process made.
   */
  readonly followsChanges?: boolean

  /** Whether a server makes the ETags, instead of the caller; part sizes are then not stored. Absent: no. */
  ownEtags?(bucket: string): boolean

  /** Whether it is on this machine: asking for its space then costs nothing. */
  readonly isLocal?: boolean

  /**
   * Creates missing bucket folders, and completes or undoes the work of dead processes. Called once, before any other
   * method. Processes that only read call it only if the drive `followsChanges`.
   */
  prepare(buckets: readonly string[]): Promise<void>

  /**
   * Creates the bucket's folder if it is missing. For a bucket that is added while the gateway runs:
   * every process that serves it calls this before any other method with the bucket. Resolves if the
   * folder exists already, with whatever is in it. Durable when resolved.
   */
  addBucket(bucket: string): Promise<void>

  /**
   * Removes the bucket's folder if it is empty, in one step: an object that another process writes at the same moment
   * is either published, and the bucket stays, or its write rejects with `no-bucket`. False if there was no folder; nor
   * may a write that began earlier create it again. The bucket may be added again. The caller calls it for one bucket
   * at a time, and not during `addBucket` of the same bucket. Rejects with `not-empty` if the folder has any content,
   * including a folder or file that is not an object, and with `denied` if the drive can't tell or may not remove it.
   */
  removeBucket(bucket: string): Promise<boolean>

  /**
   * Resolves if the drive responds, and rejects with `unavailable` otherwise. With `access`, resolves if objects can be
   * read or written now: for `writes`, a drive creates and removes a small file, or checks the permission and the free
   * space if files are costly.
   */
  check(access?: DriveAccess): Promise<void>

  /** Creation time of the bucket's folder, milliseconds since the epoch. Rejects with `no-bucket` if there is none. */
  bucketCreatedAtMs(bucket: string): Promise<number>

  /** A cursor over the bucket's entries in key order. It reads nothing until `next` is called. */
  list(bucket: string, query: ListQuery): EntryCursor

  /** The object's current metadata; undefined if there is no object. Without a promise if it is in memory, as `open`. */
  head(bucket: string, key: string, options?: HeadOptions): Found<ObjectMetadata>

  /**
   * Opens one version of an object: metadata and bytes belong together even if the key is
   * overwritten meanwhile. A drive that can't keep overwritten bytes ends their reads with
   * `changed`. Undefined if there is no object. The caller must close it. A drive that has the
   * object in memory returns it without a promise, because awaiting takes a large part of the time
   * of a small read.
   */
  open(bucket: string, key: string, options?: OpenOptions): Found<OpenObject>

  /** Starts a new object, which is not visible until `publish`. */
  draft(bucket: string, key: string, options: DraftOptions): Promise<Draft>

  /**
   * Copies an object within the drive, so that the caller does not transfer the bytes. Absent if the drive can't do
   * that. Undefined if the source does not exist or can't be copied that way: then the caller reads and writes it.
   */
  copy?(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined>

  /**
   * Changes attributes of the object in place. Its bytes and ETag stay the same, and its modification time stays within
   * the same millisecond. The attributes belong to the returned version, never to one that is written at the same time.
   * Durable when resolved, and the next read of every process returns them. Undefined if there is no such version.
   * Rejects with `unsupported` if it can't be done for this object, and as `AttributeChange` says. Absent if the drive
   * can't do it.
   */
  setAttributes?(
    bucket: string,
    key: string,
    change: AttributeChange,
    options?: VersionOptions,
  ): Promise<ObjectMetadata | undefined>

  /**
   * Removes the object; undefined if there was none. Also removes folders that only keys created and that are now empty.
   * Durable when resolved. Rejects with `condition` if `conditions` do not hold.
   *
   * In a bucket with versions, the object becomes a former version, and a delete marker is created even if there was no
   * object. With `versionId`, that version is removed permanently, and the next older one is the newest. Rejects with
   * `locked` if its retention or legal hold prevents that (`assertUnlocked`).
   */
  remove(bucket: string, key: string, conditions?: RemovalConditions): Promise<Removal | undefined>

  /**
   * Removes what dead processes have left, while this process and others write. One of the gateways that share the
   * drive calls it at intervals. Absent if `prepare` completes or undoes everything.
   */
  sweep?(): Promise<void>

  /**
   * Removes up to 1,000 objects without conditions. Resolves with the DriveError of each object that could not be
   * removed, and undefined for the others. Undefined as a whole if that is not possible now: the caller then removes
   * the objects one by one. Absent if it takes as many requests as single removals.
   */
  removeAll?(
    bucket: string,
    keys: readonly string[],
  ): Promise<readonly (Error | undefined)[] | undefined>

  /** Multipart uploads. */
  readonly uploads: UploadDrive

  /** Free and total space, of the drive of the bucket if there are several. Absent if the drive does not know it. */
  quota?(bucket?: string): Promise<{ readonly freeBytes: number; readonly totalBytes: number }>

  /** Counts of this process since the drive was opened, for monitoring. */
  statistics?(): DriveStatistics

  /** Stops background work and closes files and connections. */
  close(): Promise<void>
}

export type DriveAccess = 'reads' | 'writes'

export interface ObjectName {
  readonly bucket: string
  readonly key: string
}

export interface ObjectMetadata {
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number
  readonly attributes: Attributes
  /** Absent in a bucket that never had versions. */
  readonly versionId?: string
  /** Only if `versionId` was asked for and is a delete marker. */
  readonly isDeleteMarker?: true
}

export interface HeadOptions extends VersionOptions {
  /**
   * The part whose byte range the caller needs. A drive with `ownEtags` asks its server for it: `partSizes` then has the
   * right number of parts and the size of this part, but of the parts before and after it only the sum.
   */
  readonly partNumber?: number | undefined
  /** The caller accepts provisional attributes and does not store them. */
  readonly acceptsProvisional?: true
}

/** `low`: may use only a part of the concurrent reads, if the drive limits them, and is ended first in favour of others. */
export type ReadPriority = 'normal' | 'low'

/** From `start` (negative: from the end of the object) up to but not including `end` (infinite: to the end). */
export interface WantedBytes {
  readonly start: number
  readonly end: number
}

export interface OpenOptions extends HeadOptions {
  /** What will be read, once, as far as the object has these bytes: a drive on a server may request them immediately. */
  readonly wanted?: WantedBytes | undefined
  /**
   * Set for reads that are sent to a client. Absent for the gateway's own reads, such as for a
   * copy: they count as `normal` and are never ended for being slow.
   */
  readonly priority?: ReadPriority
}

export interface OpenObject extends ObjectMetadata {
  /** All bytes, if the drive already has them in memory. The caller may keep them, and need not close the object. */
  readonly content?: Uint8Array
  /**
   * The bytes from `start` up to but not including `end`, in order, in bounded memory. The receiver
   * may keep a chunk: the drive never writes into it again. The receiver must not write into it
   * either, because the drive may keep the same bytes. Rejects with `changed` if the file is
   * shorter than `size`, because it was edited by hand, and with `busy` if a client reads too
   * slowly while others wait for the drive.
   */
  read(start: number, end: number): AsyncIterable<Uint8Array>
  /**
   * The same bytes as `read` in one piece, for a short range, if the drive can read them without
   * waiting. If undefined, use `read`, which also reports errors.
   */
  readNow?(start: number, end: number): Uint8Array | undefined
  /**
   * Reads the same bytes as `read`, but lends them: `borrow` may use a chunk only until its promise
   * settles, because the memory is then reused. One chunk is lent at a time. Ends and rejects if
   * `borrow` rejects. Present only on drives where allocating a chunk is a large part of the cost.
   */
  lend?(start: number, end: number, borrow: Borrow): Promise<void>
  /** Ends a `read` or `lend` in progress. Idempotent. */
  close(): Promise<void>
}

/** Uses a lent chunk, which must not be used after the promise settles. */
export type Borrow = (chunk: Uint8Array) => Promise<void>

export interface DraftOptions {
  /** The number of bytes, if known: a hint up to 1 MiB. */
  readonly size?: number
  readonly signal?: AbortSignal
  /** What `publish` will get. Absent: no attributes and no conditions. */
  readonly announced?: Announced
}

/** What a server has to know before the first byte. */
export interface Announced {
  readonly attributes: WriterAttributes
  readonly conditions?: WriteConditions | undefined
  /** The algorithm of the checksum that the attributes will have. */
  readonly checksum?: ChecksumAlgorithm | undefined
}

/** An object being written. Exactly one of `publish` and `discard` ends it. */
export interface Draft {
  /**
   * Appends a chunk; one call at a time. The chunk is lent: the draft does not use it after the
   * promise settles, so the caller may reuse its memory.
   */
  write(chunk: Uint8Array): Promise<void>
  /**
   * Makes the bytes the object, with these attributes, in one step for every reader. Durable when
   * resolved. On rejection, the key is unchanged and the draft is discarded. Rejects with
   * `condition` if `conditions` do not hold at that moment: of concurrent writers with
   * `ifNoneMatch` one succeeds. Rejects with `locked` if it would replace a version that has a retention or a legal hold.
   */
  publish(attributes: Attributes, conditions?: WriteConditions): Promise<ObjectMetadata>
  /** Discards the bytes. Never rejects. Has no effect after `publish`. */
  discard(): Promise<void>
}

/** Checked atomically with the write (RFC 9110 section 13; AWS "conditional writes"). */
export interface WriteConditions {
  /** The object must exist and have one of these ETags (no quotes); `*`: any. */
  readonly ifMatch?: readonly string[] | '*'
  /** The object must not exist (`*`), or have none of these ETags. */
  readonly ifNoneMatch?: readonly string[] | '*'
}

export interface RemovalConditions extends WriteConditions, VersionOptions {
  /** For the removal of a version. Absent: a version that has a retention stays. */
  readonly lock?: LockRules
  /** When the object, or the version, must have been modified, as `head` returned it: the same bytes may have been written again. */
  readonly ifModifiedAtMs?: number
  /** Called after the object was checked. If it throws, the object stays: another process may have taken over the work. */
  readonly assertMayGoOn?: () => void
}

export interface CopySource extends ObjectName, VersionOptions {
  /** Copies only the version with this ETag; rejects with `changed` if it no longer exists. */
  readonly etag: string
}

export interface CopyOptions {
  /** The caller removes the source next. The copy keeps its ETag, whatever it is, and may share its bytes until then. */
  readonly isMove?: boolean
  /** The target's attributes. Their ETag is the MD5 of the bytes if the source's ETag is. */
  readonly attributes: Attributes
  readonly conditions?: WriteConditions
  readonly signal?: AbortSignal
}

/**
 * Multipart uploads as appends: parts arrive in order and extend one file (or one resumable
 * session). Between calls, the drive's information about an upload is the opaque string `state`,
 * which the caller stores in the database in the same transaction as the committed part. Bytes of a
 * call whose resulting state was not stored do not count and are overwritten.
 *
 * The caller guarantees one call at a time for each upload (by a lease in the database). After a
 * crash, it may repeat a call with the older state. A call rejects with `upload-gone` if bytes of the
 * state are lost, or the state is that of another drive.
 */
export interface UploadDrive {
  /** The state of an empty upload. `uploadId` is unique, URL-safe, at most 64 characters. */
  begin(uploadId: string, target: ObjectName, options?: BeginOptions): Promise<string>

  /** What can be done with this upload. It depends on the drive that the upload is on. */
  abilities(state: string): UploadAbilities

  /**
   * Called first by a process that takes over an upload from one that did not return it. Returns the state to continue
   * with, which the caller stores before it calls another method. The former process, which may only be suspended, can't
   * change or publish the bytes of that state. Absent if the drive can't ensure that in any state.
   */
  takeOver?(state: string, options: TakeOverOptions): Promise<string>

  /** Starts to append the next part, or several parts, after the committed bytes. */
  append(state: string, options: AppendOptions): Promise<PartDraft>

  /** Starts to replace the last committed part, which begins at `offset`, if `abilities` says `replaceLast`. */
  replaceLast(state: string, options: AppendOptions): Promise<PartDraft>

  /**
   * Starts to write a part of an upload whose `abilities` say `anyOrder`. Its `commit` returns the part's place.
   * The state stays as it is. `upload-gone` may also mean that the upload was taken over since its state was read.
   */
  place?(state: string, options: PlaceOptions): Promise<PartDraft>

  /** Removes the bytes of a place that belongs to no part any more. Slots stay until the upload ends. */
  removePlace?(state: string, place: string): Promise<void>

  /**
   * Makes the first `size` bytes the object, as Draft.publish does. It may be repeated after a
   * crash: if an earlier call with the same state has published the bytes, it resolves with the
   * object's metadata, or with undefined if the object has been overwritten since. In a bucket with versions, it may then
   * resolve with the metadata of the version.
   */
  complete(state: string, options: CompleteOptions): Promise<ObjectMetadata | undefined>

  /** Whether an earlier `complete` with this state has published the bytes. */
  isPublished(state: string): Promise<boolean>

  /** Deletes the upload's bytes. Succeeds if there are none. */
  abort(state: string): Promise<void>

  /** Deletes bytes that are older than `olderThanMs` and of no known upload, as after a crash or the loss of the database. */
  sweep(isKnown: (uploadId: string) => Promise<boolean>, olderThanMs: number): Promise<void>
}

/** A part being written. `commit` or `discard` ends it. */
export interface PartDraft<State = string> {
  /** As Draft.write. */
  write(chunk: Uint8Array): Promise<void>
  /** Makes the bytes durable and returns the upload's new state, which the caller stores. */
  commit(): Promise<State>
  /** Leaves the upload as it was. Never rejects. */
  discard(): Promise<void>
}

export interface CompleteOptions {
  readonly target: ObjectName
  readonly size: number
  readonly attributes: Attributes
  readonly conditions?: WriteConditions
  /**
   * Size and MD5 of the parts as received, in order; together they have `size` bytes. A drive that
   * transfers the bytes only now compares them, and rejects with `unavailable` if they differ.
   */
  readonly parts?: () => Promise<readonly PartDigest[]>
  /** For an upload in any order: its parts. */
  readonly placed?: PlacedParts
  /**
   * The drive calls it immediately before each step that makes the bytes the object, or after which
   * the upload can't continue. It throws if another process may have taken over the upload: then
   * `complete` publishes nothing and rejects with that error.
   */
  readonly assertHeld?: () => void
}
