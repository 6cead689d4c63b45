/** Creates the folders that keys need, and removes those that are no longer needed. */
import { DriveError, notEmpty } from '../../drive-error.ts'
import type { KeyLease } from '../../kit/key-leases.ts'
import { folderType, type GoogleFile } from '../api/google-file.ts'
import { nameOfSegment } from '../google-names.ts'
import { refreshFile } from '../index/apply-changes.ts'
import type { IndexedFile } from '../index/drive-index.ts'
import { folderPages } from '../index/folder-pages.ts'
import { indexedFile, ownFolderProperty } from '../index/indexed-file.ts'
import { findMissedFolders } from '../index/object-index.ts'
import type { OpenDrive } from '../open-drive.ts'
import { folderLeaseKey, recoveryRecord } from './recovery-record.ts'

/** How often a folder is created again if it is removed before its content is added. */
const maxAttempts = 4

/**
 * The id of the folder with this path below the bucket's folder; created if missing, but never
 * twice: one writer at a time creates it, after a check of the index and, if that is not up to
 * date, of the parent folder. (In queries by name, Google lists new folders late.)
 */
export async function ensureFolder(
  drive: OpenDrive,
  bucket: string,
  segments: readonly string[],
): Promise<string> {
  const { objects } = drive
  const [found] = await objects.folders(bucket, segments)
  if (found !== undefined) return found.id
  for (let attempt = 1; ; attempt++) {
    const id = await ensureEach(drive, bucket, segments)
    if (id !== undefined) return id
    if (attempt === maxAttempts) throw changing(bucket, segments)
  }
}

/** Undefined if a folder was removed meanwhile. */
async function ensureEach(
  drive: OpenDrive,
  bucket: string,
  segments: readonly string[],
): Promise<string | undefined> {
  const { objects } = drive
  let ids = (await objects.requireBucket(bucket)).map((folder) => folder.id)
  for (const [depth, segment] of segments.entries()) {
    const folders = await objects.foldersIn(ids, segment)
    if (folders.length > 0) {
      ids = folders.map((folder) => folder.id)
      continue
    }
    const made = await makeFolder(drive, bucket, segments.slice(0, depth + 1), ids)
    if (made === undefined) return undefined
    ids = [made]
  }
  return ids[0]
}

async function makeFolder(
  drive: OpenDrive,
  bucket: string,
  segments: readonly string[],
  parents: readonly string[],
): Promise<string | undefined> {
  const { api, objects, leases } = drive
  const [parent = ''] = parents
  const segment = segments.at(-1) ?? ''
  const leaseKey = folderLeaseKey(bucket, segments)
  const id = await api.newId()
  const work = async (): Promise<string | undefined> => {
    const [found] = await objects.foldersIn(parents, segment)
    if (found !== undefined) return found.id
    const [seen] = await findMissedFolders(drive, parent, segment)
    if (seen !== undefined) return seen.id
    return await createFolder(drive, id, segment, parent)
  }
  return await leases.hold([leaseKey], work, { note: recoveryRecord(leaseKey, [id]) })
}

/** Undefined if the parent folder was removed meanwhile. */
async function createFolder(
  drive: OpenDrive,
  id: string,
  segment: string,
  parent: string,
): Promise<string | undefined> {
  const name = nameOfSegment(segment)
  const appProperties = { [ownFolderProperty]: '1' }
  let file: GoogleFile
  try {
    const metadata = { id, name, mimeType: folderType, appProperties }
    file = await drive.api.createFile({ ...metadata, parents: [parent] })
  } catch (error) {
    if (await isFolderGone(drive, parent)) return undefined
    throw error
  }
  const row = indexedFile(file)
  if (row !== undefined && (await drive.index.write({ file: row }))) return file.id
  // The parent folder is now in the trash, and this one with it.
  await refreshFile(drive, parent)
  return undefined
}

/** Whether the folder is deleted or in the trash on Google; updates the index. */
export async function isFolderGone(drive: OpenDrive, folderId: string): Promise<boolean> {
  return (await refreshFile(drive, folderId)) === undefined
}

