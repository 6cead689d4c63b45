import type { DeletionBody, DeletionReply } from '../../../src/console/management/replies.ts'
import { request } from '../api/client.ts'
import type { JobReport } from './job-list.ts'

const path = '/-/api/deletions'

/** How often it is asked how far it is. */
const askEveryMs = 400

/**
 * Deletes everything below a prefix, on the server. Cancelled, what is gone stays gone.
 *
 * @returns how many objects went.
 * @throws Error that says what happened when it failed.
 */
export async function deleteTree(body: DeletionBody, report: JobReport): Promise<number> {
  let deletion = await request<DeletionReply>(path, { method: 'POST', body })
  let isCancelled = false
  while (deletion.state === 'running') {
    report.progress(deletion.deleted, undefined)
    if (report.signal.aborted && !isCancelled) {
      isCancelled = true
      await request(`${path}/${deletion.id}`, { method: 'DELETE' })
    }
    await pause(report.signal, isCancelled)
    deletion = await request<DeletionReply>(`${path}/${deletion.id}`)
  }
  report.progress(deletion.deleted, undefined)
  if (deletion.state === 'failed' || deletion.state === 'interrupted') {
    const why = deletion.message ?? 'the gateway was stopped'
    throw new Error(`${deletion.deleted} objects are deleted, then it ended: ${why}`)
  }
  return deletion.deleted
}

/** A cancel cuts it short. */
function pause(signal: AbortSignal, isCancelled: boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, askEveryMs)
    if (isCancelled) return
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
}
