import type {
  FileJobBody,
  FileJobReply,
  FileJobsReply,
} from '../../../../src/dashboard/management/files/file-job-schemas.ts'
import { ApiError } from '../../api/api-error.ts'
import { request } from '../../api/client.ts'
import { shownMessage } from '../../api/shown-message.ts'
import { fileWorkTexts } from '../../texts/file-work.ts'
import { messageOf, showFailure } from '../../ui/messages.ts'
import { visibleName } from '../entries/visible-name.ts'
import { failureText, isAllDone, outcomeText, titleOf } from './file-job-text.ts'
import type { Job, JobOrder, JobReport } from './job-list.ts'
import { noteDismissed, noteShown, shownJobs } from './shown-jobs.ts'
import { jobs } from './transfers.ts'

/** Jobs of the server, which every tab shows. */

const path = '/-/api/file-jobs'

/** The polling interval. */
const askEveryMs = 400

/** The jobs that this page shows, or has shown. */
const known = new Set<string>()

type OnEnd = (job: FileJobReply) => void

/** Starts a job. Undefined, with a message, if the server refuses it. Resolves when it has ended. */
export async function startServerJob(
  body: FileJobBody,
  onEnd: OnEnd = () => undefined,
): Promise<Job | undefined> {
  try {
    return await jobs.start(orderOf(await post(body), onEnd))
  } catch (error) {
    showFailure(fileWorkTexts.notPossible, messageOf(error))
    return undefined
  }
}

/** How long an ended job is shown again after the page was loaded again. */
const shownForMs = 5 * 60_000

/** Shows running jobs that other pages have started, and those that this one has shown before it was loaded again. */
export function showServerJobs(all: FileJobsReply['jobs']): void {
  // One of them may be what this page is starting.
  if (starting > 0) return
  const shown = shownJobs()
  for (const job of all.toReversed()) {
    const isRecent = Date.parse(job.endedAt ?? '') > Date.now() - shownForMs
    const isShown = job.state === 'running' || (isRecent && shown.includes(job.id))
    if (isShown && !known.has(job.id)) void jobs.start(orderOf(job, () => undefined))
  }
}

/** Requests whose jobs are not known yet. */
let starting = 0

async function post(body: FileJobBody): Promise<FileJobReply> {
  starting += 1
  try {
    const begun = await request<FileJobReply>(path, { method: 'POST', body })
    known.add(begun.id)
    return begun
  } finally {
    starting -= 1
  }
}

function orderOf(begun: FileJobReply, onEnd: OnEnd): JobOrder {
  known.add(begun.id)
  noteShown(begun.id)
  let job = begun
  let isRepeated = false
  return {
    title: runningTitle(begun),
    // Another page may have stopped it, and it may have skipped what it was for.
    doneTitle: () => titleOf(job),
    isOnServer: true,
    async work(report) {
      if (isRepeated) {
        noteDismissed(job.id)
        job = await post({ action: 'again', id: job.id })
        noteShown(job.id)
      }
      isRepeated = true
      job = await follow(job, report)
      for (const { key, reason } of job.problems) {
        report.problem(`${visibleName(key)}: ${shownMessage(reason)}`)
      }
      report.moreProblems(unlisted(job))
      if (job.message !== null && job.state === 'done') {
        report.problem(shownMessage(job.message))
      }
      onEnd(job)
      if (job.state === 'failed') throw new Error(failureText(job))
      return outcomeText(job)
    },
    undo: () => (job.canUndo ? undoOf(job, onEnd) : undefined),
    leave: () => noteDismissed(job.id),
  }
}

/** How many objects were skipped beyond those that are listed; 0 if one message is about all of them. */
function unlisted({ skipped, problems }: FileJobReply): number {
  return problems.length === 0 ? 0 : skipped - problems.length
}

function runningTitle(job: FileJobReply): string {
  return titleOf({ ...job, state: 'running' })
}

function undoOf(job: FileJobReply, onEnd: OnEnd): JobOrder {
  const { id } = job
  const title = runningTitle(job)
  const { undo: undoing, undone } = fileWorkTexts.job
  let undo: JobOrder | undefined
  let ended: FileJobReply | undefined
  return {
    ...{ title: undoing(title), isOnServer: true },
    doneTitle: () => (ended !== undefined && isAllDone(ended) ? undone(title) : undoing(title)),
    async work(report) {
      undo = orderOf(await post({ action: 'undo', id }), (end) => {
        ended = end
        onEnd(end)
      })
      return undo.work(report)
    },
    leave: () => undo?.leave?.(),
  }
}

/** Resolves when the job has ended. Stops it if the report says so, but not because the page is left. */
async function follow(begun: FileJobReply, { signal, progress }: JobReport): Promise<FileJobReply> {
  let job = begun
  while (job.state === 'running') {
    progress(job.done, job.total ?? undefined)
    if (!signal.aborted) await untilNextAsk(signal)
    if (signal.aborted && signal.reason === 'forgotten') throw new Error(fileWorkTexts.signedOut)
    job = await look(job, signal.aborted ? 'DELETE' : 'GET')
    if (signal.aborted) await untilNextAsk(undefined)
  }
  progress(job.done, job.total ?? undefined)
  return job
}

/** The job, as it is now; as it was, while the server is not reached or starts again. */
async function look(job: FileJobReply, method: 'GET' | 'DELETE'): Promise<FileJobReply> {
  try {
    return await request<FileJobReply>(`${path}/${job.id}`, { method })
  } catch (error) {
    if (!(error instanceof ApiError) || isRefusal(error.status)) throw error
    return job
  }
}

/** Whether the server knows that the request cannot succeed. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500
}

/** Waits for the next poll, or until the signal aborts. */
function untilNextAsk(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, askEveryMs)
  const cutShort = () => {
    clearTimeout(timer)
    resolve()
  }
  signal?.addEventListener('abort', cutShort, { once: true })
  return promise
}
