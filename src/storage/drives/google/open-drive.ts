import type { KeyLeases } from '../kit/key-leases.ts'
import type { UploadRecords } from '../kit/uploads/drive-upload-table.ts'
import type { FreeSpace } from './free-space.ts'
import type { OpenIndex } from './index/open-index.ts'
import type { ObjectLocks } from './objects/locked-key.ts'
import type { BlockDigester } from './uploads/block-digester.ts'
import type { SendMemory } from './uploads/send-memory.ts'
import type { StagingFolder } from './uploads/staging-folder.ts'

/** An open drive, as the functions that read and change its objects take it. */
export interface OpenDrive extends OpenIndex {
  readonly leases: KeyLeases
  readonly locks: ObjectLocks
  readonly staging: StagingFolder
  readonly records: UploadRecords
  readonly memory: SendMemory
  readonly digester: BlockDigester
  readonly space: FreeSpace
  /** What happens to removed objects. */
  readonly deletes: 'trash' | 'permanent'
  /** Finds the buckets' folders, but creates none. */
  readonly isReadOnly: boolean
}
