import { DriveError } from '../../drive.ts'
import type { KeyLease, KeyLeases } from '../../key-leases.ts'
import { notEmpty } from '../../not-empty.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { folderType, type GoogleFile } from '../api/google-file.ts'
import { nameOfSegment } from '../google-names.ts'
import type { ChangeApplier } from '../index/change-applier.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import { folderPages } from '../index/folder-pages.ts'
import { indexedFile, ownFolderProperty } from '../index/indexed-file.ts'
import type { MissedFiles } from '../index/missed-files.ts'
import type { ObjectIndex } from '../index/object-index.ts'
import { folderLeaseKey } from './lease-keys.ts'
import { recoveryRecord } from './recovery-record.ts'

export interface GoogleFoldersOptions {
  readonly api: GoogleApi
  readonly objects: ObjectIndex
  readonly applier: ChangeApplier
  readonly leases: KeyLeases
  readonly missed: MissedFiles
}

/** How often a folder is created again if it is removed before its content is added. */
const maxAttempts = 4

/** Creates the folders that keys need, and removes those that are no longer needed. */
export class GoogleFolders {
  readonly #options: GoogleFoldersOptions

  constructor(options: GoogleFoldersOptions) {
    this.#options = options
  }

  /**
   * The id of the folder with this path below the bucket's folder; created if missing, but never
   * twice: one writer at a time creates it, after a check of the index and, if that is not up to
   * date, of the parent folder. (In queries by name, Google lists new folders late.)
   */
  async ensure(bucket: string, segments: readonly string[]): Promise<string> {
    const { objects } = this.#options
    const [found] = await objects.folders(bucket, segments)
    if (found !== undefined) return found.id
    for (let attempt = 1; ; attempt++) {
      const id = await this.#ensureEach(bucket, segments)
      if (id !== undefined) return id
      if (attempt === maxAttempts) throw changing(bucket, segments)
    }
  }

