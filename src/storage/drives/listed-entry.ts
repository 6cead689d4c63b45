import { fileTimeOf } from '../../platform/text/file-time.ts'
import type { Attributes } from './attributes.ts'

export interface ListQuery {
  /** Only keys that begin with this. */
  readonly prefix: string
  /** Only keys (and folders) greater than this, in UTF-8 byte order. Empty: from the beginning. */
  readonly after: string
  /**
   * `/`: keys are rolled up at the first `/` after the prefix. A folder is one entry, and its
   * content is not listed. A folder that was created by hand appears even if it is empty. If
   * `after` is inside a folder (begins with its key and is longer), the folder appears if it has a
   * key greater than `after`. A folder whose key equals `after` does not appear.
   */
  readonly delimiter?: '/'
  /** Aborts when nobody needs the entries any more. Drives that read many folders for a page then stop at the next one. */
  readonly signal?: AbortSignal
}

export type Entry = ObjectEntry | FolderEntry

export interface ObjectEntry extends ListedAttributes {
  readonly kind: 'object'
  readonly key: string
  readonly size: number
  readonly modifiedAtMs: number
}

/** The attributes that listings have. */
export interface ListedAttributes extends Pick<Attributes, 'etag' | 'storageClass'> {
  /**
   * The modification time of the uploaded file, from its metadata, in milliseconds since the epoch. Absent if there is none, or
   * the drive cannot read metadata with a listing.
   */
  readonly fileTimeMs?: number
}

/** Picks them from all attributes. */
export function listedAttributes(
  attributes: ListedAttributes & Partial<Pick<Attributes, 'metadata'>>,
): ListedAttributes {
  const { etag, storageClass, metadata } = attributes
  const fileTimeMs = metadata === undefined ? attributes.fileTimeMs : fileTimeOf(metadata)
  return {
    etag,
    ...(storageClass !== undefined && { storageClass }),
    ...(fileTimeMs !== undefined && { fileTimeMs }),
  }
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
   * The next entries: at least one and at most `limit`, or an empty array at the end. After a
   * rejection, entries may be skipped: continue with a new cursor after the last key returned.
   */
  next(limit: number): Promise<Entry[]>
  /**
   * As `next`, with keys alone. Present if it is much faster. Some of the objects may have been removed meanwhile, and
   * without a delimiter there are no folders.
   */
  nextKeys?(limit: number): Promise<string[]>
  /** Continues with the first entry whose key is at least `key`. Never moves back. */
  seek(key: string): void
  /**
   * True if the cursor knows of more entries than `next` has returned; otherwise only `next` can tell. `next` may still
   * return none, if those entries have been removed or are not shown.
   */
  readonly hasMore?: boolean
}
