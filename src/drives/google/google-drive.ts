import type { DriveLog } from '../cloud/drive-log.ts'
import { Recovery } from '../cloud/recovery.ts'
import { withDatabaseErrors } from '../database-errors.ts'
import {
  type CopyOptions,
  type CopySource,
  type Draft,
  type DraftOptions,
  type Drive,
  type DriveAccess,
  DriveError,
  type ObjectMetadata,
  type ObjectName,
  type OpenObject,
  type RemovalConditions,
  type UploadDrive,
} from '../drive.ts'
import type { ClaimDrive } from '../drive-notes.ts'
import type { DriveStatistics } from '../drive-statistics.ts'
import type { LeaseTable } from '../lease-table.ts'
import type { EntryCursor, ListQuery } from '../listed-entry.ts'
import type { OpenOptions } from '../read-options.ts'
import type { GoogleApi } from './api/google-api.ts'
import { DriveRoom } from './drive-room.ts'
import { maxFolders } from './google-names.ts'
import { GoogleNotes } from './google-notes.ts'
import { bucketsLeaseKey, prepareBuckets } from './index/bucket-folders.ts'
import { ChangeApplier } from './index/change-applier.ts'
import type { DriveIndex } from './index/drive-index.ts'
import { FolderListings } from './index/folder-listings.ts'
import { IndexCrawl } from './index/index-crawl.ts'
import { IndexCursor } from './index/index-cursor.ts'
import { IndexSync } from './index/index-sync.ts'
import { indexedMetadata } from './index/indexed-file.ts'
import { MissedFiles } from './index/missed-files.ts'
import { ObjectIndex } from './index/object-index.ts'
import { ContentRestorer } from './objects/content-restorer.ts'
import { GoogleDraft, type GoogleDraftParts } from './objects/google-draft.ts'
import { GoogleFolders } from './objects/google-folders.ts'
import { GoogleReader } from './objects/google-reader.ts'
import { InterruptedWork } from './objects/interrupted-work.ts'
import { ObjectLocks } from './objects/locked-key.ts'
import { ObjectCopier } from './objects/object-copier.ts'
import { ObjectPublisher } from './objects/object-publisher.ts'
import { ObjectWriter } from './objects/object-writer.ts'
import { findRootFolder, makeRootFolder } from './root-folder.ts'
import { BlockDigester } from './uploads/block-digester.ts'
import { GoogleUploads } from './uploads/google-uploads.ts'
import { ObjectSessions } from './uploads/object-sessions.ts'
import { SendMemory } from './uploads/send-memory.ts'
import { StagingFolder } from './uploads/staging-folder.ts'
import type { UploadRecords } from './uploads/upload-records.ts'
import { UploadSessions } from './uploads/upload-sessions.ts'

export interface GoogleDriveOptions {
  /** Closed with the drive. */
  readonly api: GoogleApi
  /** The folder that holds the buckets' folders: a path, created if missing, or an id. */
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
  readonly log: DriveLog
  /** Wall clock, milliseconds since the epoch. */
  readonly now?: () => number
  /** The limit for bytes being sent. Default: one for this drive. */
  readonly memory?: SendMemory
  readonly claim?: ClaimDrive
  /** Creates no folders and recovers nothing. Only reads may be called then. */
  readonly isReadOnly?: boolean
}

/** A drive over a folder of Google Drive. Several processes may have it open over one database. */
export interface GoogleDrive extends Drive {
  /** Resolves when the index has all changes that others made before this call. */
  refresh(): Promise<void>
}

/** The shortest time between checks of Google, milliseconds, because health checks are frequent. */
const checkEveryMs = 10_000
const databaseContent = 'the Google Drive index'

