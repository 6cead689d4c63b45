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
  /** Nobody wants the entries any more. Drives that read many folders for a page stop at the next. */
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
export type ListedAttributes = Pick<Attributes, 'etag' | 'storageClass'>

/** Of all attributes. */
export function listedAttributes({ etag, storageClass }: ListedAttributes): ListedAttributes {
  return storageClass === undefined ? { etag } : { etag, storageClass }
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
   * As `next`, of keys alone, where this is much quicker. Objects among them may have been removed
   * meanwhile, and there are no folders without a delimiter.
   */
  nextKeys?(limit: number): Promise<string[]>
  /** Continues with the first entry whose key is at least `key`. Never moves back. */
  seek(key: string): void
  /**
   * True if there are known to be more entries than `next` has returned; otherwise only `next` tells. If they are
   * removed, or are not shown, `next` may return none.
   */
  readonly hasMore?: boolean
}
