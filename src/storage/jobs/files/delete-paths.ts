import type { Drive } from '../../drives/drive.ts'
import { deletePrefix, leftFolder, removeFolders } from '../delete-prefix.ts'
import type { Run } from '../job-runner.ts'
import { visitAll, whileBusy, withinDriveTime } from '../walk.ts'
import { type FileFigures, isFolder } from './file-order.ts'

/** Concurrent removals of keys. */
const concurrency = 8

/** Keys are removed in groups of this size. */
const groupSize = 500

/** The time limit for checking what remains. */
const leftOverMs = 5_000

export type DeletingDrive = Pick<Drive, 'list' | 'remove' | 'removeFolder'>

interface PathDeletion {
  readonly drive: DeletingDrive
  readonly bucket: string
  readonly paths: readonly string[]
  /** Called before each removal, and again after the object was checked. Throws to stop the job. */
  readonly assertMayGoOn?: () => void
}

/** Removes objects and folders with everything in them. Returns what remains, as a user-facing message, or ''. */
export async function deletePaths(
  { drive, bucket, paths, ...deletion }: PathDeletion,
  run: Run,
  figures: FileFigures,
): Promise<string> {
  const assertMayGoOn = () => {
    run.assertMayGoOn()
    deletion.assertMayGoOn?.()
  }
  let message = ''
  while (figures.paths < paths.length) {
    const path = paths[figures.paths] ?? ''
    if (isFolder(path)) {
      message =
        (await deleteFolder({ drive, bucket, assertMayGoOn }, path, run, figures)) || message
      figures.paths += 1
      continue
    }
    const rest = paths.slice(figures.paths, figures.paths + groupSize)
    const end = rest.findIndex(isFolder)
    const keys = end === -1 ? rest : rest.slice(0, end)
    await visitAll(keys, concurrency, async (key) => {
      const remove = () => withinDriveTime(drive.remove(bucket, key, { assertMayGoOn }), run.late)
      assertMayGoOn()
      if (await whileBusy(remove, run.signal)) figures.done += 1
    })
    figures.paths += keys.length
  }
  return message
}

async function deleteFolder(
  { drive, bucket, assertMayGoOn }: Required<Omit<PathDeletion, 'paths'>>,
  prefix: string,
  run: Run,
  figures: FileFigures,
): Promise<string> {
  const { signal } = run
  await deletePrefix({
    ...{ drive, bucket, prefix, signal, assertMayGoOn },
    onDeleted() {
      figures.done += 1
    },
  })
  await removeFolders({ drive, bucket, signal }, prefix)
  return leftOver(drive, bucket, prefix, signal)
}

/** Names a folder that could not be removed, as a user-facing message, or ''. */
export async function leftOver(
  drive: DeletingDrive,
  bucket: string,
  prefix: string,
  signal: AbortSignal,
): Promise<string> {
  try {
    const folder = await withinDriveTime(leftFolder(drive, bucket, prefix), signal, leftOverMs)
    if (folder === undefined) return ''
    return `The empty folder ${folder} remains. Remove it on the drive.`
  } catch {
    // The objects are gone, as requested.
    return ''
  }
}