/** @throws DriveError if the folder can't be used. */
export async function openGoogleDrive(options: GoogleDriveOptions): Promise<GoogleDrive> {
  const { api, folder, sharedDriveId, log, now = Date.now } = options
  const index = withDatabaseErrors(options.index, databaseContent)
  const recovery = new Recovery({ table: options.leases, now })
  const { leases } = recovery
  const root = { api, leases, folder, sharedDriveId }
  const notes = {
    api,
    findRoot: () => findRootFolder(root),
    makeRoot: () => makeRootFolder(root),
  }
  await options.claim?.(new GoogleNotes(notes))
  const rootId = options.isReadOnly ? await findRootFolder(root) : await makeRootFolder(root)
  if (rootId === undefined) {
    const message = `The folder ${folder} does not exist on Google Drive, and READ_ONLY has its drive.`
    throw new DriveError('unavailable', message)
  }
  await index.open(rootId)
  const buckets = new Set<string>()
  const applier = new ChangeApplier({ api, index, rootId, isBucket: (name) => buckets.has(name) })
  recovery.handleWith(new InterruptedWork({ api, index, applier, log }))
  return new OpenGoogleDrive(options, { index, recovery, rootId, buckets, applier, now })
}

/** The parts that are opened before the drive. */
interface OpenedFirst {
  readonly index: DriveIndex
  readonly recovery: Recovery
  readonly rootId: string
  /** The names of folders below the root that are buckets or contain them. */
  readonly buckets: Set<string>
  readonly applier: ChangeApplier
  readonly now: () => number
}

class OpenGoogleDrive implements GoogleDrive {
  readonly kind = 'gdrive'
  readonly deletes: Drive['deletes']
  readonly uploads: UploadDrive
  readonly #isReadOnly: boolean
  readonly #api: GoogleApi
  readonly #opened: OpenedFirst
  readonly #objects: ObjectIndex
  readonly #listings: FolderListings
  readonly #sync: IndexSync
  readonly #publisher: ObjectPublisher
  readonly #copier: ObjectCopier
  readonly #folders: GoogleFolders
  readonly #draftParts: GoogleDraftParts
  readonly #digester = new BlockDigester()
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(options: GoogleDriveOptions, opened: OpenedFirst) {
    const { api, pollSeconds, deletes, log, memory = new SendMemory() } = options
    const { index, recovery, rootId, applier, now } = opened
    const { leases } = recovery
    const records = withDatabaseErrors(options.records, databaseContent)
    const crawl = new IndexCrawl({ api, index, applier, log })
    const listings = new FolderListings({ index, crawl, rootId })
    const objects = new ObjectIndex({ index, rootId, listings, log })
    const { isReadOnly = false } = options
    const recover = async () => (isReadOnly ? undefined : await recoverAll(recovery))
    const pollMs = pollSeconds * 1000
    const sync = new IndexSync({ api, index, applier, crawl, rootId, pollMs, log, recover, now })
    const missed = new MissedFiles({ api, objects, applier, isFresh: () => sync.isFresh() })
    const folders = new GoogleFolders({ api, objects, applier, leases, missed })
    const staging = new StagingFolder({ api, index, leases, rootId })
    const locks = new ObjectLocks({ objects, applier, leases, missed })
    const restorer = new ContentRestorer({ api, applier, memory, log })
    const deletesForGood = deletes === 'permanent'
    const isUploadTarget = (fileId: string) => records.isTarget(fileId)
    const disposal = { deletesForGood, isUploadTarget }
    const writer = new ObjectWriter({ api, objects, applier, folders, ...disposal, now, log })
    const lasting = { restorer, folders, staging, records }
    const publisher = new ObjectPublisher({ api, locks, writer, ...lasting, log })
    const sessions = new ObjectSessions({ api, objects, staging })
    const room = new DriveRoom({ api, isShared: options.sharedDriveId !== undefined })
    const digester = this.#digester
    const uploads = new UploadSessions({ api, records, sessions, memory })
    const sending = { api, publisher, sessions, memory, room }
    this.deletes = deletes
    this.uploads = new GoogleUploads({
      ...sending,
      objects,
      applier,
      staging,
      records,
      uploads,
      digester,
      now,
    })
    this.#isReadOnly = isReadOnly
    this.#api = api
    this.#opened = opened
    this.#objects = objects
    this.#listings = listings
    this.#sync = sync
    this.#publisher = publisher
    this.#folders = folders
    this.#copier = new ObjectCopier({ api, objects, publisher, staging })
    this.#draftParts = sending
  }

