import type { KeyLeases } from '../../key-leases.ts'
import type { GoogleApi } from '../api/google-api.ts'
import { folderType } from '../api/google-file.ts'
import { recoveryRecord } from '../objects/recovery-record.ts'
import type { ChangeApplier } from './change-applier.ts'
import type { IndexedFile } from './drive-index.ts'
import { folderPages, onlyFolders } from './folder-pages.ts'
import type { ObjectIndex } from './object-index.ts'

export interface BucketFoldersOptions {
  readonly api: GoogleApi
  readonly objects: ObjectIndex
  readonly applier: ChangeApplier
  readonly leases: KeyLeases
  /** Finds folders, but creates none. */
  readonly isReadOnly?: boolean
}

/** Held by whoever creates or removes buckets' folders. */
export const bucketsLeaseKey = 'buckets'

/** Finds or creates the buckets' folders below the root, one process at a time. */
export async function prepareBuckets(
  buckets: readonly string[],
  options: BucketFoldersOptions,
): Promise<void> {
  const { api, leases } = options
  const unknown = await missing(buckets, options)
  if (unknown.length === 0) return
  const steps = unknown.flatMap((bucket) => bucket.split('/'))
  const newIds = await Promise.all(steps.map(() => api.newId()))
  const work = async () => {
    for (const level of levelsOf(unknown)) await prepareLevel(level, newIds, options)
  }
  await leases.hold([bucketsLeaseKey], work, { note: recoveryRecord(bucketsLeaseKey, newIds) })
}

/** The paths of the folders to find or create, those of the first level first. */
function levelsOf(buckets: readonly string[]): string[][] {
  const levels: Set<string>[] = []
  for (const bucket of buckets) {
    for (const [depth] of bucket.split('/').entries()) {
      const level = levels[depth] ?? new Set()
      levels[depth] = level.add(
        bucket
          .split('/')
          .slice(0, depth + 1)
          .join('/'),
      )
    }
  }
  return levels.map((level) => [...level])
}

async function prepareLevel(
  paths: readonly string[],
  newIds: string[],
  options: BucketFoldersOptions,
): Promise<void> {
  const unknown = await missing(await withParent(paths, options), options)
  const { index } = options.objects
  for (const parent of new Set(await Promise.all(unknown.map((path) => parentOf(path, options))))) {
    const names = unknown.map((path) => path.slice(path.lastIndexOf('/') + 1))
    await index.save(await listed(parent, names, options), [])
  }
  if (options.isReadOnly) return
  for (const path of await missing(unknown, options)) {
    const parents = [await parentOf(path, options)] as const
    const id = newIds.pop() ?? (await options.api.newId())
    const name = path.slice(path.lastIndexOf('/') + 1)
    const file = await options.api.createFile({ id, name, mimeType: folderType, parents })
    await index.save(await options.applier.listed([file]), [])
  }
}

async function missing(
  buckets: readonly string[],
  { objects }: BucketFoldersOptions,
): Promise<string[]> {
  const found = await Promise.all(buckets.map((bucket) => objects.folders(bucket, [])))
  return buckets.filter((_, index) => found[index]?.length === 0)
}

/** Without the paths of folders that are in a missing one: none is created on a read-only drive. */
async function withParent(
  paths: readonly string[],
  options: BucketFoldersOptions,
): Promise<string[]> {
  const parents = paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))
  const gone = await missing([...new Set(parents.filter((path) => path !== ''))], options)
  return paths.filter((_, index) => !gone.includes(parents[index] ?? ''))
}

/** The id of the folder that contains the folder with this path. */
async function parentOf(path: string, { objects }: BucketFoldersOptions): Promise<string> {
  if (!path.includes('/')) return objects.rootId
  const [parent] = await objects.requireBucket(path.slice(0, path.lastIndexOf('/')))
  return parent?.id ?? objects.rootId
}

/** Lists the whole folder, because queries by name lag. */
async function listed(
  parent: string,
  names: readonly string[],
  { api, applier }: BucketFoldersOptions,
): Promise<IndexedFile[]> {
  const found: IndexedFile[] = []
  for await (const folders of folderPages(api, parent, { where: onlyFolders })) {
    const wanted = folders.filter((folder) => names.includes(folder.name))
    found.push(...(await applier.listed(wanted)))
  }
  return found
}
