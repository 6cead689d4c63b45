import type { DeletionBody, DeletionReply } from '../../../src/console/management/replies.ts'
import { request } from '../api/client.ts'
import { afterSignIn } from './after-sign-in.ts'
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
  let deletion = await ask(path, 'POST', body)
  let isCancelled = false
  while (deletion.state === 'running') {
    report.progress(deletion.deleted, undefined)
    if (report.signal.aborted && !isCancelled) {
      isCancelled = true
      await ask(`${path}/${deletion.id}`, 'DELETE')
    }
    await pause(report.signal, isCancelled)
    deletion = await ask(`${path}/${deletion.id}`, 'GET')
  }
  report.progress(deletion.deleted, undefined)
  if (deletion.state === 'failed' || deletion.state === 'interrupted') {
    const why = deletion.message ?? 'the gateway was stopped'
    throw new Error(`${deletion.deleted} objects are deleted, then it ended: ${why}`)
  }
  return deletion.deleted
}

function ask(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  body?: DeletionBody,
): Promise<DeletionReply> {
  return afterSignIn(() => request<DeletionReply>(url, { method, body }))
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
