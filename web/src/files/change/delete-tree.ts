import type { DeletionReply } from '../../../../src/dashboard/management/management-schemas.ts'
import type { JobReport } from '../transfers/job-list.ts'

/** The operations of the gateway on tree deletions. */
export interface Deletions {
  start(): Promise<DeletionReply>
  find(id: string): Promise<DeletionReply>
  /** The deletion may still run when this resolves. */
  cancel(id: string): Promise<DeletionReply>
}

interface DeleteTreeParts {
  readonly deletions: Deletions
  readonly report: Pick<JobReport, 'signal' | 'progress'>
  /** Resolves when it is time to poll again, or when the signal aborts. */
  readonly pause: (signal: AbortSignal | undefined) => Promise<void>
}

interface DeletedTree {
  /** The number of deleted objects. */
  readonly deleted: number
  /** Says what remains and why: an empty folder that was created by hand. */
  readonly leftOver: string | undefined
}

/**
 * Deletes everything below a prefix on the server. Cancelling does not restore deleted objects.
 *
 * @throws Error with a message to show if the deletion failed.
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
