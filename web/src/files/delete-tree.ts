import type { DeletionReply } from '../../../src/console/management/replies.ts'
import type { JobReport } from './job-list.ts'

/** What the gateway does with deletions of trees. */
export interface Deletions {
  start(): Promise<DeletionReply>
  find(id: string): Promise<DeletionReply>
  /** It may still run when this resolves. */
  cancel(id: string): Promise<DeletionReply>
}

export interface DeleteTreeParts {
  readonly deletions: Deletions
  readonly report: Pick<JobReport, 'signal' | 'progress'>
  /** Resolves when it is time to ask again how far it is; the signal cuts it short. */
  readonly pause: (signal: AbortSignal | undefined) => Promise<void>
}

export interface DeletedTree {
  /** Objects that went. */
  readonly deleted: number
  /** What stays and why, for people: an empty folder that was made by hand. */
  readonly leftOver: string | undefined
}

/**
 * Deletes everything below a prefix, on the server. Cancelled, what is gone stays gone.
 *
 * @throws Error that says what happened when it failed.
 */
export async function deleteTree(parts: DeleteTreeParts): Promise<DeletedTree> {
  const { deletions, report, pause } = parts
  let deletion = await deletions.start()
  let isCancelled = false
  while (deletion.state === 'running') {
    report.progress(deletion.deleted, undefined)
    if (report.signal.aborted && !isCancelled) {
      isCancelled = true
      deletion = await deletions.cancel(deletion.id)
      continue
    }
    await pause(isCancelled ? undefined : report.signal)
    deletion = await deletions.find(deletion.id)
  }
  report.progress(deletion.deleted, undefined)
  if (deletion.state === 'failed' || deletion.state === 'interrupted') {
    const why = deletion.message ?? 'the gateway was stopped'
    throw new Error(`Stopped after deleting ${deletion.deleted} objects: ${why}`)
  }
  return { deleted: deletion.deleted, leftOver: deletion.message ?? undefined }
}