/**
 * Removes empty folders on this path that only keys created, from the innermost on. They always go to
 * the trash, even if files are deleted permanently, because Google deletes a folder with all its
 * content, and a file may be added at any moment.
 */
export async function removeEmptyFolders(
  drive: OpenDrive,
  bucket: string,
  segments: readonly string[],
): Promise<void> {
  for (let depth = segments.length; depth > 0; depth--) {
    const folders = await drive.objects.folders(bucket, segments.slice(0, depth))
    const leaseKey = folderLeaseKey(bucket, segments.slice(0, depth))
    for (const folder of folders) {
      if (!folder.isOwn || !(await removeIfEmpty(drive, folder, leaseKey))) return
    }
  }
}

/**
 * Removes the folder with this path if it is empty, regardless of its creator, and those above it
 * as `removeEmptyFolders` does.
 */
export async function removeFolder(
  drive: OpenDrive,
  bucket: string,
  segments: readonly string[],
): Promise<void> {
  for (const folder of await drive.objects.folders(bucket, segments)) {
    if (!(await removeIfEmpty(drive, folder, folderLeaseKey(bucket, segments)))) return
  }
  await removeEmptyFolders(drive, bucket, segments.slice(0, -1))
}

/**
 * As Drive.removeBucket. Users may have created several folders of the bucket's name; empty ones are
 * removed even if another one stays. They go to the trash, as in `removeEmptyFolders`.
 */
export async function removeBucketFolders(drive: OpenDrive, bucket: string): Promise<boolean> {
  const folders = await drive.objects.folders(bucket, [])
  for (const folder of folders) {
    if (!(await removeIfEmpty(drive, folder, folderLeaseKey(bucket, [])))) throw notEmpty(bucket)
  }
  return folders.length > 0
}

/** A writer that needs the folder meanwhile waits for the lease and creates another folder. */
async function removeIfEmpty(
  drive: OpenDrive,
  folder: IndexedFile,
  leaseKey: string,
): Promise<boolean> {
  const { index, leases } = drive
  if ((await index.children([folder.id], anyChild)).length > 0) return false
  if (await holdsAnything(drive, folder.id)) return false
  const work = async (lease: KeyLease) => {
    lease.assertHeld()
    if (!(await index.removeEmptyFolder(folder.id))) return false
    await trashFolder(drive, folder, lease)
    return true
  }
  return await leases.hold([leaseKey], work, { note: recoveryRecord(leaseKey, [], [folder.id]) })
}

/** If it is unknown whether the folder reached the trash, the next holder of the lease checks it. */
async function trashFolder(drive: OpenDrive, { id, version }: IndexedFile, lease: KeyLease) {
  const { api, index } = drive
  try {
    await api.trash(id, { signal: lease.signal })
    await index.save([], [{ id, version: version + 1 }])
  } catch (error) {
    if (error instanceof DriveError && error.kind === 'denied') {
      await index.endRemoval([id])
      await refreshFile(drive, id)
    } else {
      lease.leaveNote()
    }
    throw error
  }
}

/** Whether the folder has any content on Google. */
async function holdsAnything({ api, index }: OpenDrive, folderId: string): Promise<boolean> {
  for await (const files of folderPages(api, folderId, { pageSize: 10 })) {
    // The list may still contain files that have just been removed.
    const rows = await index.getMany(files.map((file) => file.id))
    const gone = new Set(rows.filter((row) => row.parent === '').map((row) => row.id))
    if (files.some((file) => !gone.has(file.id))) return true
  }
  return false
}

const anyChild = { from: '', isInclusive: true, hidesEmpty: false, limit: 1 }

function changing(bucket: string, segments: readonly string[]): DriveError {
  const folder = [bucket, ...segments].join('/')
  const message = `Folder ${folder} keeps being removed by another client. Try again.`
  return new DriveError('busy', message, { retryAfterSeconds: 1 })
}
