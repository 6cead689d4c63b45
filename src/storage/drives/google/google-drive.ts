import type { Log } from '../../../platform/process/log.ts'
import type { Drive, UploadDrive } from '../drive.ts'
import { DriveError } from '../drive-error.ts'
import type { ClaimDrive } from '../drive-notes.ts'
import { Recovery } from '../kit/cloud/recovery.ts'
import { withDatabaseErrors } from '../kit/drive-database.ts'
import type { LeaseTable } from '../kit/key-lease-table.ts'
import type { KeyLeases } from '../kit/key-leases.ts'
import type { UploadRecords } from '../kit/uploads/drive-upload-table.ts'
import { plainRemoval } from '../versions.ts'
import type { GoogleApi } from './api/google-api.ts'
import { maxFolders } from './google-names.ts'
import { bucketsLeaseKey, prepareBuckets, topFolder } from './index/bucket-folders.ts'
import type { DriveIndex } from './index/drive-index.ts'
import { IndexCursor } from './index/index-cursor.ts'
import { indexedMetadata } from './index/indexed-file.ts'
import { openIndex } from './index/object-index.ts'
import { googleDraft } from './objects/google-draft.ts'
import { moveFolder } from './objects/google-folder-move.ts'
import { removeBucketFolders, removeFolder } from './objects/google-folders.ts'
import { GoogleReader } from './objects/google-reader.ts'
import { ObjectLocks } from './objects/locked-key.ts'
import { copyObject } from './objects/object-copier.ts'
import { removeObject, setAttributes } from './objects/object-publisher.ts'
import { InterruptedWork } from './objects/recovery-record.ts'
import { FreeSpace, type OpenDrive } from './open-drive.ts'
import { findRootFolder, GoogleNotes, makeRootFolder } from './root-folder.ts'
import { BlockDigester } from './uploads/block-digester.ts'
import { GoogleUploads } from './uploads/google-uploads.ts'
import { SendMemory } from './uploads/send-memory.ts'
import { StagingFolder } from './uploads/staging-folder.ts'

export interface GoogleDriveOptions {
  /** Closed with the drive. */
  readonly api: GoogleApi
  /** The folder that holds the buckets' folders: a path, which is created if missing, or an id. */
  readonly folder: string
  /** The shared drive that `folder` is in. `api` must use the same. */
  readonly sharedDriveId?: string | undefined
  readonly index: DriveIndex
  readonly records: UploadRecords
  readonly leases: LeaseTable
  /** Seconds between two polls of changes made by others. */
  readonly pollSeconds: number
  /** What happens to removed objects. */
  readonly deletes: 'trash' | 'permanent'
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Wall clock, milliseconds since the epoch. */
  readonly now?: () => number
  /** The limit for bytes being sent. Default: one for this drive. */
  readonly memory?: SendMemory
  readonly claim?: ClaimDrive
  /** Whether the drive is only read: it creates no folders and recovers nothing. */
  readonly isReadOnly?: boolean
}

/** The minimum time between checks of Google, milliseconds, because health checks are frequent. */
const checkEveryMs = 10_000
const databaseContent = 'the Google Drive index'

/** @throws DriveError if the folder can't be used. */
export async function openGoogleDrive(options: GoogleDriveOptions): Promise<Drive> {
  return new GoogleDrive(await openParts(options))
}

/** As `openGoogleDrive`, before the drive is made of the parts. */
export async function openParts(options: GoogleDriveOptions): Promise<OpenDrive> {
  const { api, log, now = Date.now, isReadOnly = false, memory = new SendMemory() } = options
  const index = withDatabaseErrors(options.index, databaseContent)
  const records = withDatabaseErrors(options.records, databaseContent)
  const recovery = new Recovery({ table: options.leases, now })
  const { leases } = recovery
  const rootId = await openRoot(options, leases)
  await index.open(rootId)
  const tree = { api, index, rootId, log, buckets: new Set<string>() }
  recovery.handleWith(new InterruptedWork(tree))
  const recover = async () => (isReadOnly ? undefined : await recoverAll(recovery))
  const pollMs = options.pollSeconds * 1000
  const opened = openIndex(tree, { leases, pollMs, recover, now })
  return {
    ...opened,
    leases,
    locks: new ObjectLocks({ ...opened, leases }),
    staging: new StagingFolder({ api, index, leases, rootId }),
    records,
    memory,
    digester: new BlockDigester(),
    space: new FreeSpace(api, options.sharedDriveId !== undefined),
    deletes: options.deletes,
    isReadOnly,
  }
}

