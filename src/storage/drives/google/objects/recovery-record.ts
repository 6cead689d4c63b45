import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import type { RecoveryHandler } from '../../kit/cloud/recovery.ts'
import { googlePathOf } from '../google-names.ts'
import { type GoogleTree, refreshFile } from '../index/apply-changes.ts'
import type { IndexedFile } from '../index/drive-index.ts'

/** Lease keys (key-leases.ts). They differ for an object `a/` and the folder `a/`. */
export function objectLeaseKey({ bucket, key }: ObjectName): string {
  return `object ${bucket}/${key}`
}

export function folderLeaseKey(bucket: string, segments: readonly string[]): string {
  return `folder ${[bucket, ...segments].join('/')}`
}

/** Held while the folder with this key is moved: nobody begins to write an object in it. */
export function moveLeaseKey({ bucket, key }: ObjectName): string {
  return `move ${bucket}/${key}`
}

/** The keys of `moveLeaseKey` of the folders that the object is in. */
export function movesAbove({ bucket, key }: ObjectName): string[] {
  const { folders } = googlePathOf(key)
  return folders.map((_, depth) =>
    moveLeaseKey({ bucket, key: `${folders.slice(0, depth + 1).join('/')}/` }),
  )
}

/** Whether this is the record of a writer of an object in the folder. */
export function isWriterIn({ bucket, key }: ObjectName, record: string): boolean {
  const start = objectLeaseKey({ bucket, key })
  return parseGoogleRecord(record)?.leaseKey.startsWith(start) === true
}

/**
 * The record in a lease, which describes the holder's work. If the holder dies or does not learn
 * the outcome of its calls, the next holder looks up these files on Google.
 */
interface RecoveryRecord {
  readonly leaseKey: string
  /** Further keys that the lease covers. */
  readonly otherKeys?: readonly string[]
  /** Files that are being created. */
  readonly newIds: readonly string[]
  /** Existing files that are changed, removed, or replaced by one of the new ones. */
  readonly thereIds: readonly string[]
}

export function recoveryRecord(
  leaseKey: string,
  newIds: readonly string[],
  thereIds: readonly string[] = [],
): string {
  return JSON.stringify({ leaseKey, newIds, thereIds } satisfies RecoveryRecord)
}

/** The record of a lease on several keys whose holder moves a folder. */
export function moveRecord([leaseKey = '', ...otherKeys]: readonly string[], id: string): string {
  const record: RecoveryRecord = { leaseKey, otherKeys, newIds: [], thereIds: [id] }
  return JSON.stringify(record)
}

/** Undefined for other texts. */
export function parseGoogleRecord(text: string): RecoveryRecord | undefined {
  const record = (parsedJson(text) ?? {}) as Partial<RecoveryRecord>
  const isWhole = record.leaseKey && record.newIds && record.thereIds
  return isWhole ? (record as RecoveryRecord) : undefined
}

/** Determines the outcome of interrupted work from the record in its lease. */
export class InterruptedWork implements RecoveryHandler {
  readonly #tree: GoogleTree

  constructor(tree: GoogleTree) {
    this.#tree = tree
  }

  leaseKeysOf(record: string): readonly string[] {
    const { leaseKey, otherKeys = [] } = parseGoogleRecord(record) ?? {}
    return leaseKey === undefined ? [] : [leaseKey, ...otherKeys]
  }

  /** If a new file was published over another one, that one is moved to the trash. */
  async recover(text: string): Promise<void> {
    const record = parseGoogleRecord(text)
    if (record === undefined) return
    const { index } = this.#tree
    const { newIds, thereIds } = record
    await index.endRemoval(thereIds)
    // If the existing file is the one that was written, it does not replace itself.
    const placed = await this.#refresh(newIds.filter((id) => !thereIds.includes(id)))
    for (const file of await this.#refresh(thereIds)) {
      const isReplaced = placed.some(
        ({ parent, sortName }) => parent === file.parent && sortName === file.sortName,
      )
      if (!isReplaced) continue
      await this.#trashIfAllowed(file)
      await index.save([], [{ id: file.id, version: file.version + 1 }])
    }
  }

  async #refresh(ids: readonly string[]): Promise<IndexedFile[]> {
    const rows: IndexedFile[] = []
    for (const id of ids) {
      const found = await refreshFile(this.#tree, id)
      if (found !== undefined) rows.push(found.row)
    }
    return rows
  }

  /** A file of another owner stays, but the index hides it: the newer file is the object. */
  async #trashIfAllowed({ id, sortName }: IndexedFile): Promise<void> {
    const { api, log } = this.#tree
    try {
      await api.trash(id)
    } catch (error) {
      if (!(error instanceof DriveError && error.kind === 'denied')) throw error
      log.warn(
        { err: error, fileId: id, name: sortName },
        'no permission to remove a replaced file on Google Drive: it stays beside the new one',
      )
    }
  }
}
