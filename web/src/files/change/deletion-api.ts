import type { DeletionBody, DeletionReply } from '../../../../src/console/management/replies.ts'
import { request } from '../../api/client.ts'
import { afterSignIn } from '../../session/after-sign-in.ts'
import type { Deletions } from './delete-tree.ts'

const path = '/-/api/deletions'

/** Deletes one tree through the management API. */
export function deletionsOf(body: DeletionBody): Deletions {
  return {
    start: () => ask(path, 'POST', body),
    find: (id) => ask(`${path}/${id}`, 'GET'),
    cancel: (id) => ask(`${path}/${id}`, 'DELETE'),
  }
}

function ask(
  url: string,
  method: 'GET' | 'POST' | 'DELETE',
  body?: DeletionBody,
): Promise<DeletionReply> {
  return afterSignIn(() => request<DeletionReply>(url, { method, body }))
}

/** The polling interval. */
const askEveryMs = 400

/** Waits for the next poll, or until the signal aborts. */
export function untilNextAsk(signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, askEveryMs)
  const cutShort = () => {
    clearTimeout(timer)
    resolve()
  }
  signal?.addEventListener('abort', cutShort, { once: true })
  return promise
}