/** Claims the drive, and returns the id of the folder that holds the buckets' folders. */
async function openRoot(options: GoogleDriveOptions, leases: KeyLeases): Promise<string> {
  const { api, folder, sharedDriveId } = options
  const root = { api, leases, folder, sharedDriveId }
  await options.claim?.(new GoogleNotes(root))
  const rootId = options.isReadOnly ? await findRootFolder(root) : await makeRootFolder(root)
  if (rootId !== undefined) return rootId
  const message = `The folder ${folder} does not exist on Google Drive, and READ_ONLY has its drive.`
  throw new DriveError('unavailable', message)
}

type Calls = Required<Drive>

/** A drive over a folder of Google Drive. Several processes with one database may open it. */
export class GoogleDrive implements Drive {
  readonly kind = 'gdrive'
  readonly followsChanges = true
  readonly deletes: Drive['deletes']
  readonly uploads: UploadDrive
  readonly #drive: OpenDrive
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(drive: OpenDrive) {
    this.deletes = drive.deletes
    this.uploads = new GoogleUploads(drive)
    this.#drive = drive
  }

  readonly prepare: Calls['prepare'] = async (buckets) => {
    await prepareBuckets(this.#drive, buckets)
    this.#drive.sync.start()
  }

  readonly addBucket: Calls['addBucket'] = async (bucket) => {
    await prepareBuckets(this.#drive, [bucket])
  }

  readonly removeBucket: Calls['removeBucket'] = async (bucket) => {
    const { leases, buckets } = this.#drive
    const work = () => removeBucketFolders(this.#drive, bucket)
    const wasThere = await leases.hold([bucketsLeaseKey], work)
    // Otherwise another bucket may be in the same folder.
    if (topFolder(bucket) === bucket) buckets.delete(bucket)
    return wasThere
  }

  readonly check: Calls['check'] = async (access) => {
    const { api, rootId, space } = this.#drive
    if (access === 'writes') await space.assertSome()
    if (performance.now() < this.#checkedAt + checkEveryMs) return
    const root = await api.getFile(rootId)
    if (root.trashed) {
      const message = `The folder ${root.name} on Google Drive is in the trash: restore it.`
      throw new DriveError('unavailable', message)
    }
    this.#checkedAt = performance.now()
  }

  readonly bucketCreatedAtMs: Calls['bucketCreatedAtMs'] = async (bucket) => {
    const [folder] = await this.#drive.objects.requireBucket(bucket)
    return folder?.createdAtMs ?? 0
  }

  readonly list: Calls['list'] = (bucket, query) => {
    return new IndexCursor(this.#drive.objects, bucket, query)
  }

  readonly head: Calls['head'] = async (bucket, key) => {
    const [file] = await this.#drive.objects.find(bucket, key)
    return file && indexedMetadata(file)
  }

  readonly open: Calls['open'] = async (bucket, key, { priority } = {}) => {
    const [file] = await this.#drive.objects.find(bucket, key)
    return file && new GoogleReader(this.#drive, { bucket, key }, file, priority)
  }

  readonly draft: Calls['draft'] = async (bucket, key, options) => {
    return googleDraft(this.#drive, { bucket, key }, options)
  }

  readonly copy: Calls['copy'] = async (source, target, options) => {
    return await copyObject(this.#drive, source, target, options)
  }

  readonly setAttributes: Calls['setAttributes'] = async (bucket, key, change) => {
    return await setAttributes(this.#drive, { bucket, key }, change)
  }

  readonly remove: Calls['remove'] = async (bucket, key, conditions) => {
    return plainRemoval(await removeObject(this.#drive, { bucket, key }, conditions))
  }

  readonly removeFolder: Calls['removeFolder'] = async (bucket, key) => {
    const segments = key.split('/').slice(0, -1)
    if (segments.length > 0 && segments.length <= maxFolders) {
      await this.#drive.objects.complete(bucket, segments)
      await removeFolder(this.#drive, bucket, segments)
    }
  }

  readonly moveFolder: Calls['moveFolder'] = async (from, to, options) => {
    return await moveFolder(this.#drive, from, to, options)
  }

  readonly quota: Calls['quota'] = async () => {
    return await this.#drive.space.ask()
  }

  readonly statistics: Calls['statistics'] = () => {
    const { api, digester } = this.#drive
    const { queues, retries } = api.statistics()
    return { queues: { ...queues, digests: digester.pending }, retries: { ...retries } }
  }

  readonly close: Calls['close'] = async () => {
    const { leases, listings, digester, sync, api } = this.#drive
    leases.close()
    await listings.close()
    await digester.close()
    await sync.close()
    await api.close()
  }
}

/** @throws DriveError why some interrupted work could not be recovered now. */
async function recoverAll(recovery: Recovery): Promise<void> {
  const [first] = (await recovery.recoverAll()).failures
  if (first !== undefined) throw first
}
