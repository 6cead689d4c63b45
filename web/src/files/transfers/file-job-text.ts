import type { FileJobReply } from '../../../../src/dashboard/management/files/file-job-schemas.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { formatCount } from '../../format/bytes.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { nameOf, parentOf, sharedParent } from '../entries/entry.ts'
import { visibleName } from '../entries/visible-name.ts'

type Titles = typeof fileWorkTexts.job.running | typeof fileWorkTexts.job.done

/** What the job does or, if nothing of it is left, has done, as a title. */
export function titleOf(job: FileJobReply): string {
  const { running, done, undo } = fileWorkTexts.job
  const text = textOf(job, isAllDone(job) ? done : running)
  return job.undoes === null ? text : undo(text)
}

export function isAllDone({ state, skipped }: FileJobReply): boolean {
  return state === 'done' && skipped === 0
}

function textOf(job: FileJobReply, titles: Titles): string {
  const { action, bucket, paths, count } = job
  const [first = ''] = paths
  const subject = count === 1 && first !== '' ? quoted(first) : titles.items(count)
  switch (action) {
    case 'move':
    case 'copy':
      return placingText(job, action, subject, titles)
    case 'trash':
    case 'delete':
      return titles.delete(subject)
    case 'restore':
    case 'undelete':
      return restoringText(job, subject, titles)
    case 'empty':
      return titles.empty(fileWorkTexts.quoted(bucket))
    case 'erase':
      return titles.erase(subject)
  }
}

/** What is restored goes back to the folder that it was in. */
function restoringText({ bucket, paths }: FileJobReply, subject: string, titles: Titles): string {
  if (paths[0] === '') return titles.restoreIn(fileWorkTexts.quoted(bucket))
  const folder = sharedParent(paths)
  return folder === undefined
    ? titles.restore(subject)
    : titles.restoreTo(subject, fileWorkTexts.quoted(placeText(bucket, folder)))
}

function placingText(
  { bucket, paths, to }: FileJobReply,
  action: 'move' | 'copy',
  subject: string,
  titles: Titles,
): string {
  const [first = ''] = paths
  const [target = ''] = to?.paths ?? []
  const folder = parentOf(target)
  if (to?.bucket === bucket && folder === parentOf(first)) {
    return action === 'copy' ? titles.duplicate(subject) : titles.rename(subject, quoted(target))
  }
  return titles[action](subject, fileWorkTexts.quoted(placeText(to?.bucket ?? '', folder)))
}

/** "photos/2026/" */
export function placeText(bucket: string, folder: string): string {
  return visibleName(folder === '' ? bucket : `${bucket}/${folder}`)
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
  return failed(done, words[action], message === null ? ended : shownMessage(message))
}
