import type { Drive } from '../../drives/drive.ts'

/** Folders whose names are in memory at a time, of each level. */
const pageEntries = 500

export interface FolderRemoval {
  readonly drive: Pick<Drive, 'list' | 'removeFolder'>
  readonly bucket: string
  /** Aborts to leave the rest. */
  readonly signal: AbortSignal
}

/**
 * Removes the empty folders whose keys begin with the prefix, innermost first: those that a person
 * made stay when their objects go. Without effect on a drive that can't.
 *
 * @throws DriveError when the drive refuses one; the signal's reason.
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
