import { forEachLimited } from '../../../platform/process/limiter.ts'
import type { Log } from '../../../platform/process/log.ts'
import type {
  Drive,
  HeadOptions,
  ObjectMetadata,
  OpenObject,
  OpenOptions,
  UploadDrive,
} from '../drive.ts'
import { DriveError } from '../drive-error.ts'
import type { ClaimDrive } from '../drive-notes.ts'
import { CachedObject, metadataOf as plainMetadata } from '../kit/open-objects.ts'
import { endingDraft } from '../kit/uploads/upload-rules.ts'
import { nullVersionId, plainRemoval, type VersioningOf } from '../versions.ts'
import { checkReads, checkWrites, requireFineTimes } from './drive-checks.ts'
import { fs, refusing } from './file-calls.ts'
import {
  addBucketFolder,
  removeBucketFolder,
  removeVersionedBucket,
} from './folders/bucket-folders.ts'
import { FolderIndexes } from './folders/folder-indexes.ts'
import { FolderJournal, type JournalNote } from './folders/folder-journal.ts'
import { removeEmptyFolders } from './folders/folder-maker.ts'
import { FolderSync } from './folders/folder-sync.ts'
import { openLocalCursor } from './folders/listing.ts'
import { moveFolder } from './folders/move-folder.ts'
import { unlessAbsent, withDriveErrors } from './fs-error.ts'
import { sweepLeftovers } from './leftovers.ts'
import { LocalNotes } from './local-notes.ts'
import {
  bucketPath,
  type LocalRoot,
  openLocalRoot,
  openReadOnlyRoot,
  processFolderOf,
  realFolderPath,
  requireOwnFolder,
} from './local-root.ts'
import { historyPathOf, localPathOf } from './object-path.ts'
import { AttributeCache } from './objects/attribute-cache.ts'
import { copyObject } from './objects/copy-file.ts'
import { LocalDraft } from './objects/draft.ts'
import type { FileRecords } from './objects/file-record-table.ts'
import { FolderLocks } from './objects/folder-locks.ts'
import { ObjectCache } from './objects/object-cache.ts'
import { headObject, metadataOf } from './objects/object-files.ts'
import { LocalObjectReader } from './objects/object-reader.ts'
import { removeObject } from './objects/publisher.ts'
import { setAttributes } from './objects/set-attributes.ts'
import type { OpenDrive } from './open-drive.ts'
import type { Finding } from './probe/findings.ts'
import { probeFolder } from './probe/probe-folder.ts'
import { relaxing } from './relaxed/relaxing.ts'
import { endNotes, restoreTorn } from './relaxed/restore-torn.ts'
import { SmallWrites } from './small-writes/small-writes.ts'
import { LocalUploads } from './uploads/local-uploads.ts'
import { findVersion, hidingMarker, isVersionId, withRequestedId } from './versions/find-version.ts'
import { openVersionCursor } from './versions/list-versions.ts'
import { removeVersioned } from './versions/remove-version.ts'

export interface LocalDriveOptions {
  /** The folder of the buckets' folders; created if it is missing. */
  readonly root: string
  readonly records: FileRecords
  readonly log: Pick<Log, 'warn'>
  /** Whether objects are read while `records` can't be (Drive.readsAlone). */
  readonly readsAlone?: boolean
  readonly claim?: ClaimDrive
  /** As OpenParts.versioningOf. */
  readonly versioningOf?: VersioningOf | undefined
  /** Whether syncs follow the replies (DURABILITY), where the file system allows it. @default false */
  readonly relaxes?: boolean
  /** Writes nothing, not even in the drive's own folder. Only reads may be called then. */
  readonly isReadOnly?: boolean
  /**
   * Called with each missing feature of the file system. `prepare` starts the test, and `close` waits for its end. Absent:
   * the file system is not tested.
   */
  readonly onFinding?: ((finding: Finding) => void) | undefined
}

/**
 * Opens a drive over an ordinary folder. Several processes may have the same folder open.
 * @throws DriveError with a user-facing message when the folder cannot be used
 */
