import type { VersioningOf } from '../versions.ts'
import type { FolderIndexes } from './folders/folder-indexes.ts'
import type { FolderJournal } from './folders/folder-journal.ts'
import type { FolderSync } from './folders/folder-sync.ts'
import type { LocalRoot } from './local-root.ts'
import type { AttributeCache } from './objects/attribute-cache.ts'
import type { FolderLocks } from './objects/folder-locks.ts'
import type { RelaxedDrive } from './relaxed/relaxed-writes.ts'
import type { SmallWrites } from './small-writes/small-writes.ts'

/** The parts of an open drive, for the functions that read and change its objects. */
export interface OpenDrive {
  readonly root: LocalRoot
  readonly versioningOf: VersioningOf
  readonly locks: FolderLocks
  readonly attributeCache: AttributeCache
  readonly indexes: FolderIndexes
  readonly journal: FolderJournal
  readonly sync: FolderSync
  readonly writes: SmallWrites
  /** Undefined if every write is synced before its reply. */
  readonly relaxed: RelaxedDrive | undefined
}
