import { fileWorkTexts } from '../../texts/file-work.ts'
import { failureOf } from '../../ui/messages.ts'
import type { Entry } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'
import { placeEntries } from './file-changes.ts'
import { type FolderAddress, moveTo, obstacleOf, type PutMode } from './move-plan.ts'

/** Entries of one bucket to move or copy to a folder. */
export interface Carried {
  readonly mode: PutMode
  readonly bucket: string
  readonly entries: readonly Entry[]
}

/**
 * Moves or copies entries to a folder. Copies in the same folder get new names.
 *
 * @throws RangeError with a message to show if it is not possible.
 */
export function putEntries(carried: Carried, to: FolderAddress): void {
  const { mode, bucket, entries } = carried
  const obstacles = entries
    .map((entry) => obstacleOf(moveTo(entry, bucket, to)))
    .filter((found) => found !== undefined)
  const isDuplicate = mode === 'copy' && obstacles.length === entries.length
  const wrong = obstacles.find((found) => !(isDuplicate && found === 'same-folder'))
  if (wrong === 'into-itself') {
    const { copiedIntoItself, movedIntoItself } = fileWorkTexts
    throw new RangeError(mode === 'copy' ? copiedIntoItself : movedIntoItself)
  }
  if (wrong === 'same-folder') throw new RangeError(fileWorkTexts.sameFolder)
  if (wrong === 'too-long') throw new RangeError(fileWorkTexts.pathTooLong)
  placeEntries({ ...carried, to }).catch(failureOf(fileWorkTexts.notPossible))
}

/** The entries in a title: a name, or their number. */
export function subjectOf(entries: readonly Entry[]): string {
  const [first] = entries
  return entries.length === 1 && first !== undefined
    ? fileWorkTexts.quoted(visibleName(first.name))
    : fileWorkTexts.items(entries.length)
}
