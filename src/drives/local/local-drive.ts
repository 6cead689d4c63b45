import fs from 'node:fs'
import { forEachLimited } from '../../process/limiter.ts'
import { canCopy } from '../copy-source.ts'
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
import { endingDraft } from '../ending-draft.ts'
import type { EntryCursor, ListQuery } from '../listed-entry.ts'
import type { HeadOptions, OpenOptions } from '../read-options.ts'
import { checkReads, checkWrites } from './check-access.ts'
import { BucketFolders } from './folders/bucket-folders.ts'
import { FolderIndexes } from './folders/folder-indexes.ts'
import { FolderJournal, type JournalNote } from './folders/folder-journal.ts'
import { LocalFolderMaker } from './folders/folder-maker.ts'
import { FolderSync } from './folders/folder-sync.ts'
import { ListedFiles } from './folders/listed-files.ts'
import { openLocalCursor, type TreeParts } from './folders/local-tree.ts'
import { withDriveErrors } from './fs-error.ts'
import { sweepLeftovers } from './leftovers.ts'
import { LocalNotes } from './local-notes.ts'
import {
  bucketPath,
  type LocalRoot,
  openLocalRoot,
  openReadOnlyRoot,
  realFolderPath,
  requireOwnFolder,
} from './local-root.ts'
import { localPathOf } from './object-path.ts'
import { AttributeCache, type AttributeLog } from './objects/attribute-cache.ts'
import { copyToTemp } from './objects/copy-file.ts'
import { LocalDraft } from './objects/draft.ts'
import type { FileRecords } from './objects/file-records.ts'
import { KeyLocks } from './objects/key-locks.ts'
import { ObjectFiles } from './objects/object-files.ts'
import { Publisher } from './objects/publisher.ts'
import { SeenFileCache } from './objects/seen-file-cache.ts'
import { TouchedFiles } from './objects/touched-files.ts'
import type { Finding } from './probe/findings.ts'
import { probeFolder } from './probe/probe-folder.ts'
import { RecordSweep } from './record-sweep.ts'
import { SmallPublisher } from './small-writes/small-publisher.ts'
import { SmallWrites } from './small-writes/small-writes.ts'
import { LocalUploads } from './uploads/local-uploads.ts'

export interface LocalDriveOptions {
  /** The folder of the buckets' folders; created if it is missing. */
  readonly root: string
  readonly records: FileRecords
  readonly log: AttributeLog
  /** Whether objects are read while `records` can't be (Drive.readsAlone). */
  readonly readsAlone?: boolean
  readonly claim?: ClaimDrive
  /** Writes nothing, not even in the drive's own folder. Only reads may be called then. */
  readonly isReadOnly?: boolean
  /** `prepare` calls it with each missing feature of the file system. Absent: the file system is not tested. */
  readonly onFinding?: ((finding: Finding) => void) | undefined
}

/**
 * Opens a drive over an ordinary folder. Several processes may have the same folder open.
 * @throws DriveError, for people, when the folder cannot be used
 */
export async function openLocalDrive(options: LocalDriveOptions): Promise<Drive> {
  // Resolved once, so that notes and objects stay on one drive if a symbolic link changes later.
  const path = await realFolderPath(options.root)
  if (options.isReadOnly) {
    const root = await openReadOnlyRoot(path)
    return new LocalDrive(root, new KeyLocks(root), options)
  }
  await options.claim?.(new LocalNotes(path))
  const root = await openLocalRoot(path)
  const locks = new KeyLocks(root)
  await withDriveErrors(`use ${options.root} as a drive`, () => locks.prepare())
  return new LocalDrive(root, locks, options)
}

/** A draft with a declared size from here on is refused immediately if there is no space for it. */
const roomCheckBytes = 8 * 1024 * 1024

/** Folders of buckets that are looked at together: on a network file system each waits for replies. */
const preparedAtOnce = 16

class LocalDrive implements Drive {
  readonly kind = 'file'
  readonly deletes = 'permanent'
  readonly isLocal = true
  readonly readsAlone: boolean
  readonly uploads: UploadDrive
  readonly #root: LocalRoot
  readonly #files: ObjectFiles
  readonly #seen: SeenFileCache
  readonly #known: AttributeCache
  readonly #publisher: Publisher
  readonly #smallWrites: SmallWrites
  readonly #smallPublisher: SmallPublisher
  readonly #treeParts: TreeParts
  readonly #indexes: FolderIndexes
  readonly #journal: FolderJournal
  readonly #folders: LocalFolderMaker
  readonly #buckets: BucketFolders
  readonly #recordSweep: RecordSweep
  readonly #onFinding: LocalDriveOptions['onFinding']

