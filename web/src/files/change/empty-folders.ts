import { listPage } from '../listing/open-folder.ts'
import { makeFolder } from '../s3/bucket-client.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { hasAnything, isListed } from './drive-work.ts'
import { type Move, movedKey } from './move-plan.ts'

/** Creates at the target the empty folders that were created by hand at the source: no object represents them. */
export async function makeEmptyFolders(move: Move): Promise<void> {
  for await (const folder of emptyFolders(move.fromBucket, move.entry.key)) {
    const target = movedKey(move, folder)
    // A folder that contains a file needs no object of its own.
    if (await isListed(move.toBucket, target)) continue
    await makeFolder(move.toBucket, target).catch((error: unknown) => {
      const isThere = error instanceof S3Failure && error.status === 412
      if (!isThere) throw error
    })
  }
}

/** The empty folders below this one, and this one if it is empty. */
async function* emptyFolders(bucket: string, folder: string): AsyncGenerator<string> {
  let isEmpty = true
  let after: string | undefined
  do {
    const page = await listPage({ bucket, prefix: folder, isDeep: false, after })
    for (const { kind, key } of page.entries) {
      isEmpty = false
      if (kind === 'folder') yield* emptyFolders(bucket, key)
    }
    after = page.continuationToken
  } while (after !== undefined)
  // A marker object is not an entry.
  if (isEmpty && !(await hasAnything(bucket, folder))) yield folder
}
