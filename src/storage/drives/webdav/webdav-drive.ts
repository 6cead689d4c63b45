import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { backOffMs } from '../../../platform/process/back-off.ts'
import { forEachLimited } from '../../../platform/process/limiter.ts'
import type { Log } from '../../../platform/process/log.ts'
import type { Drive, UploadDrive } from '../drive.ts'
import { DriveError } from '../drive-error.ts'
import type { ClaimDrive } from '../drive-notes.ts'
import { Recovery } from '../kit/cloud/recovery.ts'
import { withDatabaseErrors } from '../kit/drive-database.ts'
import { FolderCursor } from '../kit/folder-cursor.ts'
import type { LeaseTable } from '../kit/key-lease-table.ts'
import { pathOfFolder } from '../kit/names/key-path.ts'
import { CachedObject } from '../kit/open-objects.ts'
import type { StagedUploads } from '../kit/uploads/staged-uploads.ts'
import { plainRemoval } from '../versions.ts'
import { DavClient } from './client/dav-client.ts'
import { type DavAddress, parseDavAddress } from './client/dav-path.ts'
import { DavServer } from './client/dav-server.ts'
import type { DavContext } from './dav-context.ts'
import { DavTree, type DavTreeParts } from './listing/dav-tree.ts'
import { FolderLister } from './listing/folder-lister.ts'
import { AttributeStore } from './objects/attribute-store.ts'
import { copyObject, davDraft } from './objects/dav-draft.ts'
import { DavFolderMaker } from './objects/dav-folder-maker.ts'
import { DavPublisher, type PublishingContext } from './objects/dav-publisher.ts'
import { DavReader, smallObjectBytes } from './objects/dav-reader.ts'
import type { DatabaseDavRecords } from './objects/dav-record-table.ts'
import { FileMover } from './objects/file-mover.ts'
import { FolderTidier } from './objects/folder-tidier.ts'
import { ObjectFinder } from './objects/object-finder.ts'
import { bucketFolder, davPathOf } from './objects/object-path.ts'
import { leaseKeysOf } from './objects/recovery-record.ts'
import { DavNotes, OwnFolder, requireBucket } from './own-folder.ts'
import { describeAbilities } from './probe/dav-abilities.ts'
import { probeServer } from './probe/dav-probe.ts'
import { findDriveNames, rulesFrom } from './probe/drive-names.ts'
import {
  makeFirstContact,
  namingHost,
  noticingDelay,
  testingWithinTime,
} from './probe/first-contact.ts'
import { AppendedBytes } from './uploads/appended-bytes.ts'
import { ChunkedBytes } from './uploads/chunked-bytes.ts'
import { DavUploads } from './uploads/dav-uploads.ts'
import { Spool } from './uploads/spool.ts'
import { SpooledBytes } from './uploads/spooled-bytes.ts'
import type { UploadBytes } from './uploads/upload-bytes.ts'

export interface WebdavDriveOptions {
  /** `webdav+https://user:password@host/path`. */
  readonly url: string
  readonly records: DatabaseDavRecords
  readonly leases: LeaseTable
  readonly log: Pick<Log, 'info' | 'warn'>
  /**
   * The staging directory on this machine: for the parts of uploads, if the server cannot append, and
   * for objects of unknown size. Its processes share it; it is created when it is needed.
   */
  readonly spoolFolder: string
  /** What all uploads together may use there. */
  readonly maxSpoolBytes: number
  /** Opens that folder to collect parts in it. */
  readonly openStaging: (folder: string) => Promise<StagedUploads>
  /** How long later pages of a listing may use the folders read for the first; default 5,000. */
  readonly listCacheMs?: number
  /** The clock of all processes that share the leases; default: this machine's. */
  readonly now?: () => number
  /** The pause before the first retry of a request, milliseconds; default 100. */
  readonly firstPauseMs?: number
  readonly claim?: ClaimDrive
}

/** The size of the file that `check` writes. */
const writeCheckBytes = 1_024
/** Concurrent checks of buckets' folders. */
const preparedAtOnce = 8
const defaultListCacheMs = 5_000
const defaultFirstPauseMs = 100
/** Attempts to read a small object that is being overwritten. */
const readAttempts = 16
const readBackOff = { firstMs: 4, longestMs: 750 }
/** Between attempts at a MOVE. */
const longestMovePauseMs = 5_000

/**
 * Opens a drive over a folder of a WebDAV server. Several processes may open the same one with the same
 * database.
 *
 * @throws DriveError with a user-facing message when the server cannot be used
 */
