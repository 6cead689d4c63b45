import type { FileJobReply } from '../../../../src/dashboard/management/files/file-job-schemas.ts'
import { formatAmount, formatCount } from '../../format/bytes.ts'
import { nameOf, parentOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'

/** What the job does, as a title. */
export function titleOf({ action, bucket, paths, count, to, undoes }: FileJobReply): string {
  const [first = ''] = paths
  const subject = count === 1 && first !== '' ? quoted(first) : formatAmount(count, 'item')
  const text = () => {
    switch (action) {
      case 'move':
      case 'copy':
        return placingText({ subject, action, first, bucket }, to)
      case 'trash':
      case 'delete':
        return `Deleting ${subject}`
      case 'restore':
      case 'undelete':
        return first === '' ? `Restoring deleted files of ${bucket}` : `Restoring ${subject}`
      case 'empty':
        return `Deleting from the trash of ${bucket}`
      case 'erase':
        return `Deleting ${subject} permanently`
    }
  }
  return undoes === null ? text() : `Undo: ${text()}`
}

interface Placing {
  readonly subject: string
  readonly action: 'move' | 'copy'
  readonly first: string
  readonly bucket: string
}

function placingText({ subject, action, first, bucket }: Placing, to: FileJobReply['to']): string {
  const [target = ''] = to?.paths ?? []
  const folder = parentOf(target)
  if (to?.bucket === bucket && folder === parentOf(first)) {
    if (action === 'copy') return `Duplicating ${subject}`
    return `Renaming ${subject} to ${quoted(target)}`
  }
  const label = visibleName(folder === '' ? (to?.bucket ?? '') : `${to?.bucket}/${folder}`)
  return `${action === 'copy' ? 'Copying' : 'Moving'} ${subject} to ${label}`
}

function quoted(key: string): string {
  return `“${visibleName(nameOf(key))}”`
}

const words = {
  ...{ move: 'moved', copy: 'copied', trash: 'moved to the trash', delete: 'deleted' },
  ...{ restore: 'restored', empty: 'deleted', undelete: 'restored', erase: 'deleted permanently' },
} as const satisfies Record<FileJobReply['action'], string>

/** The result, as a message. */
export function outcomeText({ action, trashId, state, done, skipped }: FileJobReply): string {
  const isPlacing = action === 'move' || action === 'copy'
  // In a bucket that keeps versions, nothing goes to the trash.
  const word = action === 'trash' && trashId === null ? 'deleted' : words[action]
  const text = `${isPlacing ? formatCount(done) : formatAmount(done, 'object')} ${word}`
  if (state === 'cancelled') return `Stopped. ${text}, the rest was not.`
  return skipped === 0 ? `${text}.` : `${text}, ${formatCount(skipped)} not ${word}.`
}

export function failureText(job: FileJobReply): string {
  const { action, done, message } = job
  return `Stopped after ${formatAmount(done, 'object')} ${words[action]}: ${message ?? 'the server ended'}`
}