  constructor(root: LocalRoot, locks: KeyLocks, options: LocalDriveOptions) {
    const { records, log, readsAlone = false } = options
    const known = new AttributeCache(records, log)
    const files = new ObjectFiles(root, known, new TouchedFiles(root, log))
    const journal = new FolderJournal(root)
    const buckets = new BucketFolders(root)
    const folders = new LocalFolderMaker({ root, locks, known, journal, buckets })
    const sync = new FolderSync(root)
    this.readsAlone = readsAlone
    this.#onFinding = options.onFinding
    this.#root = root
    this.#journal = journal
    this.#folders = folders
    this.#buckets = buckets
    this.#recordSweep = new RecordSweep(root, records)
    this.#files = files
    this.#seen = new SeenFileCache(root)
    this.#known = known
    const publisher = new Publisher({ root, files, known, locks, folders, journal, sync })
    const writes = new SmallWrites(root)
    this.#publisher = publisher
    this.#smallWrites = writes
    this.#smallPublisher = new SmallPublisher({ root, known, locks, sync, writes, publisher })
    this.#indexes = new FolderIndexes(root)
    this.#treeParts = { root, indexes: this.#indexes, listed: new ListedFiles(root, known) }
    this.uploads = new LocalUploads({ root, files, publisher, locks })
  }