export async function openWebdavDrive(options: WebdavDriveOptions): Promise<Drive> {
  const address = parseDavAddress(options.url)
  const firstMs = options.firstPauseMs ?? defaultFirstPauseMs
  const client = new DavClient({ ...address, firstPauseMs: firstMs })
  const server = new DavServer(client, address)
  const own = new OwnFolder(server)
  const recovery = new Recovery({ table: options.leases, now: options.now ?? Date.now })
  const { leases } = recovery
  try {
    const rootEntry = await makeFirstContact(address, options.log)
    await options.claim?.(new DavNotes(server, own))
    const abilities = await testingWithinTime({ address, log: options.log }, async () => {
      const isNew = await own.prepare({ hasRoot: rootEntry !== undefined })
      return await own.withFolder(async (folder) => {
        const findings = await findDriveNames({ server, leases, folder, isNew })
        const probed = { root: address.root, rootEntry, server, folder }
        return await probeServer(probed, rulesFrom(findings))
      })
    })
    options.log.info(describeAbilities(abilities), 'what the WebDAV server can do')
    const records = withDatabaseErrors(options.records, 'the metadata of files')
    const store = new AttributeStore({ server, records, abilities })
    const finder = new ObjectFinder({ server, leases, store })
    const context: DavContext = {
      ...{ server, own, leases, records, store, finder, abilities, rules: abilities.rules },
      log: options.log,
      backOff: { firstMs, longestMs: longestMovePauseMs },
      spool: new Spool({ folder: options.spoolFolder, maxBytes: options.maxSpoolBytes }),
    }
    const bytes = await openUploadBytes(context, options)
    const drive = new WebdavDrive({ ...context, options, address, client, recovery, bytes })
    return drive
  } catch (error) {
    leases.close()
    await client.close()
    throw namingHost(error, address)
  }
}

/** The best way to store uploads with this server. */
async function openUploadBytes(
  context: DavContext,
  { openStaging, spoolFolder }: WebdavDriveOptions,
): Promise<UploadBytes> {
  const { server, abilities } = context
  const { chunkRoot, writesRanges } = abilities
  if (chunkRoot !== undefined) {
    return new ChunkedBytes({ ...context, origin: server.atOrigin(), chunkRoot })
  }
  return writesRanges
    ? new AppendedBytes(context)
    : new SpooledBytes(context, await openStaging(spoolFolder))
}

interface DriveParts extends DavContext {
  readonly options: WebdavDriveOptions
  readonly address: DavAddress
  readonly client: DavClient
  readonly recovery: Recovery
  readonly bytes: UploadBytes
}

type Calls = Required<Drive>

class WebdavDrive implements Drive {
  readonly kind = 'webdav'
  readonly deletes = 'server'
  readonly trashes = () => true
  readonly uploads: UploadDrive
  readonly quota?: NonNullable<Drive['quota']>
  readonly copy?: NonNullable<Drive['copy']>
  readonly #parts: DriveParts
  readonly #publishing: PublishingContext
  readonly #tidier: FolderTidier
  readonly #treeParts: DavTreeParts

  constructor(parts: DriveParts) {
    const { abilities, options, recovery } = parts
    const folders = new DavFolderMaker(parts)
    const tidier = new FolderTidier({ ...parts, folders })
    const mover = new FileMover(parts)
    const publisher = new DavPublisher({ ...parts, mover, folders, tidier })
    const publishing = { ...parts, publisher }
    recovery.handleWith({
      leaseKeysOf: (record) => leaseKeysOf(record, parts.rules),
      recover: (record, lease) => publisher.recover(record, lease),
    })
    const cacheMs = options.listCacheMs ?? defaultListCacheMs
    this.#parts = parts
    this.#publishing = publishing
    this.#tidier = tidier
    this.#treeParts = { ...parts, lister: new FolderLister({ ...parts, cacheMs }) }
    this.uploads = new DavUploads(publishing)
    if (abilities.reportsQuota) this.quota = () => this.#quota()
    if (abilities.copies) {
      this.copy = (source, target, copying) => copyObject(publishing, source, target, copying)
    }
  }

