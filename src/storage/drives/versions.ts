import type { FolderEntry, ListedAttributes, ListQuery } from './listed-entry.ts'

/**
 * The versions of a bucket's objects
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html). A bucket without this never had versions.
 */
export interface Versioning {
  /** When versions were enabled, suspended, enabled again and so on: milliseconds since the epoch, ascending, never empty. */
  readonly changes: readonly number[]
  /** The time of the last change that has begun, if it is not the last of all. New files must have later times. */
  readonly begunMs?: number
}

/** Returns the versioning of a bucket, under the bucket's name on the drive. Undefined if it never had versions. */
export type VersioningOf = (bucket: string) => Versioning | undefined

/** The ID of an object that was written before versions were enabled, or while they were suspended. */
export const nullVersionId = 'null'

/** Whether a write keeps the version that it replaces, whatever its ID. */
export function isEnabled({ changes }: Versioning): boolean {
  return changes.length % 2 === 1
}

/**
 * Whether an object that was written at this time has the version ID `null`. A write with such a time replaces the version
 * `null`; any other keeps the version that it replaces. A change is known before it begins, but not by all processes: what is
 * written until then has to follow the former state.
 */
export function isNullAt({ changes }: Versioning, timeMs: number): boolean {
  return changes.filter((changedAtMs) => changedAtMs <= timeMs).length % 2 === 0
}

export interface VersionQuery extends ListQuery {
  /** Only versions of the key `after` that are older than this one, then greater keys. Absent: only greater keys. */
  readonly afterVersionId?: string | undefined
}

/** A version of an object, or a delete marker. */
export interface VersionEntry extends ListedAttributes {
  readonly kind: 'object'
  readonly key: string
  readonly versionId: string
  /** Whether it is the newest version. No version of a key is, if its file was removed by other means than the gateway. */
  readonly isLatest: boolean
  readonly isDeleteMarker: boolean
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly modifiedAtMs: number
  /** When the next newer version was written, or a later time, as far as is known: the version has been noncurrent since. */
  readonly replacedAtMs?: number
}

/** As EntryCursor: in the order of keys, and the newest version of a key first. */
export interface VersionCursor {
  next(limit: number): Promise<(VersionEntry | FolderEntry)[]>
  /** Continues with the newest version of the first key that is at least `key`. Never moves back. */
  seek(key: string): void
}

/** The part of a drive that concerns versions. Absent members: no bucket can have them. */
export interface DriveVersions {
  /** Why the bucket can't have versions, for the user; undefined: it can. Absent: it can if there is `listVersions`. */
  versionsRefusal?(bucket: string): string | undefined

  /** Whether a version can have this ID, as far as its form shows. Absent: not known. */
  isVersionId?(bucket: string, versionId: string): boolean

  /**
   * Called before each change of the bucket's versioning is stored. Rejects with `unsupported`, with a message for the
   * user, if the bucket can't change in that way. Absent: nothing is to be done.
   */
  setVersioning?(bucket: string, versioning: Versioning): Promise<void>

  /**
   * Called before Object Lock of the bucket is stored, whose versions are enabled. Rejects with `unsupported`, with a
   * message for the user, if the bucket's versions can't be locked. Absent: nothing is to be done.
   */
  enableLocks?(bucket: string): Promise<void>

  /** The ID of the delete marker that hides an object: of its newest version, if that is one. Present with `listVersions`. */
  hidingMarker?(bucket: string, key: string): Promise<string | undefined>

  /** A cursor over all versions of the bucket's objects. Present if any bucket can have versions. */
  listVersions?(bucket: string, query: VersionQuery): VersionCursor
}

export interface VersionOptions {
  /** The version that is meant. Absent: the newest one. In a bucket without versions, only `null` exists. */
  readonly versionId?: string | undefined
}

/** What a removal did. */
export interface Removal {
  /** The version that was removed, or the delete marker that was created. Absent in a bucket that never had versions. */
  readonly versionId?: string
  /** Whether `versionId` is a delete marker. */
  readonly isDeleteMarker?: true
}

/** The removal of a drive without versions. */
export function plainRemoval(wasThere: boolean): Removal | undefined {
  return wasThere ? {} : undefined
}
