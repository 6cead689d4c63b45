import { sessionStore } from '../../session/session-store.ts'
import { filesTexts } from '../../texts/files.ts'
import { copyText } from '../../ui/copy/copy-text.ts'
import { messageOf, showFailure } from '../../ui/messages.ts'
import { Store } from '../../ui/store.ts'
import type { FolderAddress } from '../change/move-plan.ts'
import { type Carried, putEntries } from '../change/put-entries.ts'
import { s3Uri } from '../entries/object-address.ts'

interface Clip extends Carried {
  /** The text put into the system clipboard; undefined if the browser does not allow it. */
  readonly text: string | undefined
}

class Clipboard extends Store<Clip | undefined> {
  set(clip: Clip | undefined): void {
    this.publish(clip)
  }
}

/** The entries that were cut or copied in this page. */
export const clipboard = new Clipboard(undefined)

sessionStore.subscribe(() => {
  if (sessionStore.status === 'none') clipboard.set(undefined)
})

/** Maximum addresses put into the system clipboard, for other programs. */
const maxAddresses = 1_000

/** Cuts or copies entries. They can be pasted until something else is copied. */
export async function carry(carried: Carried): Promise<void> {
  const { bucket, entries } = carried
  const text = entries
    .slice(0, maxAddresses)
    .map(({ key }) => s3Uri(bucket, key))
    .join('\n')
  clipboard.set({ ...carried, text: undefined })
  const shown = clipboard.snapshot()
  const isCopied = await copyText(text)
  if (isCopied && clipboard.snapshot() === shown) clipboard.set({ ...carried, text })
}

/**
 * Pastes the cut or copied entries into a folder.
 *
 * @param text the current text of the system clipboard; undefined if not known. A different text was copied later.
 */
export function pasteInto(folder: FolderAddress, text?: string): void {
  const clip = clipboard.snapshot()
  if (clip === undefined) return
  if (text !== undefined && clip.text !== undefined && sameLines(text) !== clip.text) return
  if (put(clip, folder) && clip.mode === 'move') clipboard.set(undefined)
}

/** Windows uses different line ends in its clipboard. */
function sameLines(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

/** Moves or copies entries to a folder; false, with a message, if it is not possible. */
export function put(carried: Carried, folder: FolderAddress): boolean {
  try {
    putEntries(carried, folder)
    return true
  } catch (error) {
    showFailure(filesTexts.notPossible, messageOf(error))
    return false
  }
}