  readonly prepare: Calls['prepare'] = async (buckets) => {
    const work = async () => {
      await forEachLimited(buckets, preparedAtOnce, (bucket) => this.#makeBucket(bucket))
      await this.#sweep()
      await this.#parts.spool.sweep()
    }
    await this.#namingHost(() => noticingDelay(this.#parts, work))
  }

  readonly sweep: Calls['sweep'] = async () => {
    await this.#namingHost(() => this.#sweep())
  }

  async #namingHost(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      throw namingHost(error, this.#parts.address)
    }
  }

  async #sweep(): Promise<void> {
    const { own, recovery, log } = this.#parts
    const { isComplete, failures } = await recovery.recoverAll()
    for (const error of failures) {
      log.warn({ err: error }, 'could not recover an interrupted write; will retry')
    }
    // Interrupted work needs its files, so they are swept only after all of it is recovered.
    if (isComplete) await own.sweep(Date.now())
  }

  async #makeBucket(bucket: string): Promise<void> {
    const { server } = this.#parts
    const path = bucketFolder(bucket)
    if ((await server.statFolder(path)) !== undefined) return
    for (const depth of path.keys()) await server.makeFolder(path.slice(0, depth + 1))
    await requireBucket(server, bucket)
  }

  readonly addBucket: Calls['addBucket'] = async (bucket) => {
    await this.#parts.own.requireThere()
    // Another process may have died while removing the folder.
    await this.#parts.leases.recoverEnded([bucket])
    await this.#makeBucket(bucket)
  }

  readonly removeBucket: Calls['removeBucket'] = async (bucket) => {
    await this.#parts.own.requireThere()
    return await this.#tidier.removeBucket(bucket)
  }

  readonly check: Calls['check'] = async (access) => {
    const { own, server } = this.#parts
    if (access === 'reads') return await own.requireThere()
    await own.check()
    if (access !== 'writes') return
    const path = own.newPath()
    try {
      await server.store(path, randomBytes(writeCheckBytes))
    } finally {
      await own.discard(path)
    }
  }

  readonly bucketCreatedAtMs: Calls['bucketCreatedAtMs'] = async (bucket) => {
    const entry = await requireBucket(this.#parts.server, bucket)
    await this.#parts.own.expectThere()
    return entry.createdAtMs || entry.modifiedAtMs
  }

  readonly list: Calls['list'] = (bucket, query) => {
    const mayBeCached = query.after !== ''
    return new FolderCursor(new DavTree(this.#treeParts, bucket, { mayBeCached }), query)
  }

  readonly head: Calls['head'] = async (bucket, key) => {
    const found = await this.#parts.finder.find(this.#pathOf(bucket, key))
    if (found === undefined) await this.#parts.own.expectThere()
    return found?.metadata
  }

  readonly open: Calls['open'] = async (bucket, key, { priority } = {}) => {
    const object = this.#pathOf(bucket, key)
    for (let attempt = 1; ; attempt++) {
      const found = await this.#parts.finder.find(object)
      if (found === undefined) {
        await this.#parts.own.expectThere()
        return undefined
      }
      const reader = new DavReader(this.#parts, { object, found, priority })
      if (found.metadata.size > smallObjectBytes) return reader
      try {
        return new CachedObject(found.metadata, await reader.readWhole())
      } catch (error) {
        const isChanged = error instanceof DriveError && error.kind === 'changed'
        if (!isChanged || attempt >= readAttempts) throw error
        // lighttpd caches the metadata of a file for a second or two.
        await sleep(backOffMs(attempt, readBackOff, Math.random))
      }
    }
  }

  readonly draft: Calls['draft'] = async (bucket, key, options) => {
    return davDraft(this.#publishing, this.#pathOf(bucket, key), options)
  }

  readonly setAttributes: Calls['setAttributes'] = async (bucket, key, change) => {
    const { publisher } = this.#publishing
    const metadata = await publisher.setAttributes(this.#pathOf(bucket, key), change)
    if (metadata === undefined) await this.#parts.own.expectThere()
    return metadata
  }

  readonly remove: Calls['remove'] = async (bucket, key, conditions) => {
    const { publisher } = this.#publishing
    const wasThere = await publisher.remove(this.#pathOf(bucket, key), conditions)
    if (!wasThere) await this.#parts.own.expectThere()
    return plainRemoval(wasThere)
  }

  readonly removeFolder: Calls['removeFolder'] = async (bucket, key) => {
    const above = bucketFolder(bucket)
    const folder = [...above, ...pathOfFolder(key, this.#rules)]
    if (folder.length > above.length)
      await this.#tidier.tidy(this.#pathOf(bucket, key), folder, folder)
  }

  readonly statistics: Calls['statistics'] = () => {
    return this.#parts.client.statistics()
  }

  readonly close: Calls['close'] = async () => {
    this.#parts.leases.close()
    await this.#parts.bytes.close?.()
    await this.#parts.client.close()
  }

  get #rules() {
    return this.#parts.rules
  }

  #pathOf(bucket: string, key: string) {
    return davPathOf(bucket, key, this.#rules)
  }

  async #quota(): Promise<{ freeBytes: number; totalBytes: number }> {
    const entry = await this.#parts.server.statFolder([])
    const freeBytes = Math.max(0, entry?.freeBytes ?? 0)
    return { freeBytes, totalBytes: freeBytes + Math.max(0, entry?.usedBytes ?? 0) }
  }
}
