import { withDatabaseErrors } from '../cloud/database-errors.ts'
import { Recovery } from '../cloud/recovery.ts'
import {
  type CopyOptions,
  type CopySource,
  type Draft,
  type DraftOptions,
  type Drive,
  DriveError,
  type EntryCursor,
  type ListQuery,
  type ObjectMetadata,
  type ObjectName,
  type OpenObject,
  type OpenOptions,
  type UploadDrive,
  type WriteConditions,
} from '../drive.ts'
import type { ClaimDrive } from '../drive-notes.ts'
import type { KeyLeases } from '../key-leases.ts'
import type { LeaseTable } from '../lease-table.ts'
import type { GoogleApi } from './api/google-api.ts'
import { DriveRoom } from './drive-room.ts'
import { maxFolders } from './google-names.ts'
import { GoogleNotes } from './google-notes.ts'
import { prepareBuckets } from './index/bucket-folders.ts'
import { ChangeApplier } from './index/change-applier.ts'
import type { DriveIndex } from './index/drive-index.ts'
import { FolderListings } from './index/folder-listings.ts'
import { IndexCrawl } from './index/index-crawl.ts'
import { IndexCursor } from './index/index-cursor.ts'
import { IndexSync } from './index/index-sync.ts'
import { factsOf } from './index/indexed-file.ts'
import { MissedFiles } from './index/missed-files.ts'
import { type IndexLog, ObjectIndex } from './index/object-index.ts'
import { ContentRestorer } from './objects/content-restorer.ts'
import { FolderMaker } from './objects/folder-maker.ts'
import { type DraftParts, GoogleDraft } from './objects/google-draft.ts'
import { KeyHolder } from './objects/held-key.ts'
import { InterruptedWork } from './objects/interrupted-work.ts'
import { ObjectCopier } from './objects/object-copier.ts'
import { ObjectReader } from './objects/object-reader.ts'
import { ObjectWriter } from './objects/object-writer.ts'
import { SmallWriter } from './objects/small-writer.ts'
import { findRootFolder, makeRootFolder } from './root-folder.ts'
import { BlockDigester } from './uploads/block-digester.ts'
import { GoogleUploads } from './uploads/google-uploads.ts'
import { SendMemory } from './uploads/send-memory.ts'
import { SessionPublisher } from './uploads/session-publisher.ts'
import { StagingFolder } from './uploads/staging-folder.ts'
import type { UploadRecords } from './uploads/upload-records.ts'

export interface GoogleDriveOptions {
  /** Closed with the drive. */
  readonly api: GoogleApi
  /** The folder that holds the buckets' folders: a path, made where it is absent, or an id. */
  readonly folder: string
  /** The shared drive that `folder` is in, as the API was told. */
  readonly sharedDriveId?: string | undefined
  readonly index: DriveIndex
  readonly records: UploadRecords
  readonly leases: LeaseTable
  /** Seconds between two looks at what was changed by others. */
  readonly pollSeconds: number
  /** Where removed objects go. */
  readonly deletes: 'trash' | 'permanent'
  readonly log: IndexLog
  /** Wall clock, milliseconds since the epoch. */
  readonly now?: () => number
  /** Shared by everything that this drive sends; a separate one when absent. */
  readonly memory?: SendMemory
  readonly claim?: ClaimDrive
}

/** A drive over a folder of Google Drive. Several processes may have it open over one database. */
export interface GoogleDrive extends Drive {
  /** Resolves when what others changed before this call is known. */
  refresh(): Promise<void>
}

/** Health is asked for often; Google this often at most, milliseconds. */
const checkEveryMs = 10_000
const databaseContent = 'the Google Drive index'

/** @throws DriveError, for people, when the folder can't be used. */
export async function openGoogleDrive(options: GoogleDriveOptions): Promise<GoogleDrive> {
  const index = withDatabaseErrors(options.index, databaseContent)
  const records = withDatabaseErrors(options.records, databaseContent)
  const { api, folder, sharedDriveId, now = Date.now } = options
  const recovery = new Recovery({ table: options.leases, now })
  const { leases } = recovery
  const root = { api, leases, folder, sharedDriveId }
  const notes = {
    api,
    findRoot: () => findRootFolder(root),
    makeRoot: () => makeRootFolder(root),
  }
  await options.claim?.(new GoogleNotes(notes))
  const rootId = await makeRootFolder(root)
  await index.open(rootId)
  const buckets = new Set<string>()
  const news = new ChangeApplier({ api, index, rootId, isBucket: (name) => buckets.has(name) })
  recovery.handleWith(new InterruptedWork({ api, index, news, log: options.log }))
  const opened = { ...options, index, records, leases, recovery, rootId, news, buckets, now }
  return new OpenGoogleDrive(opened)
}

