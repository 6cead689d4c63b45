import type { DeletedBody } from '../../../../src/dashboard/management/folders/deleted-route.ts'
import type { DeletionReply } from '../../../../src/dashboard/management/management-schemas.ts'
import { request } from '../../api/client.ts'
import { formatAmount } from '../../format/bytes.ts'
import { deletionJob } from '../change/drive-work.ts'
import { batchesOf, follow, namesOf } from '../change/trash-work.ts'
import type { Entry } from '../entries/entry.ts'
import type { JobOrder, JobReport } from '../transfers/job-list.ts'
import { driveChanges } from '../transfers/transfers.ts'

interface DeletedChange extends Pick<DeletedBody, 'bucket' | 'action' | 'since'> {
  readonly entries: readonly Entry[]
}

/** Restores deleted files and all deleted files of folders, or deletes all their versions. */
export function deletedJob(
  title: string,
  change: DeletedChange,
  onEnd: () => void = () => undefined,
): JobOrder {
  const { bucket, action, entries } = change
  return {
    title,
    async work(report) {
      let done = 0
      for (const batch of batchesOf(entries)) {
        if (report.signal.aborted) break
        done += await changeBatch(change, batch, report, done).finally(onEnd)
      }
      if (action === 'restore') for (const one of entries) driveChanges.publishBack(bucket, one)
      const what = action === 'restore' ? 'restored' : 'deleted permanently'
      const count = `${formatAmount(done, 'object')} ${what}.`
      return report.signal.aborted ? `Stopped. ${count}` : count
    },
  }
}

/** Returns the number of objects. */
async function changeBatch(
  { bucket, action, since }: DeletedChange,
  batch: readonly Entry[],
  report: JobReport,
  done: number,
): Promise<number> {
  const names = namesOf(batch)
  const body: DeletedBody = { bucket, action, ...names, ...('prefix' in names && { since }) }
  const start = () => request<DeletionReply>('/-/api/deleted', { method: 'POST', body })
  const { deleted, leftOver } = await follow(report, done, start)
  if (leftOver !== undefined) report.problem(leftOver)
  return deleted
}

/** A deletion in a bucket that keeps versions. Its undo leaves what was deleted before. */
export function versionedDeletionJob(
  title: string,
  bucket: string,
  entries: readonly Entry[],
): JobOrder {
  let since: string | undefined
  const deletion = deletionJob(title, bucket, entries, (startedAt) => {
    since ??= startedAt
  })
  return {
    ...deletion,
    undo() {
      // A folder of which nothing was deleted may have older deletions.
      const undone = entries.filter(({ kind }) => kind === 'file' || since !== undefined)
      const change = { bucket, action: 'restore', since, entries: undone } as const
      return deletedJob(`Undo: ${title}`, change)
    },
  }
}
