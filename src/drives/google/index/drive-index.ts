/**
 * The Google drive's port to the database. The drive knows no SQL: the index is injected. It may be
 * lost, because Google Drive has everything in it. Any method may reject with the database's own
 * error.
 *
 * A file is in the index with the folder it lies in; its key follows from the folders above it, so
 * that a folder that is moved, renamed or put in the trash takes everything below along. A file that
 * is in the trash, deleted or moved out is *hidden*: it stays for a while without a parent, so that
 * an older change does not restore it. Changes of a file have Drive's version of it; a change with an
 * older version than the index has no effect.
 */
export interface IndexedFile {
  readonly id: string
  /** The folder's id; empty when hidden. */
  readonly parent: string
  /** See sort-name.ts; empty when hidden. */
  readonly sortName: string
  readonly kind: 'file' | 'folder'
  /** Bytes; 0 for folders, as what follows is '' for them. */
  readonly size: number
  /** Hex. */
  readonly md5: string
  /** Names the bytes (GoogleFile.headRevisionId). */
  readonly revision: string
  readonly mimeType: string
  readonly createdAtMs: number
  readonly modifiedAtMs: number
  /** GoogleFile.version. */
  readonly version: number
  readonly etag: string
  /** JSON of Attributes; empty for a file that a user added. */
  readonly attributes: string
  /** A folder that only keys needed. */
  readonly isOwn: boolean
}

/** What a listing shows of a file. */
export type ListedFile = Pick<
  IndexedFile,
  'id' | 'sortName' | 'kind' | 'size' | 'modifiedAtMs' | 'etag'
>

export interface ChildrenQuery {
  /** Only sort names from here on. */
  readonly from: string
  /** Whether `from` itself is one of them. */
  readonly isInclusive: boolean
  /** Folders of our own that are known to have nothing in them are left out. */
  readonly hidesEmpty: boolean
  readonly limit: number
}

/** Attributes that do not fit in the file's properties. */
export interface KeptAttributes {
  readonly id: string
  /** Of the bytes that they belong to. */
  readonly md5: string
  readonly json: string
}

/** A write of this drive, saved atomically. */
export interface OwnWrite {
  readonly file: IndexedFile
  readonly kept?: KeptAttributes | undefined
  /** The files that it replaces. */
  readonly hides?: readonly HiddenFile[]
  /** The upload that it came from is published as this JSON. */
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
  readonly owner: string
  readonly untilMs: number
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
   * What lies at the end of a path of sort names below any of these folders; all but the last are
   * folders, and the last is of this kind. In no order; several of one name are all there.
   */
  find(
    parents: readonly string[],
    path: readonly string[],
    kind: IndexedFile['kind'],
  ): Promise<IndexedFile[]>

  /** As `find`; sure when at that moment the content of all folders was known, whatever folders. */
  look(
    parents: readonly string[],
    path: readonly string[],
    kind: IndexedFile['kind'],
  ): Promise<{ readonly files: IndexedFile[]; readonly isSure: boolean }>

  /** The content of these folders, by sort name and then the newest first, ids descending. */
  children(parents: readonly string[], query: ChildrenQuery): Promise<ListedFile[]>

  /** The files with these ids, including hidden ones. */
  getMany(ids: readonly string[]): Promise<IndexedFile[]>

  /** Of one file there may be several, for different bytes. */
  keptAttributes(ids: readonly string[]): Promise<KeptAttributes[]>

  /** Beside those of other bytes; an own write of the file forgets these. */
  keepAttributes(kept: KeptAttributes): Promise<void>

  /**
   * All or nothing; false when the folder of `file` is hidden. Unlike a change
   * with the version that the index has, it always replaces the attributes.
   */
  write(write: OwnWrite): Promise<boolean>

  /** Changes of single files on Google. */
  save(files: readonly IndexedFile[], hidden: readonly HiddenFile[]): Promise<void>

  /**
   * Hides an empty folder; until `endRemoval`, only its move to the trash has an effect. False when
   * the folder is not empty.
   */
  removeEmptyFolder(id: string): Promise<boolean>
  /** Ends the effect of `removeEmptyFolder` on these folders: later changes may restore them. */
  endRemoval(ids: readonly string[]): Promise<void>

  /** Begins an index of this root where there is none; one of another root is forgotten. */
  open(root: string): Promise<void>
  state(root: string): Promise<IndexState | undefined>
  /** Claims the index sync, if the state is still `seen`. */
  claim(
    root: string,
    seen: IndexState,
    claim: Pick<IndexState, 'owner' | 'untilMs'>,
  ): Promise<boolean>

  /** The staging folder; undefined when it was never recorded. */
  staging(root: string): Promise<string | undefined>
  noteStaging(root: string, id: string): Promise<void>

  /**
   * Begins a crawl: every folder is to be listed, those whose content was known again. The feed goes
   * on from `pageToken`.
   */
  beginCrawl(root: string, seen: IndexState, pageToken: string): Promise<boolean>
  /** Folders that are to be listed, at most `limit`; those of unknown content first. */
  unlisted(limit: number): Promise<string[]>
  /** Whether the content of any folder is unknown, hidden ones left out. */
  hasUnlisted(): Promise<boolean>
  /** Those of these folders whose content is unknown, hidden ones left out. */
  unlistedOf(folders: readonly string[]): Promise<string[]>
  /** What a crawl finds; new folders are to be listed. */
  saveListed(files: readonly IndexedFile[], crawl: number): Promise<void>
  /** Files of these folders that this crawl did not see. */
  unseen(folders: readonly string[], crawl: number): Promise<string[]>
  /** These folders are listed, unless another crawl has started since. */
  listed(folders: readonly string[], crawl: number): Promise<void>
  endCrawl(root: string): Promise<void>
  /** All or nothing; false when the feed is no longer at `from`. New folders must be listed. */
  advance(root: string, page: FeedPage): Promise<boolean>
  /** Forgets what has been hidden since before then, and what lay below. */
  tidy(beforeMs: number): Promise<void>
}
