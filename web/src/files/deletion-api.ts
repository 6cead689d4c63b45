import type { DeletionBody, DeletionReply } from '../../../src/console/management/replies.ts'
import { request } from '../api/client.ts'
import { afterSignIn } from './after-sign-in.ts'
import type { Deletions } from './delete-tree.ts'

const path = '/-/api/deletions'

/** Deletion of one tree by the management API. */
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

/** How often it is asked how far it is. */
const askEveryMs = 400

/** Until it is time to ask again, or the signal comes. */
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
