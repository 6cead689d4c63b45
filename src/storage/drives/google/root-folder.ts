import { PrivateDriveError } from '../drive-error.ts'
import type { KeyLeases } from '../kit/key-leases.ts'
import type { GoogleApi } from './api/google-api.ts'
import { folderType, type GoogleFile } from './api/google-file.ts'
import { childFolder, makeChildFolder } from './index/folder-pages.ts'

export interface RootFolderOptions {
  readonly api: GoogleApi
  readonly leases: KeyLeases
  /** A path below My Drive or the shared drive, an id, or '' for all of it. */
  readonly folder: string
  readonly sharedDriveId?: string | undefined
}

/** The form of ids; folder names rarely have it. */
const idPattern = /^[\w-]{19,}$/

/**
 * The id of the folder with the buckets' folders. A path is created if missing.
 *
 * @throws DriveError if the id in DRIVE is not that of a usable folder.
 */
export async function makeRootFolder(options: RootFolderOptions): Promise<string> {
  const { api, leases } = options
  return await walkTo(options, (parent, name) =>
    leases.hold([`root ${parent}/${name}`], async () => {
      return (await makeChildFolder(api, parent, name)).id
    }),
  )
}

/** The id of that folder; undefined when it does not exist. */
export async function findRootFolder(options: RootFolderOptions): Promise<string | undefined> {
  return await walkTo(options, async () => undefined)
}

/** @param make creates a missing folder and returns its id; undefined ends the walk. */
async function walkTo<Made extends string | undefined>(
  { api, folder, sharedDriveId }: RootFolderOptions,
  make: (parent: string, name: string) => Promise<Made>,
): Promise<string | Made> {
  const byId = idPattern.test(folder) ? await folderOfId(api, folder) : undefined
  if (byId !== undefined) {
    assertDrive(byId, sharedDriveId)
    return byId.id
  }
  const names = folder.split('/').filter((name) => name !== '')
  let { id } = await api.getFile(sharedDriveId ?? 'root')
  for (const name of names) {
    const found = (await childFolder(api, id, name))?.id ?? (await make(id, name))
    if (found === undefined) return found
    id = found
  }
  return id
}

async function folderOfId(api: GoogleApi, id: string): Promise<GoogleFile | undefined> {
  const file = await api.findFile(id)
  if (file === undefined) return undefined
  if (file.mimeType === folderType && !file.trashed) return file
  const what = file.trashed ? 'is in the trash' : 'is not a folder'
  throw new PrivateDriveError('unavailable', `DRIVE: ${file.name} (${id}) on Google Drive ${what}.`)
}

/** Lists and the feed of changes cover only one drive. */
function assertDrive({ id, name, driveId }: GoogleFile, sharedDriveId: string | undefined): void {
  if (driveId === sharedDriveId || id === sharedDriveId) return
  const where =
    driveId === undefined
      ? 'is in My Drive: unset GDRIVE_SHARED_DRIVE'
      : `is in a shared drive: set GDRIVE_SHARED_DRIVE=${driveId}`
  throw new PrivateDriveError('unavailable', `DRIVE: ${name} (${id}) on Google Drive ${where}.`)
}
