import { formatCount } from '../../format/bytes.ts'
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

const problems = {
  'same-folder': 'This is the current folder. Choose another one.',
  'too-long': 'The resulting path would be too long.',
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
    const done = mode === 'copy' ? 'copied' : 'moved'
    throw new RangeError(`A folder cannot be ${done} into itself.`)
  }
  if (wrong !== undefined) throw new RangeError(problems[wrong])
  placeEntries({ ...carried, to }).catch(failureOf('This is not possible'))
}

/** The entries in a title: a name, or their number. */
export function subjectOf(entries: readonly Entry[]): string {
  const [first] = entries
  return entries.length === 1 && first !== undefined
    ? `“${visibleName(first.name)}”`
    : `${formatCount(entries.length)} items`
}
