import type { Server } from '../support/signed-fetch.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import type { Outcome, Version } from './history.ts'
import { type BelievedStore, type StoreRequest, send, versionIn } from './store.ts'

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

/** Copies an object with these contents, or a version of it, as a new version. */
export async function copyVersion(
  target: WriteTarget,
  key: string,
  { source, from }: { readonly source: Version; readonly from: string },
): Promise<void> {
  const { id } = target.store.nextVersion(0)
  const headers = {
    'x-amz-copy-source': from,
    'x-amz-metadata-directive': 'REPLACE',
    'x-amz-meta-version': id,
    'content-type': 'application/x-crash',
  }
  // Also of an upload: a copy is one request (User Guide, "Checking object integrity").
  const etag = md5Of(testBytes(source.seed, source.size))
  await write(target, { ...source, id, etag }, { method: 'PUT', key, headers })
}

/** Sends a request that should leave `outcome` at its key, and records it in the key's history. */
export async function write(
  target: WriteTarget,
  outcome: Outcome,
  request: StoreRequest,
): Promise<void> {
  const pending = target.store.begin(request.key ?? '', outcome)
  try {
    pending.acknowledge(versionIn(await send(target.server, request)))
  } catch (error) {
    target.store.failed(pending, error)
    throw error
  }
}
