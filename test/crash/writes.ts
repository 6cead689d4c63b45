import type { Server } from '../support/signed-fetch.ts'
import { testBytes } from '../support/test-bytes.ts'
import type { Outcome } from './history.ts'
import { type BelievedStore, type StoreRequest, send } from './store.ts'

export interface WriteTarget {
  readonly server: Server
  readonly store: BelievedStore
}

/** Puts a new version of this size. */
export async function putObject(target: WriteTarget, key: string, size: number): Promise<void> {
  const version = target.store.nextVersion(size)
  const headers = { 'x-amz-meta-version': version.id, 'content-type': 'application/x-crash' }
  const body = testBytes(version.seed, size)
  await write(target, version, { method: 'PUT', key, headers, body })
}

/** Sends a request that should leave `outcome` at its key, and records it in the key's history. */
export async function write(
  target: WriteTarget,
  outcome: Outcome,
  request: StoreRequest,
): Promise<void> {
  const pending = target.store.history(request.key ?? '').begin(outcome)
  try {
    await send(target.server, request)
    pending.acknowledge()
  } catch (error) {
    target.store.failed(pending, error)
    throw error
  }
}
