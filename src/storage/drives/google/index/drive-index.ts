/**
 * The Google drive's port to the database. The drive has no SQL: the index is injected. It may be
 * lost, because it can be read again from Google Drive. Any method may reject with the database's
 * own error.
 *
 * The index has each file with its folder. The key follows from the folders above it, so a folder
 * that is moved, renamed or trashed takes its content along. A file that is trashed, deleted or
 * moved out of the drive is *hidden*: it stays for a while without a parent, so that an older
 * change does not restore it. Changes have Drive's version of the file, and a change that is older
 * than the index has no effect.
 */
export interface IndexedFile {
  readonly id: string
  /** The folder's id; empty when hidden. */
  readonly parent: string
  /** See `sortNameOf`; empty when hidden. */
  readonly sortName: string
  readonly kind: 'file' | 'folder'
  /** Bytes; 0 for folders. The texts below are '' for folders. */
  readonly size: number
  /** Hex. */
  readonly md5: string
  /** Identifies the bytes (GoogleFile.headRevisionId). */
  readonly revision: string
  readonly mimeType: string
  readonly createdAtMs: number
  readonly modifiedAtMs: number
  /** GoogleFile.version. */
  readonly version: number
  readonly etag: string
  /** JSON of Attributes; empty for a file that a user added. */
  readonly attributes: string
  /** Whether it is a folder that only keys created. */
  readonly isOwn: boolean
}

/** The fields of a file that a listing needs: `attributes` only if they have a storage class. */
export type ListedFile = Pick<
  IndexedFile,
  'id' | 'sortName' | 'kind' | 'size' | 'modifiedAtMs' | 'etag' | 'attributes'
>

export interface ChildrenQuery {
  /** Only sort names from here on. */
  readonly from: string
  /** Whether `from` itself is one of them. */
  readonly isInclusive: boolean
  /** Omits folders that only keys created and that are known to be empty. */
  readonly hidesEmpty: boolean
  readonly limit: number
}

/** Attributes that do not fit in the file's properties. */
export interface KeptAttributes {
  readonly id: string
  /** The MD5 of the bytes that these attributes belong to. */
  readonly md5: string
  readonly json: string
}

/** A write of this drive, saved atomically. */
export interface OwnWrite {
  readonly file: IndexedFile
  readonly kept?: KeptAttributes | undefined
  /** The files that it replaces. */
  readonly hides?: readonly HiddenFile[]
  /** The upload that it came from, and its record as published. */
  readonly upload?: { readonly id: string; readonly json: string } | undefined
}

/** A file that is hidden as of this version. */
export type HiddenFile = Pick<IndexedFile, 'id' | 'version'>

export interface IndexState {
  /** Number of the current or last crawl; 0 before the first. */
  readonly crawl: number
  /** Whether a crawl has finished. */
  readonly isReady: boolean
  /** Where the feed of changes continues. */
  readonly pageToken: string
  /** When the feed was last read to its end, milliseconds since the epoch. */
  readonly polledAtMs: number
}

/** The changes of one page of the feed. */
export interface FeedPage {
  readonly from: string
  readonly to: string
  readonly files: readonly IndexedFile[]
  readonly hidden: readonly HiddenFile[]
  /** On the last page. */
  readonly polledAtMs?: number
}

export interface DriveIndex {
  /**
   * The files or folders at a path of sort names below any of these folders. All names but the last
   * are folders, and the last is of this kind. Unordered, and with all duplicates.
   */
  find(
    parents: readonly string[],
    path: readonly string[],
    kind: IndexedFile['kind'],
  ): Promise<IndexedFile[]>

  /** As `find`. `isSure` if the content of every folder in the index was known at that moment. */
  look(
    parents: readonly string[],
    path: readonly string[],
    kind: IndexedFile['kind'],
  ): Promise<{ readonly files: IndexedFile[]; readonly isSure: boolean }>

  /** The content of these folders by sort name, then the newest first, then by descending id. */
  children(parents: readonly string[], query: ChildrenQuery): Promise<ListedFile[]>

  /** The files with these ids, including hidden ones. */
  getMany(ids: readonly string[]): Promise<IndexedFile[]>

  /** A file may have several, for different bytes. */
  keptAttributes(ids: readonly string[]): Promise<KeptAttributes[]>

  /** Those of other bytes stay until `write` writes the file. */
  keepAttributes(kept: KeptAttributes): Promise<void>

  /**
   * Atomic; false if the folder of `file` is hidden. Always replaces the attributes, unlike a
   * change with the version that the index has.
   */
  write(write: OwnWrite): Promise<boolean>

  /** Changes of single files on Google. */
  save(files: readonly IndexedFile[], hidden: readonly HiddenFile[]): Promise<void>

  /**
   * Hides an empty folder; false if it is not empty. Until `endRemoval`, the only change of it that
   * has an effect is its move to the trash.
   */
  removeEmptyFolder(id: string): Promise<boolean>
  /** Ends the effect of `removeEmptyFolder` on these folders: later changes may restore them. */
  endRemoval(ids: readonly string[]): Promise<void>

  /** Creates the index of this root if needed, and deletes that of another root. */
  open(root: string): Promise<void>
  state(root: string): Promise<IndexState | undefined>

  /** The staging folder's id; undefined if none is recorded. */
  staging(root: string): Promise<string | undefined>
  noteStaging(root: string, id: string): Promise<void>

  /**
   * Begins a crawl, which lists every folder, also those with known content. The feed will continue
   * at `pageToken`.
   */
  beginCrawl(root: string, seen: IndexState, pageToken: string): Promise<boolean>
  /** Folders that must be listed, at most `limit`; those with unknown content first. */
  unlisted(limit: number): Promise<string[]>
  /** Whether the content of any folder is unknown, apart from hidden ones. */
  hasUnlisted(): Promise<boolean>
  /** Those of these folders whose content is unknown, apart from hidden ones. */
  unlistedOf(folders: readonly string[]): Promise<string[]>
  /** Saves what a crawl finds. New folders must be listed. */
  saveListed(files: readonly IndexedFile[], crawl: number): Promise<void>
  /** Files of these folders that this crawl did not see. */
  unseen(folders: readonly string[], crawl: number): Promise<string[]>
  /** Marks these folders as listed, unless another crawl has started since. */
  listed(folders: readonly string[], crawl: number): Promise<void>
  endCrawl(root: string): Promise<void>
  /** Atomic; false if the feed is no longer at `from`. New folders must be listed. */
  advance(root: string, page: FeedPage): Promise<boolean>
  /** Deletes what was hidden before then, and what was below it. */
  tidy(beforeMs: number): Promise<void>
}

/**
 * The order of names in the index: the segment's UTF-8 bytes in hex, which all databases and
 * collations sort the same way. The name of a folder ends in a slash, as the keys below it do:
 * `a-b` comes before `a/…`, and `a0` after (API reference, ListObjectsV2: "UTF-8 binary order").
 */
export function sortNameOf(segment: string, kind: 'file' | 'folder'): string {
  return Buffer.from(kind === 'folder' ? `${segment}/` : segment).toString('hex')
}

/** The segment of a sort name; with a slash for a folder. */
export function textOfSortName(sortName: string): string {
  return Buffer.from(sortName, 'hex').toString()
}
