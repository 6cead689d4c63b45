import { DriveError } from '../drive-error.ts'
import type { KeyLeases } from '../kit/key-leases.ts'
import type { UploadRecords } from '../kit/uploads/drive-upload-table.ts'
import type { GoogleApi } from './api/google-api.ts'
import type { OpenIndex } from './index/object-index.ts'
import type { ObjectLocks } from './objects/locked-key.ts'
import type { BlockDigester } from './uploads/block-digester.ts'
import type { SendMemory } from './uploads/send-memory.ts'
import type { StagingFolder } from './uploads/staging-folder.ts'

/** An open drive, for the functions that read and change its objects. */
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
  /** Whether no folders may be created. */
  readonly isReadOnly: boolean
}

/** Writes of at least this many bytes are refused at their start when there is no space. */
const largeBytes = 8 * 1024 * 1024
const askEveryMs = 30_000

/** The free space of the account. Google reports a full account only at the end of an upload. */
export class FreeSpace {
  readonly #api: Pick<GoogleApi, 'about'>
  readonly #isShared: boolean
  #freeBytes = 0
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param isShared for a shared drive, which is not counted against the account. */
  constructor(api: Pick<GoogleApi, 'about'>, isShared: boolean) {
    this.#api = api
    this.#isShared = isShared
  }

  /** @throws DriveError `full` if a large write does not fit. */
  async assert(bytes: number): Promise<void> {
    if (bytes >= largeBytes) await this.#assertFree(bytes)
  }

  /** @throws DriveError `full` if the account has no free space. */
  async assertSome(): Promise<void> {
    await this.#assertFree(1)
  }

  async #assertFree(bytes: number): Promise<void> {
    if (this.#isShared) return
    const isOld = performance.now() > this.#askedAt + askEveryMs
    // Space may have been freed since the last call.
    if (isOld || bytes > this.#freeBytes) this.#freeBytes = (await this.ask()).freeBytes
    if (bytes <= this.#freeBytes) return
    throw new DriveError('full', `Google Drive has no space for ${bytes} bytes: free some.`)
  }

  async ask(): Promise<{ freeBytes: number; totalBytes: number }> {
    const { limitBytes = Number.MAX_SAFE_INTEGER, usageBytes } = await this.#api.about()
    this.#askedAt = performance.now()
    return { freeBytes: Math.max(0, limitBytes - usageBytes), totalBytes: limitBytes }
  }
}