export async function openLocalDrive(options: LocalDriveOptions): Promise<Drive> {
  // Resolved once, so that notes and objects stay on one drive if a symbolic link changes later.
  const path = await realFolderPath(options.root)
  if (options.isReadOnly) {
    return new LocalDrive(openOn(await openReadOnlyRoot(path), options), options).served()
  }
  await options.claim?.(new LocalNotes(path))
  const synced = openOn(await openLocalRoot(path), options)
  const drive = options.relaxes ? await relaxing(synced, options.log) : synced
  await withDriveErrors(`use ${options.root} as a drive`, () => drive.locks.prepare())
  return new LocalDrive(drive, options).served()
}

/** The parts of a drive over an open root. */
function openOn(
  root: LocalRoot,
  { records, log, versioningOf = () => undefined }: LocalDriveOptions,
): OpenDrive {
  return {
    root,
    versioningOf,
    locks: new FolderLocks(root),
    attributeCache: new AttributeCache(records, log),
    indexes: new FolderIndexes(root),
    journal: new FolderJournal(root),
    sync: new FolderSync(root),
    writes: new SmallWrites(root, records.place),
    relaxed: undefined,
  }
}

/** A draft with a declared size from here on is refused immediately if there is no space for it. */
const roomCheckBytes = 8 * 1024 * 1024

/** How many folders of buckets are prepared at the same time: on a network file system, each waits for replies. */
const preparedAtOnce = 16

const nothing = new Uint8Array()

type Calls = Required<Drive>

class LocalDrive implements Drive {
  readonly kind = 'file'
  readonly deletes = 'permanent'
  readonly trashes = () => true
  readonly isLocal = true
  readonly readsAlone: boolean
  readonly uploads: UploadDrive
  readonly #drive: OpenDrive
  readonly #root: LocalRoot
  readonly #objectCache: ObjectCache
  readonly #onFinding: LocalDriveOptions['onFinding']
  readonly #log: LocalDriveOptions['log']
  #probing: Promise<void> | undefined
  #ending: Promise<void> | undefined

  constructor(drive: OpenDrive, { readsAlone = false, onFinding, log }: LocalDriveOptions) {
    const { root } = drive
    this.readsAlone = readsAlone
    this.uploads = new LocalUploads(drive)
    this.#drive = drive
    this.#root = root
    this.#objectCache = new ObjectCache(root, drive)
    this.#onFinding = onFinding
    this.#log = log
  }

  /** The drive for its callers. */
  served(): Drive {
    const { calls } = this.#root
    return calls === undefined ? this : refusing(this, calls)
  }

