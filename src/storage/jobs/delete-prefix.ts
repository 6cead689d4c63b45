import type { Drive } from '../drives/drive.ts'
import { visitAll, walk, whileBusy, withGrace, withinDriveTime } from './walk.ts'

/** Concurrent removals: each waits for the disk. */
const concurrency = 8

/**
 * The maximum number of listings: the first one finds all existing objects, the others find objects
 * that were added during a listing.
 */
const maxPasses = 3

interface PrefixDeletion {
  readonly drive: Pick<Drive, 'list' | 'remove'>
  readonly bucket: string
  readonly prefix: string
  /** Aborts the deletion. A removal that hangs may still happen. */
  readonly signal: AbortSignal
  /** Called before each removal, and again after the object was checked. Throws to stop the deletion. */
  readonly assertMayGoOn?: () => void
  /** Called for each deleted object. */
  readonly onDeleted?: () => void
}

/**
 * Removes every object whose key begins with the prefix. Objects added in the meantime may remain.
 *
 * @throws DriveError if the drive rejects a removal; earlier objects stay deleted.
 * @throws the signal's reason.
 */
export async function deletePrefix(deletion: PrefixDeletion): Promise<void> {
  const { drive, bucket, signal, assertMayGoOn, onDeleted } = deletion
  const late = withGrace(signal)
  const removeOne = async (key: string): Promise<void> => {
    signal.throwIfAborted()
    assertMayGoOn?.()
    const conditions = assertMayGoOn && { assertMayGoOn }
    const remove = () => withinDriveTime(drive.remove(bucket, key, conditions), late)
    const wasThere = await whileBusy(remove, signal)
    if (wasThere) onDeleted?.()
  }
  for (let pass = 1; pass <= maxPasses; pass++) {
    let listed = 0
    for await (const entries of walk(deletion)) {
      listed += entries.length
      await visitAll(entries, concurrency, ({ key }) => removeOne(key))
    }
    if (listed === 0) return
  }
}

interface FolderRemoval {
  readonly drive: Pick<Drive, 'list' | 'removeFolder'>
  readonly bucket: string
  /** Aborts the removal. */
  readonly signal: AbortSignal
}

/**
 * Removes empty folders whose keys begin with the prefix, innermost first: folders created by hand
 * remain after their objects are deleted. No effect on drives without support.
 *
 * @throws DriveError if the drive rejects a removal; the signal's reason.
 */
export async function removeFolders(removal: FolderRemoval, prefix: string): Promise<void> {
  if (removal.drive.removeFolder === undefined) return
  if (prefix.endsWith('/')) await removeTree(removal, prefix)
  else await removeBelow(removal, prefix)
}

async function removeTree(removal: FolderRemoval, key: string): Promise<void> {
  await removeBelow(removal, key)
  await removal.drive.removeFolder?.(removal.bucket, key)
}

async function removeBelow(removal: FolderRemoval, prefix: string): Promise<void> {
  for await (const entries of walk({ ...removal, prefix, delimiter: '/' })) {
    for (const { kind, key } of entries) {
      removal.signal.throwIfAborted()
      if (kind === 'folder') await removeTree(removal, key)
    }
  }
}

/**
 * The first visible folder below the prefix that contains no object; undefined if there is none.
 * Folders created by keys disappear with their last object; folders created by hand remain on
 * drives without `removeFolder`.
 */
export async function leftFolder(
  drive: Pick<Drive, 'list'>,
  bucket: string,
  prefix: string,
): Promise<string | undefined> {
  // The folder `a/` is an entry in the listing of `a`, not in its own.
  const above = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix
  const cursor = drive.list(bucket, { prefix: above, after: '', delimiter: '/' })
  cursor.seek(prefix)
  const [entry] = await cursor.next(1)
  if (entry?.kind !== 'folder' || !entry.key.startsWith(prefix)) return undefined
  const [inside] = await drive.list(bucket, { prefix: entry.key, after: '' }).next(1)
  return inside === undefined ? entry.key : undefined
}
