import { GetObjectCommand } from '@aws-sdk/client-s3'
import { untilAborted } from '../../process/time-limit.ts'
import { DriveError, type ObjectName, type OpenObject } from '../drive.ts'
import { headOf } from './heads.ts'
import { bareEtag } from './object-fields.ts'
import { noAnswer, stallMs } from './store.ts'
import type { StoreContext } from './store-context.ts'
import { storeError } from './store-errors.ts'

/** One version of an object: reads are pinned to its ETag. */
export async function openStoreObject(
  context: StoreContext,
  object: ObjectName,
): Promise<OpenObject | undefined> {
  const found = await headOf(context, object)
  if (found === undefined) return undefined
  const { size, modifiedAtMs, attributes } = found
  const closing = new AbortController()
  return {
    ...{ size, modifiedAtMs, attributes },
    async *read(start, end) {
      if (start === end) return
      const range = { object, etag: attributes.etag, start, end, signal: closing.signal }
      try {
        yield* bytesOf(context, range)
      } catch (error) {
        if (!closing.signal.aborted) throw error
      }
    },
    async close() {
      closing.abort()
    },
  }
}

interface ReadRange {
  readonly object: ObjectName
  readonly etag: string
  readonly start: number
  readonly end: number
  readonly signal: AbortSignal
}

async function* bytesOf(
  { store, names }: StoreContext,
  { object, etag, start, end, signal }: ReadRange,
): AsyncGenerator<Uint8Array> {
  const ending = new AbortController()
  let isRead = false
  const command = new GetObjectCommand({
    ...names.nameOf(object),
    ...{ Range: `bytes=${start}-${end - 1}`, IfMatch: `"${etag}"` },
  })
  try {
    const reply = await store.call(
      ({ abortSignal }) =>
        store.client.send(command, {
          // The bytes outlast the call.
          abortSignal: AbortSignal.any([abortSignal, ending.signal]),
        }),
      { signal },
    )
    const isWhole = reply.ContentLength === end - start
    if (bareEtag(reply.ETag) !== etag || !isWhole) throw changed(object)
    const body = (reply.Body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
    let left = end - start
    // To the end of the reply: then the connection can be used again.
    for (;;) {
      const { value, done } = await nextChunk(body, signal)
      if (done) break
      left -= value.length
      yield value
    }
    if (left > 0) throw new DriveError('unavailable', 'The S3 store has sent a part of the object.')
    isRead = true
  } catch (error) {
    throw asReadError(error, object)
  } finally {
    if (!isRead) ending.abort()
  }
}

async function nextChunk(body: AsyncIterator<Uint8Array>, signal: AbortSignal) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(noAnswer(stallMs)), stallMs)
  try {
    return await untilAborted(body.next(), AbortSignal.any([signal, late.signal]))
  } finally {
    clearTimeout(timer)
  }
}

function asReadError(error: unknown, object: ObjectName): unknown {
  const { kind } = error as DriveError
  if (kind === 'condition' || kind === 'not-found') return changed(object)
  return error instanceof DriveError ? error : storeError(error)
}

function changed({ bucket, key }: ObjectName): DriveError {
  return new DriveError('changed', `${bucket}/${key} was overwritten or removed.`)
}
