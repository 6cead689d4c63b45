import { fileWorkTexts } from '../../texts/file-work.ts'
import { showFailure } from '../../ui/messages.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import { visibleName } from '../entries/visible-name.ts'
import { intake } from '../transfers/transfers.ts'
import { type DroppedEntry, readDropped } from './dropped-items.ts'

/** Uploads dropped or pasted files and folders. */
export function takeDropped(data: DataTransfer, folder: FolderAddress): void {
  // The browser discards the items after this event loop turn.
  const { entries, files } = entriesOf(data)
  intake.take(folder, async (steps) => {
    const { items, unreadable } = await readDropped(entries, steps)
    reportUnreadable(unreadable)
    return [...items, ...files.map((file) => ({ path: pathOf(file), file }))]
  })
}

/** Browsers name every picture pasted from a program `image.png`. */
function pathOf({ name }: File): string {
  if (name !== 'image.png') return name
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '.').replace('T', ' ')
  return fileWorkTexts.pasted(time)
}

/** Uploads picked files, or a picked folder. */
export function takePicked(input: HTMLInputElement, folder: FolderAddress): void {
  const items = [...(input.files ?? [])].map((file) => ({
    path: file.webkitRelativePath || file.name,
    file,
  }))
  // Allows picking the same files again.
  input.value = ''
  if (items.length > 0) intake.take(folder, async () => items)
}

/** Scripted drops and old browsers provide files without entries. */
function entriesOf(data: DataTransfer): { entries: DroppedEntry[]; files: File[] } {
  const entries: DroppedEntry[] = []
  const files: File[] = []
  for (const item of data.items) {
    if (item.kind !== 'file') continue
    const entry = item.webkitGetAsEntry()
    const file = entry === null ? item.getAsFile() : null
    if (entry !== null) entries.push(entry)
    else if (file !== null) files.push(file)
  }
  return { entries, files }
}

function reportUnreadable(paths: readonly string[]): void {
  if (paths.length === 0) return
  const first = visibleName(paths[0] ?? '')
  showFailure(fileWorkTexts.notRead(paths.length), fileWorkTexts.checkRead(first))
}
