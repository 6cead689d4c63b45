import type { GoogleApi } from './api/google-api.ts'
import type { DriveIndex, IndexedFile } from './drive-index.ts'
import type { IndexNews } from './index-news.ts'
import { type LeaseNote, parseNote } from './lease-note.ts'

export interface InterruptedWorkOptions {
  readonly api: Pick<GoogleApi, 'trash'>
  readonly index: DriveIndex
  readonly news: IndexNews
}

/**
 * Finds out what became of work that nobody saw end, by the note that it left. A new file that came
 * to stand in the place of another has replaced it: the other goes to the trash.
 */
export async function recoverWork(text: string, options: InterruptedWorkOptions): Promise<void> {
  const note = parseNote(text)
  if (note === undefined) return
  const { placed, there } = await look(note, options)
  const { api, index } = options
  for (const file of there) {
    const isReplaced = placed.some(
      ({ parent, sortName }) => parent === file.parent && sortName === file.sortName,
    )
    if (!isReplaced) continue
    await api.trash(file.id)
    await index.save([], [{ id: file.id, version: file.version + 1 }])
  }
}

async function look(
  { newIds, thereIds }: LeaseNote,
  { news }: InterruptedWorkOptions,
): Promise<{ placed: IndexedFile[]; there: IndexedFile[] }> {
  const refreshed = async (ids: readonly string[]) => {
    const rows: IndexedFile[] = []
    for (const id of ids) {
      const found = await news.refresh(id)
      if (found !== undefined) rows.push(found.row)
    }
    return rows
  }
  // A file that was there may be the one that was written: it does not replace itself.
  const placed = await refreshed(newIds.filter((id) => !thereIds.includes(id)))
  return { placed, there: await refreshed(thereIds) }
}
