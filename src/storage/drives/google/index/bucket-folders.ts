import { folderType } from '../api/google-file.ts'
import { recoveryRecord } from '../objects/recovery-record.ts'
import type { OpenDrive } from '../open-drive.ts'
import { saveFound } from './apply-changes.ts'
import { folderPages, onlyFolders } from './folder-pages.ts'

/** Held by whoever creates or removes buckets' folders. */
export const bucketsLeaseKey = 'buckets'

/**
 * Finds or creates the buckets' folders below the root, one process at a time. On a read-only drive,
 * it creates none.
 */
export async function prepareBuckets(drive: OpenDrive, buckets: readonly string[]): Promise<void> {
  for (const bucket of buckets) drive.buckets.add(topFolder(bucket))
  const unknown = await missing(drive, buckets)
  if (unknown.length === 0) return
  const steps = unknown.flatMap((bucket) => bucket.split('/'))
  const newIds = await Promise.all(steps.map(() => drive.api.newId()))
  const work = async () => {
    for (const level of levelsOf(unknown)) await prepareLevel(drive, level, newIds)
  }
  const note = recoveryRecord(bucketsLeaseKey, newIds)
  await drive.leases.hold([bucketsLeaseKey], work, { note })
}

/** The folder below the root that is a bucket's or leads to it. */
export function topFolder(bucket: string): string {
  return bucket.split('/')[0] ?? bucket
}

/** The paths of the folders to find or create, those of the first level first. */
function levelsOf(buckets: readonly string[]): string[][] {
  const levels: Set<string>[] = []
  for (const bucket of buckets) {
    const names = bucket.split('/')
    for (const depth of names.keys()) {
      levels[depth] = (levels[depth] ?? new Set()).add(names.slice(0, depth + 1).join('/'))
    }
  }
  return levels.map((level) => [...level])
}

async function prepareLevel(drive: OpenDrive, paths: readonly string[], newIds: string[]) {
  const unknown = await missing(drive, await withParent(drive, paths))
  const names = unknown.map(nameOf)
  for (const parent of new Set(await Promise.all(unknown.map((path) => parentOf(drive, path))))) {
    // Lists the whole folder, because queries by name lag.
    for await (const folders of folderPages(drive.api, parent, { where: onlyFolders })) {
      const wanted = folders.filter((folder) => names.includes(folder.name))
      await saveFound(drive, wanted)
    }
  }
  if (drive.isReadOnly) return
  for (const path of await missing(drive, unknown)) {
    const parents = [await parentOf(drive, path)] as const
    const id = newIds.pop() ?? (await drive.api.newId())
    const metadata = { id, name: nameOf(path), mimeType: folderType, parents }
    await saveFound(drive, [await drive.api.createFile(metadata)])
  }
}

async function missing({ objects }: OpenDrive, buckets: readonly string[]): Promise<string[]> {
  const found = await Promise.all(buckets.map((bucket) => objects.folders(bucket, [])))
  return buckets.filter((_, index) => found[index]?.length === 0)
}

/** Without the paths of folders that are in a missing one: none is created on a read-only drive. */
async function withParent(drive: OpenDrive, paths: readonly string[]): Promise<string[]> {
  const parents = paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  const gone = await missing(drive, [...new Set(parents.filter((path) => path !== ''))])
  return paths.filter((_, index) => !gone.includes(parents[index] ?? ''))
}

/** The id of the folder that contains the folder with this path. */
async function parentOf({ objects, rootId }: OpenDrive, path: string): Promise<string> {
  if (!path.includes('/')) return rootId
  const [parent] = await objects.requireBucket(path.slice(0, path.lastIndexOf('/')))
  return parent?.id ?? rootId
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
