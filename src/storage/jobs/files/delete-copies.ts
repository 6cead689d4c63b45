import type { Drive } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { removeFolders } from '../delete-prefix.ts'
import type { Run } from '../job-runner.ts'
import { visitAll, walk, whileBusy, withinDriveTime } from '../walk.ts'
import { type FileFigures, isFolder, noteProblem, writtenSince } from './file-order.ts'

/** Concurrent removals. */
const concurrency = 8

interface CopyDeletion {
  readonly drive: Pick<Drive, 'list' | 'head' | 'remove' | 'removeFolder'>
  readonly bucket: string
  /** Where the copies were made: keys, and folders with everything in them. */
  readonly paths: readonly string[]
  /** An object that was written after this time is no copy, and stays. */
  readonly untilMs: number
  /** Called before each removal, and again after the object was checked. Throws to stop the job. */
  readonly assertMayGoOn: () => void
}

/** Removes copies in a bucket that keeps versions. */
export async function deleteCopies(
  deletion: CopyDeletion,
  run: Run,
  figures: FileFigures,
): Promise<void> {
  const { drive, bucket, paths } = deletion
  const { signal } = run
  const removeAll = (keys: readonly string[]) =>
    visitAll(keys, concurrency, (key) => removeCopy(deletion, key, run, figures))
  while (figures.paths < paths.length) {
    const path = paths[figures.paths] ?? ''
    if (isFolder(path)) {
      for await (const entries of walk({ drive, bucket, prefix: path, signal })) {
        await removeAll(entries.map(({ key }) => key))
      }
      await removeFolders({ drive, bucket, signal }, path)
    } else await removeAll([path])
    figures.paths += 1
  }
}

async function removeCopy(
  { drive, bucket, untilMs, ...deletion }: CopyDeletion,
  key: string,
  run: Run,
  figures: FileFigures,
): Promise<void> {
  const assertMayGoOn = () => {
    run.assertMayGoOn()
    deletion.assertMayGoOn()
  }
  assertMayGoOn()
  const object = await whileBusy(async () => drive.head(bucket, key), run.signal)
  if (object === undefined) return
  if (object.modifiedAtMs > untilMs) return noteProblem(figures, key, writtenSince)
  const conditions = { ifModifiedAtMs: object.modifiedAtMs, assertMayGoOn }
  try {
    const remove = () => withinDriveTime(drive.remove(bucket, key, conditions), run.late)
    if (await whileBusy(remove, run.signal)) figures.done += 1
  } catch (error) {
    if (!(error instanceof DriveError) || error.kind !== 'condition') throw error
    noteProblem(figures, key, writtenSince)
  }
}
