import type { Account } from './account.ts'
import { type FileRecord, folderMimeType } from './file-record.ts'
import { GoogleError } from './google-error.ts'

/** "File and folder limits": the most levels of folders below a root. */
const maxFolderLevels = 100

/**
 * Checks that a folder is neither full nor too deep for another item.
 *
 * @param item the new item; a folder counts with everything below it.
 * @throws GoogleError
 */
export function checkRoom(
  account: Account,
  folder: FileRecord,
  item: Pick<FileRecord, 'id' | 'mimeType'>,
): void {
  const { files, knobs } = account
  if (folder.parent !== undefined && files.childCount(folder.id) >= knobs.maxChildren) {
    throw new GoogleError('numChildrenInNonRootLimitExceeded')
  }
  const levels = levelOf(account, folder) + heightOf(account, item)
  if (levels <= maxFolderLevels) return
  const isShared = folder.driveId !== undefined
  throw new GoogleError(
    isShared ? 'teamDriveHierarchyTooDeep' : 'myDriveHierarchyDepthLimitExceeded',
  )
}

/** A root is at level 0. */
function levelOf({ files }: Account, folder: FileRecord): number {
  let level = 0
  for (let at: FileRecord | undefined = folder; at?.parent !== undefined; level++) {
    at = files.get(at.parent)
  }
  return level
}

/** Levels of folders that an item adds; 0 for files. */
function heightOf(account: Account, item: Pick<FileRecord, 'id' | 'mimeType'>): number {
  if (item.mimeType !== folderMimeType) return 0
  const heights = account.files.children(item.id).map((child) => heightOf(account, child))
  return 1 + Math.max(0, ...heights)
}