  async prepare(buckets: readonly string[]): Promise<void> {
    const { applier, recovery } = this.#opened
    for (const bucket of buckets) this.#opened.buckets.add(topFolder(bucket))
    const parts = { api: this.#api, objects: this.#objects, applier, leases: recovery.leases }
    await prepareBuckets(buckets, { ...parts, isReadOnly: this.#isReadOnly })
    this.#sync.start()
  }

  async addBucket(bucket: string): Promise<void> {
    const { applier, recovery } = this.#opened
    this.#opened.buckets.add(topFolder(bucket))
    const parts = { api: this.#api, objects: this.#objects, applier, leases: recovery.leases }
    await prepareBuckets([bucket], parts)
  }

  async removeBucket(bucket: string): Promise<boolean> {
    const { leases } = this.#opened.recovery
    const wasThere = await leases.hold([bucketsLeaseKey], () => this.#folders.removeBucket(bucket))
    // Another bucket may be in the same folder.
    if (topFolder(bucket) === bucket) this.#opened.buckets.delete(bucket)
    return wasThere
  }

  async check(access?: DriveAccess): Promise<void> {
    if (access === 'writes') await this.#draftParts.room.assertSome()
    if (performance.now() < this.#checkedAt + checkEveryMs) return
    const root = await this.#api.getFile(this.#opened.rootId)
    if (root.trashed) {
      const message = `The folder ${root.name} on Google Drive is in the trash: restore it.`
      throw new DriveError('unavailable', message)
    }
    this.#checkedAt = performance.now()
  }

  async bucketCreatedAtMs(bucket: string): Promise<number> {
    const [folder] = await this.#objects.requireBucket(bucket)
    return folder?.createdAtMs ?? 0
  }

  list(bucket: string, query: ListQuery): EntryCursor {
    return new IndexCursor(this.#objects, bucket, query)
  }

  async head(bucket: string, key: string): Promise<ObjectMetadata | undefined> {
    const [file] = await this.#objects.find(bucket, key)
    return file && indexedMetadata(file)
  }

  async open(
    bucket: string,
    key: string,
    { priority }: OpenOptions = {},
  ): Promise<OpenObject | undefined> {
    const [file] = await this.#objects.find(bucket, key)
    if (file === undefined) return undefined
    const { index, applier, recovery } = this.#opened
    const parts = { api: this.#api, index, applier, leases: recovery.leases }
    return new GoogleReader(parts, { name: { bucket, key }, file, priority })
  }

  async draft(bucket: string, key: string, options: DraftOptions): Promise<Draft> {
    return new GoogleDraft(this.#draftParts, { bucket, key }, options)
  }

  async copy(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    return await this.#copier.copy(source, target, options)
  }

  async remove(bucket: string, key: string, conditions?: RemovalConditions): Promise<boolean> {
    return await this.#publisher.remove({ bucket, key }, conditions)
  }

  async removeFolder(bucket: string, key: string): Promise<void> {
    const segments = key.split('/').slice(0, -1)
    if (segments.length > 0 && segments.length <= maxFolders) {
      await this.#objects.complete(bucket, segments)
      await this.#folders.remove(bucket, segments)
    }
  }

  async quota(): Promise<{ freeBytes: number; totalBytes: number }> {
    return await this.#draftParts.room.ask()
  }

  statistics(): DriveStatistics {
    const { queues, retries } = this.#api.statistics()
    return { queues: { ...queues, digests: this.#digester.pending }, retries: { ...retries } }
  }

  async refresh(): Promise<void> {
    await this.#sync.refresh()
  }

  async close(): Promise<void> {
    this.#opened.recovery.leases.close()
    await this.#listings.close()
    await this.#digester.close()
    await this.#sync.close()
    await this.#api.close()
  }
}

/** @throws DriveError why some interrupted work could not be recovered now. */
async function recoverAll(recovery: Recovery): Promise<void> {
  const [first] = (await recovery.recoverAll()).failures
  if (first !== undefined) throw first
}

/** The folder below the root that is a bucket's or leads to it. */
function topFolder(bucket: string): string {
  return bucket.split('/')[0] ?? bucket
}
