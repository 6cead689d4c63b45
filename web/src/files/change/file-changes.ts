import type {
  ClashesReply,
  FileJobBody,
  FileJobReply,
} from '../../../../src/dashboard/management/files/file-job-schemas.ts'
import { request } from '../../api/client.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import type { Entry } from '../entries/entry.ts'
import { stars } from '../stars/star-store.ts'
import type { Job } from '../transfers/job-list.ts'
import { startServerJob } from '../transfers/server-job.ts'
import { clashQuestions, driveChanges } from '../transfers/transfers.ts'
import { shownClash } from './clash-questions.ts'
import type { FolderAddress, PutMode } from './move-plan.ts'

/** Changes of entries, as jobs of the server, and what the lists show of them at once. */

/** Entries of one bucket. */
export interface Chosen {
  readonly bucket: string
  readonly entries: readonly Entry[]
}

/** Moves entries to the trash, or deletes them permanently. */
export function removeEntries(action: 'trash' | 'delete', { bucket, entries }: Chosen): void {
  void startJob({ action, bucket, paths: pathsOf(entries) }, (job) => {
    if (job.undoes !== null) return publishBack(job, bucket, entries)
    if (isWhole(job))
      driveChanges.publish({ type: 'removed', bucket, keys: new Set(pathsOf(entries)) })
  })
}

/** Restores deleted entries of a bucket with versions, or deletes all their versions. */
export function changeDeleted(
  action: 'undelete' | 'erase',
  { bucket, entries }: Chosen,
  onEnd: () => void,
): void {
  void startJob({ action, bucket, paths: pathsOf(entries) }, (job) => {
    if (action === 'undelete') publishBack(job, bucket, entries)
    onEnd()
  })
}

/** Stars go with what a job moves, deletes or brings back. */
const startJob: typeof startServerJob = (body, onEnd) =>
  startServerJob(body, (job) => {
    onEnd?.(job)
    // Without them, rows show the stars of before.
    stars.load(new AbortController().signal).catch(() => undefined)
  })

interface Placed extends Chosen {
  readonly mode: PutMode
  readonly to: FolderAddress & { readonly name?: string }
}

/** The names that a move or a copy would find taken. */
export function clashesOf({ mode: action, bucket, entries, to }: Placed): Promise<ClashesReply> {
  const body = { action, bucket, paths: pathsOf(entries), to }
  return request<ClashesReply>('/-/api/file-jobs/clashes', { method: 'POST', body })
}

/**
 * Moves or copies entries to a folder, or renames one. First asks about names that are taken. Undefined if the question is
 * closed, or the server refuses the job.
 */
export async function placeEntries(placed: Placed): Promise<Job | undefined> {
  const { mode, bucket, entries, to } = placed
  const answers = await answersFor(mode, await clashesOf(placed))
  if (answers === undefined) return undefined
  const body: FileJobBody = { action: mode, bucket, paths: pathsOf(entries), to, ...answers }
  return startJob(body, (job) => publishPlaced(job, entries))
}

type Answers = Pick<Extract<FileJobBody, { readonly action: 'move' | 'copy' }>, 'answers' | 'taken'>

async function answersFor(
  mode: PutMode,
  { clashes, isMore }: ClashesReply,
): Promise<Answers | undefined> {
  if (clashes.length === 0) return {}
  const verb = mode === 'copy' ? fileWorkTexts.copied : fileWorkTexts.moved
  const figures = ({ bytes, modifiedAt }: ClashesReply['clashes'][number]['file']) => ({
    ...{ size: bytes, modifiedAtMs: Date.parse(modifiedAt) },
  })
  const shown = clashes.map(({ key, file, there }) =>
    shownClash(key, figures(there), verb, figures(file)),
  )
  const answerTo = await clashQuestions.ask(shown, new AbortController().signal)
  if (answerTo === undefined) return undefined
  const answers = clashes.map(({ key, etag }) => ({ key, etag, answer: answerTo(key) }))
  // The answer for all files.
  return { answers, ...(isMore && { taken: answerTo('') }) }
}

function publishPlaced(
  { undoes, bucket, paths, to, action, ...job }: FileJobReply,
  entries: readonly Entry[],
): void {
  if (!isWhole(job)) return
  // A copy is undone by a deletion.
  if (action !== 'copy') driveChanges.publish({ type: 'removed', bucket, keys: new Set(paths) })
  for (const [index, key] of (to?.paths ?? []).entries()) {
    // The job that undoes it has the old paths as new ones.
    const entry = undoes === null ? entries[index] : entries.find((one) => one.key === key)
    const file = entry?.kind === 'file' ? entry : { size: 0, etag: '', modifiedAtMs: Date.now() }
    const modifiedAtMs = action === 'copy' ? Date.now() : file.modifiedAtMs
    driveChanges.publish({
      type: 'added',
      bucket: to?.bucket ?? bucket,
      file: { ...file, modifiedAtMs, key },
    })
  }
}

function publishBack(job: FileJobReply, bucket: string, entries: readonly Entry[]): void {
  if (isWhole(job)) for (const entry of entries) driveChanges.publishBack(bucket, entry)
}

/** Whether everything was done. Otherwise the lists find out by themselves. */
function isWhole({ state, skipped }: Pick<FileJobReply, 'state' | 'skipped'>): boolean {
  return state === 'done' && skipped === 0
}

function pathsOf(entries: readonly Entry[]): string[] {
  return entries.map(({ key }) => key)
}