  readonly prepare: Calls['prepare'] = async (buckets) => {
    // Nothing depends on the findings, so requests are served during the test.
    if (this.#onFinding !== undefined) this.#probing = this.#probe(this.#onFinding)
    await forEachLimited(buckets, preparedAtOnce, (bucket) =>
      withDriveErrors(`prepare the folder ${bucketPath(this.#root, bucket)}`, () =>
        addBucketFolder(this.#root, bucket),
      ),
    )
    await this.sweep()
  }

  async #probe(onFinding: (finding: Finding) => void): Promise<void> {
    for (const finding of await probeFolder(this.#root, processFolderOf(this.#root)))
      onFinding(finding)
  }

  readonly sweep: Calls['sweep'] = async () => {
    await withDriveErrors('sweep leftover files', async () => {
      await requireOwnFolder(this.#root)
      await this.#root.folders.open()
      const notes = await restoreTorn(this.#drive, this.#log)
      // After a kill of the process, nothing is torn, and requests need not wait for the disk.
      this.#ending = endNotes(this.#drive, notes).catch((err: unknown) => {
        this.#log.warn({ err }, 'could not sync what a killed process has written; will retry')
      })
      await sweepLeftovers({
        root: this.#root,
        nowMs: await this.#root.clock.nowMs(),
        tidyFolders: (note) => this.#tidyFolders(note),
        forget: (identity) => this.#drive.attributeCache.forget(identity),
      })
    })
  }

  readonly addBucket: Calls['addBucket'] = async (bucket) => {
    await withDriveErrors(`create the folder of bucket ${bucket}`, () =>
      addBucketFolder(this.#root, bucket),
    )
  }

  readonly removeBucket: Calls['removeBucket'] = async (bucket) => {
    return await withDriveErrors(`remove the folder of bucket ${bucket}`, () =>
      this.#drive.versioningOf(bucket) === undefined
        ? removeBucketFolder(this.#root, bucket)
        : removeVersionedBucket(this.#root, bucket),
    )
  }

  readonly check: Calls['check'] = async (access) => {
    await withDriveErrors('use the drive', async () => {
      if (access === 'reads' || this.#root.isReadOnly) return await checkReads(this.#root)
      if (access === 'writes') return await checkWrites(this.#root)
      await requireOwnFolder(this.#root)
      const { W_OK, X_OK } = fs.constants
      await fs.promises.access(this.#root.ownPath, W_OK | X_OK)
    })
  }

  readonly bucketCreatedAtMs: Calls['bucketCreatedAtMs'] = async (bucket) => {
    return await withDriveErrors(`check bucket ${bucket}`, async () => {
      await requireOwnFolder(this.#root)
      const stats = await unlessAbsent(() => fs.promises.lstat(bucketPath(this.#root, bucket)))
      if (stats === undefined) throw new DriveError('no-bucket', `Bucket ${bucket} has no folder.`)
      return this.#root.hasBirthtime ? stats.birthtimeMs : Math.min(stats.mtimeMs, stats.ctimeMs)
    })
  }

  readonly isVersionId: Calls['isVersionId'] = (_, id) => isVersionId(id)

  readonly setVersioning: Calls['setVersioning'] = async () => {
    await withDriveErrors('test the file system', () => requireFineTimes(this.#root))
    // Writes to a bucket with versions are synced: they must not keep a version that is not.
    await this.#drive.relaxed?.sync()
  }

  readonly listVersions: Calls['listVersions'] = (bucket, query) => {
    return openVersionCursor(this.#drive, bucket, query)
  }

  readonly hidingMarker: Calls['hidingMarker'] = async (bucket, key) => {
    return await withDriveErrors(`read ${bucket}/${key}`, () =>
      hidingMarker(this.#drive, localPathOf(bucket, key)),
    )
  }

  readonly list: Calls['list'] = (bucket, query) => {
    return openLocalCursor(this.#drive, bucket, query)
  }

  readonly head: Calls['head'] = (bucket, key, options = {}) => {
    if (options.versionId !== undefined) return this.#headVersion(bucket, key, options)
    return this.#objectCache.head(bucket, key) ?? this.#head(bucket, key, options)
  }

  async #headVersion(
    bucket: string,
    key: string,
    options: HeadOptions,
  ): Promise<ObjectMetadata | undefined> {
    const version = await this.#find(bucket, key, options)
    await version?.close()
    return version && plainMetadata(version)
  }

  async #head(
    bucket: string,
    key: string,
    options: HeadOptions,
  ): Promise<ObjectMetadata | undefined> {
    return await withDriveErrors(`read ${bucket}/${key}`, async () => {
      const objectPath = localPathOf(bucket, key)
      const found = await headObject(this.#drive, objectPath, this.#accepted(options))
      if (found === undefined) return undefined
      this.#objectCache.add(objectPath, found.file, found.metadata)
      return found.metadata
    })
  }

  readonly open: Calls['open'] = (bucket, key, options) => {
    const seen = options?.versionId === undefined && this.#objectCache.open(bucket, key)
    return seen || this.#find(bucket, key, options)
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
      const { versionId } = options ?? {}
      const found = await findVersion(this.#drive, objectPath, versionId)
      if (found?.kind !== 'object') return found && new CachedObject(found.metadata, nothing)
      const { file } = found
      try {
        const metadata = await metadataOf(this.#drive, objectPath, file, this.#accepted(options))
        if (versionId === undefined) return this.#objectCache.reader(objectPath, file, metadata)
        return new LocalObjectReader(this.#root, file, withRequestedId(metadata, versionId))
      } catch (error) {
        await this.#root.files.close(file.fd)
        throw error
      }
    })
  }

  readonly draft: Calls['draft'] = async (bucket, key, options) => {
    const objectPath = localPathOf(bucket, key)
    const { size = 0 } = options
    if (size >= roomCheckBytes && size > (await this.quota()).freeBytes) {
      throw new DriveError('full', `There is no space on the drive for ${size} bytes.`)
    }
    return endingDraft(new LocalDraft(this.#drive, objectPath, options))
  }

  readonly copy: Calls['copy'] = async (source, target, options) => {
    return await withDriveErrors(`write ${target.bucket}/${target.key}`, () =>
      copyObject(this.#drive, source, target, options),
    )
  }

  readonly setAttributes: Calls['setAttributes'] = async (bucket, key, change, options) => {
    return await withDriveErrors(`change the attributes of ${bucket}/${key}`, () =>
      setAttributes(this.#drive, localPathOf(bucket, key), change, options?.versionId),
    )
  }

  readonly remove: Calls['remove'] = async (bucket, key, conditions) => {
    this.#objectCache.release(bucket, key)
    return await withDriveErrors(`remove ${bucket}/${key}`, async () => {
      const objectPath = localPathOf(bucket, key)
      if (this.#drive.versioningOf(bucket) !== undefined) {
        return await removeVersioned(this.#drive, objectPath, conditions)
      }
      const { versionId = nullVersionId } = conditions ?? {}
      if (versionId !== nullVersionId) return undefined
      return plainRemoval(await removeObject(this.#drive, objectPath, conditions))
    })
  }

  readonly removeFolder: Calls['removeFolder'] = async (bucket, key) => {
    await withDriveErrors(`remove ${bucket}/${key}`, async () => {
      const objectPath = localPathOf(bucket, key)
      const { natural: filePath } = objectPath
      await removeEmptyFolders(this.#drive, objectPath, filePath, [{ path: filePath.folder }])
    })
  }

  readonly moveFolder: Calls['moveFolder'] = async (from, to, options) => {
    return await withDriveErrors(`move ${from.bucket}/${from.key}`, () =>
      moveFolder(this.#drive, from, to, options),
    )
  }

  readonly quota: Calls['quota'] = async () => {
    return await withDriveErrors('read the free space', async () => {
      const { bavail, blocks, bsize } = await fs.promises.statfs(this.#root.path)
      return { freeBytes: bavail * bsize, totalBytes: blocks * bsize }
    })
  }

  readonly statistics: Calls['statistics'] = () => {
    const { attributeCache, writes, indexes } = this.#drive
    const { contents, files } = this.#objectCache.counts
    const caches = { attributes: attributeCache.counts, contents, files }
    const queues = { writes: writes.waiting, folders: indexes.pending }
    return { caches, queues }
  }

  readonly close: Calls['close'] = async () => {
    this.#objectCache.close()
    await Promise.all([this.#probing, this.#ending])
    const { indexes, journal, writes, relaxed } = this.#drive
    await Promise.all([indexes, journal, writes, relaxed].map((one) => one?.close()))
    await this.#root.folders.close()
  }

  async #tidyFolders({ bucket, key, making }: JournalNote): Promise<void> {
    const objectPath = localPathOf(bucket, key)
    if (this.#drive.versioningOf(bucket) !== undefined) {
      const { store, filePath } = historyPathOf(objectPath)
      await removeEmptyFolders(this.#drive, store, filePath)
    }
    const made = making.map((path) => ({ path }))
    for (const filePath of [objectPath.alternative, objectPath.natural]) {
      await removeEmptyFolders(this.#drive, objectPath, filePath, made)
    }
  }
}
