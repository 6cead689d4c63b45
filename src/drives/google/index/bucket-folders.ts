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
}

/** Held by whoever creates or removes buckets' folders. */
export const bucketsLeaseKey = 'buckets'

/** Finds or creates the buckets' folders below the root, one process at a time. */
export async function prepareBuckets(
  buckets: readonly string[],
  options: BucketFoldersOptions,
): Promise<void> {
  const { api, leases } = options
  if ((await missing(buckets, options)).length === 0) return
  const newIds = await Promise.all(buckets.map(() => api.newId()))
  const work = async () => {
    const unknown = await missing(buckets, options)
    await options.objects.index.save(await listed(unknown, options), [])
    for (const bucket of await missing(unknown, options)) {
      const id = newIds.pop() ?? (await api.newId())
      await makeBucket(bucket, id, options)
    }
  }
  await leases.hold([bucketsLeaseKey], work, { note: recoveryRecord(bucketsLeaseKey, newIds) })
}

async function missing(
  buckets: readonly string[],
  { objects }: BucketFoldersOptions,
): Promise<string[]> {
  const found = await Promise.all(buckets.map((bucket) => objects.folders(bucket, [])))
  return buckets.filter((_, index) => found[index]?.length === 0)
}

/** Lists the root folder, because queries by name lag. */
async function listed(
  buckets: readonly string[],
  { api, objects, applier }: BucketFoldersOptions,
): Promise<IndexedFile[]> {
  const found: IndexedFile[] = []
  for await (const folders of folderPages(api, objects.rootId, { where: onlyFolders })) {
    const wanted = folders.filter((folder) => buckets.includes(folder.name))
    found.push(...(await applier.listed(wanted)))
  }
  return found
}

async function makeBucket(
  name: string,
  id: string,
  { api, objects, applier }: BucketFoldersOptions,
): Promise<void> {
  const parents = [objects.rootId] as const
  const file = await api.createFile({ id, name, mimeType: folderType, parents })
  await objects.index.save(await applier.listed([file]), [])
}
