import type { Drive } from '../../drives/drive.ts'

/** Folder names in memory at a time, per level. */
const pageEntries = 500

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
  const { drive, bucket, signal } = removal
  const cursor = drive.list(bucket, { prefix, after: '', delimiter: '/' })
  for (;;) {
    const entries = await cursor.next(pageEntries)
    if (entries.length === 0) return
    for (const { kind, key } of entries) {
      signal.throwIfAborted()
      if (kind === 'folder') await removeTree(removal, key)
    }
  }
}
