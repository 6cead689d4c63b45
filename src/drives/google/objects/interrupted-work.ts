import { DriveError } from '../../drive.ts'
import type { GoogleApi } from '../api/google-api.ts'
import type { ChangeApplier } from '../index/change-applier.ts'
import type { DriveIndex, IndexedFile } from '../index/drive-index.ts'
import type { IndexLog } from '../index/object-index.ts'
import { parseNote, type RecoveryRecord } from './recovery-record.ts'

export interface InterruptedWorkOptions {
  readonly api: Pick<GoogleApi, 'trash'>
  readonly index: DriveIndex
  readonly news: ChangeApplier
  readonly log: IndexLog
}

/**
 * Determines the outcome of interrupted work from the note that it left. A new file that took the
 * place of another has replaced it: the other goes to the trash.
 */
export async function recoverWork(text: string, options: InterruptedWorkOptions): Promise<void> {
  const note = parseNote(text)
  if (note === undefined) return
  const { placed, there } = await look(note, options)
  const { index } = options
  for (const file of there) {
    const isReplaced = placed.some(
      ({ parent, sortName }) => parent === file.parent && sortName === file.sortName,
    )
    if (!isReplaced) continue
    await trashIfAllowed(file, options)
    await index.save([], [{ id: file.id, version: file.version + 1 }])
  }
}

/** A file of another owner stays, and is hidden here: the newer one of its name counts anyway. */
async function trashIfAllowed(
  { id, sortName }: IndexedFile,
  { api, log }: InterruptedWorkOptions,
): Promise<void> {
  try {
    await api.trash(id)
  } catch (error) {
    if (!(error instanceof DriveError && error.kind === 'denied')) throw error
    log.warn(
      { err: error, fileId: id, name: sortName },
      'no permission to remove a replaced file on Google Drive: it stays beside the new one',
    )
  }
}

async function look(
  { newIds, thereIds }: RecoveryRecord,
  { index, news }: InterruptedWorkOptions,
): Promise<{ placed: IndexedFile[]; there: IndexedFile[] }> {
  const refreshed = async (ids: readonly string[]) => {
    const rows: IndexedFile[] = []
    for (const id of ids) {
      const found = await news.refresh(id)
      if (found !== undefined) rows.push(found.row)
    }
    return rows
  }
  await index.endRemoval(thereIds)
  // A file that was there may be the one that was written: it does not replace itself.
  const placed = await refreshed(newIds.filter((id) => !thereIds.includes(id)))
  return { placed, there: await refreshed(thereIds) }
}