  async prepare(buckets: readonly string[]): Promise<void> {
    if (this.#onFinding !== undefined) {
      for (const finding of await probeFolder(this.#root.processFolder)) this.#onFinding(finding)
    }
    await forEachLimited(buckets, preparedAtOnce, (bucket) =>
      withDriveErrors(`prepare the folder ${bucketPath(this.#root, bucket)}`, () =>
        this.#buckets.add(bucket),
      ),
    )
    await this.sweep()
  }

  async sweep(): Promise<void> {
    await withDriveErrors('sweep leftover files', async () => {
      await sweepLeftovers({
        root: this.#root,
        nowMs: await this.#root.clock.nowMs(),
        tidyFolders: (note) => this.#tidyFolders(note),
        forget: (identity) => this.#known.forget(identity),
        onDeath: () => this.#recordSweep.noteDeath(),
      })
      await this.#recordSweep.run()
    })
  }

  async addBucket(bucket: string): Promise<void> {
    await withDriveErrors(`create the folder of bucket ${bucket}`, () => this.#buckets.add(bucket))
  }

  async removeBucket(bucket: string): Promise<boolean> {
    return await withDriveErrors(`remove the folder of bucket ${bucket}`, () =>
      this.#buckets.remove(bucket),
    )
  }

  async check(access?: DriveAccess): Promise<void> {
    await withDriveErrors('use the drive', async () => {
      if (access === 'reads' || this.#root.isReadOnly) return await checkReads(this.#root)
      if (access === 'writes') return await checkWrites(this.#root)
      await requireOwnFolder(this.#root)
      const { W_OK, X_OK } = fs.constants
      await fs.promises.access(this.#root.ownPath, W_OK | X_OK)
    })
  }

  async bucketCreatedAtMs(bucket: string): Promise<number> {
    return await withDriveErrors(`check bucket ${bucket}`, async () => {
      await requireOwnFolder(this.#root)
      const stats = await fs.promises.lstat(bucketPath(this.#root, bucket))
      return this.#root.hasBirthtime ? stats.birthtimeMs : Math.min(stats.mtimeMs, stats.ctimeMs)
    })
  }

  list(bucket: string, query: ListQuery): EntryCursor {
    return openLocalCursor(this.#treeParts, bucket, query)
  }

  async head(
    bucket: string,
    key: string,
    options?: HeadOptions,
  ): Promise<ObjectMetadata | undefined> {
    const seen = this.#seen.head(bucket, key)
    if (seen !== undefined) return seen
    return await withDriveErrors(`read ${bucket}/${key}`, async () => {
      const objectPath = localPathOf(bucket, key)
      const found = await this.#files.head(objectPath, this.#accepted(options))
      if (found === undefined) return undefined
      this.#seen.add(objectPath, found.file, found.metadata)
      return found.metadata
    })
  }

  open(
    bucket: string,
    key: string,
    options?: OpenOptions,
  ): OpenObject | Promise<OpenObject | undefined> {
    return this.#seen.open(bucket, key) ?? this.#find(bucket, key, options)
  }

  #accepted(options: HeadOptions | undefined): HeadOptions | undefined {
    return this.readsAlone ? options : undefined
  }

  async #find(
    bucket: string,
    key: string,
    options: OpenOptions | undefined,
  ): Promise<OpenObject | undefined> {
    return await withDriveErrors(`read ${bucket}/${key}`, async () => {
      const objectPath = localPathOf(bucket, key)
      const file = await this.#files.open(objectPath)
      if (file === undefined) return undefined
      try {
        const metadata = await this.#files.metadataOf(objectPath, file, this.#accepted(options))
        return this.#seen.reader(objectPath, file, metadata)
      } catch (error) {
        await this.#root.files.close(file.fd)
        throw error
      }
    })
  }

  async draft(bucket: string, key: string, options: DraftOptions): Promise<Draft> {
    const objectPath = localPathOf(bucket, key)
    const { size = 0 } = options
    if (size >= roomCheckBytes && size > (await this.quota()).freeBytes) {
      throw new DriveError('full', `There is no space on the drive for ${size} bytes.`)
    }
    const publisher = this.#publisher
    const parts = { root: this.#root, publisher, smallPublisher: this.#smallPublisher }
    return endingDraft(new LocalDraft(parts, objectPath, options))
  }

  async copy(
    source: CopySource,
    target: ObjectName,
    options: CopyOptions,
  ): Promise<ObjectMetadata | undefined> {
    const { bucket, key } = target
    return await withDriveErrors(`write ${bucket}/${key}`, async () => {
      const from = localPathOf(source.bucket, source.key)
      const file = await this.#files.open(from)
      if (file === undefined) return undefined
      try {
        const metadata = await this.#files.metadataOf(from, file)
        if (!canCopy(source, metadata.attributes.etag)) return undefined
        const output = await copyToTemp(this.#root, file, options.signal)
        try {
          return await this.#publisher.publish({
            objectPath: localPathOf(bucket, key),
            path: output.path,
            attributes: options.attributes,
            conditions: options.conditions,
            shape: () => output.shape(),
            flush: () => output.flush(),
          })
        } finally {
          // The path no longer exists unless publishing failed.
          await output.remove()
        }
      } finally {
        await this.#root.files.close(file.fd)
      }
    })
  }

  async remove(bucket: string, key: string, conditions?: RemovalConditions): Promise<boolean> {
    this.#seen.release(bucket, key)
    return await withDriveErrors(`remove ${bucket}/${key}`, () =>
      this.#publisher.remove(localPathOf(bucket, key), conditions),
    )
  }

  async removeFolder(bucket: string, key: string): Promise<void> {
    await withDriveErrors(`remove ${bucket}/${key}`, async () => {
      const objectPath = localPathOf(bucket, key)
      const { natural: filePath } = objectPath
      await this.#folders.removeEmpty(objectPath, filePath, [{ path: filePath.folder }])
    })
  }

  async quota(): Promise<{ freeBytes: number; totalBytes: number }> {
    return await withDriveErrors('read the free space', async () => {
      const { bavail, blocks, bsize } = await fs.promises.statfs(this.#root.path)
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    })
  }

  statistics(): DriveStatistics {
    const { contents, files } = this.#seen.counts
    const caches = { attributes: this.#known.counts, contents, files }
    const queues = { writes: this.#smallWrites.waiting, folders: this.#indexes.pending }
    return { caches, queues }
  }

  async close(): Promise<void> {
    this.#seen.close()
    await Promise.all([this.#indexes, this.#journal, this.#smallWrites].map((one) => one.close()))
  }

  async #tidyFolders({ bucket, key, making }: JournalNote): Promise<void> {
    const objectPath = localPathOf(bucket, key)
    const made = making.map((path) => ({ path }))
    for (const filePath of [objectPath.alternative, objectPath.natural]) {
      await this.#folders.removeEmpty(objectPath, filePath, made)
    }
  }
}
