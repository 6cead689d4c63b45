import type { FileJobReply } from '../../../../src/dashboard/management/files/file-job-schemas.ts'
import { formatCount } from '../../format/bytes.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { nameOf, parentOf } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'

/** What the job does, as a title. */
export function titleOf({ action, bucket, paths, count, to, undoes }: FileJobReply): string {
  const [first = ''] = paths
  const subject = count === 1 && first !== '' ? quoted(first) : fileWorkTexts.job.items(count)
  const text = () => {
    switch (action) {
      case 'move':
      case 'copy':
        return placingText({ subject, action, first, bucket }, to)
      case 'trash':
      case 'delete':
        return fileWorkTexts.job.deleting(subject)
      case 'restore':
      case 'undelete':
        return first === ''
          ? fileWorkTexts.job.restoringIn(bucket)
          : fileWorkTexts.job.restoring(subject)
      case 'empty':
        return fileWorkTexts.job.emptying(bucket)
      case 'erase':
        return fileWorkTexts.job.erasing(subject)
    }
  }
  return undoes === null ? text() : fileWorkTexts.job.undo(text())
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
    if (action === 'copy') return fileWorkTexts.job.duplicating(subject)
    return fileWorkTexts.job.renaming(subject, quoted(target))
  }
  const label = visibleName(folder === '' ? (to?.bucket ?? '') : `${to?.bucket}/${folder}`)
  const { copying, moving } = fileWorkTexts.job
  return action === 'copy' ? copying(subject, label) : moving(subject, label)
}

function quoted(key: string): string {
  return fileWorkTexts.quoted(visibleName(nameOf(key)))
}

/** The result, as a message. */
export function outcomeText({ action, trashId, state, done, skipped }: FileJobReply): string {
  const { words, objects, stopped, partly } = fileWorkTexts.job
  const isPlacing = action === 'move' || action === 'copy'
  // In a bucket that keeps versions, nothing goes to the trash.
  const word = action === 'trash' && trashId === null ? words.delete : words[action]
  const text = `${isPlacing ? formatCount(done) : objects(done)} ${word}`
  if (state === 'cancelled') return stopped(text)
  return skipped === 0 ? `${text}.` : partly(text, skipped, word)
}

export function failureText(job: FileJobReply): string {
  const { action, done, message } = job
  const { words, failed, ended } = fileWorkTexts.job
  return failed(done, words[action], message ?? ended)
}