interface Opened extends Omit<GoogleDriveOptions, 'leases' | 'now'> {
  readonly leases: KeyLeases
  readonly recovery: Recovery
  readonly rootId: string
  readonly news: ChangeApplier
  /** Those that were prepared. */
  readonly buckets: Set<string>
  readonly now: () => number
}

class OpenGoogleDrive implements GoogleDrive {
  readonly kind = 'gdrive'
  readonly deletes: Drive['deletes']
  readonly uploads: UploadDrive
  readonly #opened: Opened
  readonly #objects: ObjectIndex
  readonly #listings: FolderListings
  readonly #sync: IndexSync
  readonly #writer: ObjectWriter
  readonly #copier: ObjectCopier
  readonly #folders: FolderMaker
  readonly #draftParts: DraftParts
  readonly #digester: BlockDigester
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(opened: Opened) {
    const { pollSeconds, deletes } = opened
    const crawl = new IndexCrawl(opened)
    const listings = new FolderListings({ ...opened, crawl })
    const objects = new ObjectIndex({ ...opened, listings })
    const recover = () => recoverAll(opened.recovery)
    const sync = new IndexSync({ ...opened, crawl, recover, pollMs: pollSeconds * 1000 })
    const missed = new MissedFiles({ ...opened, objects, isFresh: () => sync.isFresh() })
    const parts = { ...opened, objects, missed }
    const folders = new FolderMaker(parts)
    const keys = new KeyHolder(parts)
    const { memory = new SendMemory() } = opened
    const digester = new BlockDigester()
    const restorer = new ContentRestorer({ ...opened, memory })
    const writer = new ObjectWriter({
      ...parts,
      keys,
      folders,
      deletesForGood: deletes === 'permanent',
      isUploadTarget: (fileId) => opened.records.isTarget(fileId),
    })
    const staging = new StagingFolder(opened)
    this.deletes = deletes
    this.#opened = opened
    this.#objects = objects
    this.#listings = listings
    this.#sync = sync
    this.#writer = writer
    this.#folders = folders
    this.#copier = new ObjectCopier({ ...parts, writer, staging })
    const publisher = new SessionPublisher({ ...parts, writer, restorer, staging })
    const small = new SmallWriter({ api: opened.api, writer, restorer })
    const isShared = opened.sharedDriveId !== undefined
    const room = new DriveRoom({ api: opened.api, isShared })
    this.#draftParts = { api: opened.api, small, publisher, memory, room }
    this.#digester = digester
    const uploading = { small, publisher, staging, memory, digester, room }
    this.uploads = new GoogleUploads({ ...parts, ...uploading })
  }

  async prepare(buckets: readonly string[]): Promise<void> {
    for (const bucket of buckets) this.#opened.buckets.add(bucket)
    await prepareBuckets(buckets, { ...this.#opened, objects: this.#objects })
    this.#sync.start()
  }

  async check(): Promise<void> {
    const { api, rootId } = this.#opened
    if (performance.now() < this.#checkedAt + checkEveryMs) return
    const root = await api.getFile(rootId)
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
    return new IndexCursor({ objects: this.#objects }, bucket, query)
  }

  async head(bucket: string, key: string): Promise<ObjectMetadata | undefined> {
    const [file] = await this.#objects.find(bucket, key)
    return file && factsOf(file)
  }

  async open(
    bucket: string,
    key: string,
    { priority }: OpenOptions = {},
  ): Promise<OpenObject | undefined> {
    const [file] = await this.#objects.find(bucket, key)
    return file && new ObjectReader(this.#opened, { name: { bucket, key }, file, priority })
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

  async remove(bucket: string, key: string, conditions?: WriteConditions): Promise<boolean> {
    return await this.#writer.remove({ bucket, key }, conditions)
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

  async refresh(): Promise<void> {
    await this.#sync.refresh()
  }

  async close(): Promise<void> {
    this.#opened.leases.close()
    await this.#listings.close()
    await this.#digester.close()
    await this.#sync.close()
    await this.#opened.api.close()
  }
}

/** @throws DriveError why some interrupted work could not be recovered now. */
async function recoverAll(recovery: Recovery): Promise<void> {
  const [first] = (await recovery.recoverAll()).failures
  if (first !== undefined) throw first
}