  /** Undefined if a folder was removed meanwhile. */
  async #ensureEach(bucket: string, segments: readonly string[]): Promise<string | undefined> {
    const { objects } = this.#options
    let ids = (await objects.requireBucket(bucket)).map((folder) => folder.id)
    for (const [depth, segment] of segments.entries()) {
      const folders = await objects.foldersIn(ids, segment)
      if (folders.length > 0) {
        ids = folders.map((folder) => folder.id)
        continue
      }
      const made = await this.#make(bucket, segments.slice(0, depth + 1), ids)
      if (made === undefined) return undefined
      ids = [made]
    }
    return ids[0]
  }

  async #make(
    bucket: string,
    segments: readonly string[],
    parents: readonly string[],
  ): Promise<string | undefined> {
    const { api, objects, leases, missed } = this.#options
    const [parent = ''] = parents
    const segment = segments.at(-1) ?? ''
    const leaseKey = folderLeaseKey(bucket, segments)
    const id = await api.newId()
    const work = async (): Promise<string | undefined> => {
      const [found] = await objects.foldersIn(parents, segment)
      if (found !== undefined) return found.id
      const [seen] = await missed.findFolders(parent, segment)
      if (seen !== undefined) return seen.id
      return await this.#create(id, segment, parent)
    }
    return await leases.hold([leaseKey], work, { note: recoveryRecord(leaseKey, [id]) })
  }

  /** Undefined if the parent folder was removed meanwhile. */
  async #create(id: string, segment: string, parent: string): Promise<string | undefined> {
    const { api, objects, applier } = this.#options
    const name = nameOfSegment(segment)
    const appProperties = { [ownFolderProperty]: '1' }
    let file: GoogleFile
    try {
      const metadata = { id, name, mimeType: folderType, appProperties }
      file = await api.createFile({ ...metadata, parents: [parent] })
    } catch (error) {
      if (await this.isGone(parent)) return undefined
      throw error
    }
    const row = indexedFile(file)
    if (row !== undefined && (await objects.index.write({ file: row }))) return file.id
    // The parent folder is now in the trash, and this one with it.
    await applier.refresh(parent)
    return undefined
  }

  /** Whether the folder is deleted or in the trash on Google; updates the index. */
  async isGone(folderId: string): Promise<boolean> {
    return (await this.#options.applier.refresh(folderId)) === undefined
  }

  /**
   * Removes folders on this path, from the innermost on, that only keys created and that are empty.
   * They always go to the trash, even if files are permanently deleted: Google deletes a folder
   * with all its content, and a file may be added at any moment.
   */
  async removeEmpty(bucket: string, segments: readonly string[]): Promise<void> {
    for (let depth = segments.length; depth > 0; depth--) {
      const folders = await this.#options.objects.folders(bucket, segments.slice(0, depth))
      const leaseKey = folderLeaseKey(bucket, segments.slice(0, depth))
      for (const folder of folders) {
        if (!folder.isOwn || !(await this.#removeIfEmpty(folder, leaseKey))) return
      }
    }
  }

  /**
   * Removes the folder with this path if it is empty, regardless of its creator, and those above it
   * as `removeEmpty` does.
   */
  async remove(bucket: string, segments: readonly string[]): Promise<void> {
    for (const folder of await this.#options.objects.folders(bucket, segments)) {
      if (!(await this.#removeIfEmpty(folder, folderLeaseKey(bucket, segments)))) return
    }
    await this.removeEmpty(bucket, segments.slice(0, -1))
  }

  /**
   * As Drive.removeBucket. Users may have created several folders of the bucket's name; empty ones are
   * removed even if another one stays. They go to the trash, as in `removeEmpty`.
   */
  async removeBucket(bucket: string): Promise<boolean> {
    const folders = await this.#options.objects.folders(bucket, [])
    for (const folder of folders) {
      if (!(await this.#removeIfEmpty(folder, folderLeaseKey(bucket, [])))) throw notEmpty(bucket)
    }
    return folders.length > 0
  }

  /** A writer that needs the folder meanwhile waits for the lease and creates another folder. */
  async #removeIfEmpty(folder: IndexedFile, leaseKey: string): Promise<boolean> {
    const { objects, leases } = this.#options
    const { index } = objects
    if ((await index.children([folder.id], anyChild)).length > 0) return false
    if (await this.#holdsAnything(folder.id)) return false
    const work = async (lease: KeyLease) => {
      lease.assertHeld()
      if (!(await index.removeEmptyFolder(folder.id))) return false
      await this.#trash(folder, lease)
      return true
    }
    return await leases.hold([leaseKey], work, { note: recoveryRecord(leaseKey, [], [folder.id]) })
  }

  /** If it is unknown whether the folder reached the trash, the next holder of the lease checks it. */
  async #trash({ id, version }: IndexedFile, lease: KeyLease): Promise<void> {
    const { api, objects, applier } = this.#options
    try {
      await api.trash(id, { signal: lease.signal })
      await objects.index.save([], [{ id, version: version + 1 }])
    } catch (error) {
      if (error instanceof DriveError && error.kind === 'denied') {
        await objects.index.endRemoval([id])
        await applier.refresh(id)
      } else {
        lease.leaveNote()
      }
      throw error
    }
  }

  /** Whether the folder has any content on Google. */
  async #holdsAnything(folderId: string): Promise<boolean> {
    const { api, objects } = this.#options
    for await (const files of folderPages(api, folderId, { pageSize: 10 })) {
      // The list may still contain files that have just been removed.
      const rows = await objects.index.getMany(files.map((file) => file.id))
      const gone = new Set(rows.filter((row) => row.parent === '').map((row) => row.id))
      if (files.some((file) => !gone.has(file.id))) return true
    }
    return false
  }
}

const anyChild = { from: '', isInclusive: true, hidesEmpty: false, limit: 1 }

function changing(bucket: string, segments: readonly string[]): DriveError {
  const folder = [bucket, ...segments].join('/')
  const message = `Folder ${folder} keeps being removed by another client. Try again.`
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}
