import type { DeletionReply } from '../../../../src/dashboard/management/management-schemas.ts'
import type {
  EmptyBody,
  RestoreBody,
  TrashBody,
  TrashReply,
} from '../../../../src/dashboard/management/trash-routes.ts'
import { request } from '../../api/client.ts'
import { formatAmount } from '../../format/bytes.ts'
import type { Entry } from '../entries/entry.ts'
import type { JobOrder, JobReport } from '../transfers/job-list.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { deleteTree } from './delete-tree.ts'
import { deletionsFrom, untilNextAsk } from './drive-work.ts'

/** Jobs that use the trash of a bucket. */

const path = '/-/api/trash'

/** Maximum files per request, to keep the body below the limit of the gateway. */
const batchSize = 100

export function readTrash(bucket: string, after: string, signal: AbortSignal): Promise<TrashReply> {
  return request<TrashReply>(path, { query: { bucket, after }, signal })
}

/** Moves files and trees to the trash, as one deletion that can be undone. */
export function trashJob(title: string, bucket: string, entries: readonly Entry[]): JobOrder {
  let trashId: string | undefined
  const start = async (what: Pick<TrashBody, 'keys' | 'prefix'>) => {
    const body: TrashBody = { bucket, ...what, ...(trashId !== undefined && { trashId }) }
    const begun = await request<DeletionReply>(path, { method: 'POST', body })
    trashId = begun.trashId
    return begun
  }
  return {
    title,
    async work(report) {
      let done = 0
      for (const batch of batchesOf(entries)) {
        if (!report.signal.aborted) done += await trashBatch(bucket, batch, report, { done, start })
      }
      const count = `${formatAmount(done, 'object')} moved to the trash.`
      return report.signal.aborted ? `Stopped. ${count}` : count
    },
    undo: () =>
      trashId === undefined
        ? undefined
        : restoreJob(`Undo: ${title}`, { bucket, trashId }, (isWhole) => {
            if (isWhole) for (const entry of entries) driveChanges.publishBack(bucket, entry)
          }),
  }
}

interface TrashSteps {
  readonly done: number
  readonly start: (what: Pick<TrashBody, 'keys' | 'prefix'>) => Promise<DeletionReply>
}

/** Returns the number of objects. */
async function trashBatch(
  bucket: string,
  batch: readonly Entry[],
  report: JobReport,
  { done, start }: TrashSteps,
): Promise<number> {
  const { deleted, leftOver } = await follow(report, done, () => start(namesOf(batch)))
  if (leftOver !== undefined) report.problem(leftOver)
  else if (!report.signal.aborted) {
    const keys = new Set(batch.map(({ key }) => key))
    driveChanges.publish({ type: 'removed', bucket, keys })
  }
  return deleted
}

/** What a request is about a batch. */
export function namesOf(batch: readonly Entry[]) {
  const [first] = batch
  return first?.kind === 'folder' ? { prefix: first.key } : { keys: batch.map(({ key }) => key) }
}

/** Batches of files; each folder is a batch of its own. */
export function batchesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const files = entries.filter(({ kind }) => kind === 'file')
  const batches: (readonly Entry[])[] = []
  for (let start = 0; start < files.length; start += batchSize) {
    batches.push(files.slice(start, start + batchSize))
  }
  return [...batches, ...entries.filter(({ kind }) => kind === 'folder').map((entry) => [entry])]
}

/** @param onEnd called with whether everything was restored */
export function restoreJob(
  title: string,
  body: RestoreBody,
  onEnd: (isWhole: boolean) => void = () => undefined,
): JobOrder {
  return {
    title,
    async work(report) {
      const start = () => request<DeletionReply>(`${path}/restore`, { method: 'POST', body })
      const { deleted, leftOver } = await follow(report, 0, start)
      if (leftOver !== undefined) report.problem(leftOver)
      onEnd(leftOver === undefined)
      return `${formatAmount(deleted, 'object')} restored.`
    },
  }
}

/** Permanently deletes what is in the trash. */
export function emptyJob(title: string, body: EmptyBody, onEnd: () => void): JobOrder {
  return {
    title,
    async work(report) {
      const start = () => request<DeletionReply>(`${path}/empty`, { method: 'POST', body })
      const { deleted } = await follow(report, 0, start).finally(onEnd)
      return `${formatAmount(deleted, 'object')} deleted.`
    },
  }
}

export function follow(report: JobReport, before: number, start: () => Promise<DeletionReply>) {
  const { signal } = report
  const progress = (done: number) => report.progress(before + done, undefined)
  return deleteTree({
    deletions: deletionsFrom(start),
    report: { signal, progress },
    pause: untilNextAsk,
  })
}
