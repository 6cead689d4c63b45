import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { untilAborted } from '../../process/time-limit.ts'
import { DriveError, type ObjectName, type OpenObject } from '../drive.ts'
import type { OpenOptions } from '../read-options.ts'
import { headWithPart, objectIn, type StoreObject, unlessMissing, withoutMark } from './heads.ts'
import { bareEtag } from './object-fields.ts'
import { noAnswer, stallMs } from './store.ts'
import type { StoreContext } from './store-context.ts'
import { storeError } from './store-errors.ts'

/** Up to this size, an object that is read as a whole is in memory when it is opened. */
const contentBytes = 64 * 1024

/** One version of an object: reads are pinned to its ETag. */
export async function openStoreObject(
  context: StoreContext,
  object: ObjectName,
  { isWhole = false, partNumber }: OpenOptions = {},
): Promise<OpenObject | undefined> {
  if (isWhole && partNumber === undefined) return await openWhole(context, object)
  const found = await headWithPart(context, object, partNumber)
  return found && openedObject(context, object, found)
}

/** With one request, whose reply has metadata and bytes. */
async function openWhole(
  context: StoreContext,
  object: ObjectName,
): Promise<OpenObject | undefined> {
  const { store, names } = context
  const name = names.nameOf(object)
  const ending = new AbortController()
  const command = new GetObjectCommand({ ...name, ChecksumMode: 'ENABLED' })
  const reply = await unlessMissing(
    store.call(({ abortSignal }) =>
      store.client.send(command, { abortSignal: AbortSignal.any([abortSignal, ending.signal]) }),
    ),
  )
  if (reply === undefined) return undefined
  try {
    const found = await objectIn(context, name, reply)
    const bytes = bodyOf(reply, { size: found.size, ending })
    if (found.size > contentBytes) return openedObject(context, object, found, { bytes, ending })
    const chunks = await Array.fromAsync(bytes)
    return { ...openedObject(context, object, found), content: Buffer.concat(chunks) }
  } catch (error) {
    ending.abort()
    throw asReadError(error, object)
  }
}

/** The body of a reply, for the first read. */
interface Begun {
  readonly bytes: AsyncGenerator<Uint8Array>
  readonly ending: AbortController
}

function openedObject(
  context: StoreContext,
  object: ObjectName,
  found: StoreObject,
  begun?: Begun,
): OpenObject {
  const { size, attributes } = found
  const closing = new AbortController()
  let whole = begun
  return {
    ...withoutMark(found),
    async *read(start, end) {
      if (start === end) return
      const range = { object, etag: attributes.etag, start, end, signal: closing.signal }
      const bytes = start === 0 && end === size ? whole?.bytes : undefined
      whole = undefined
      try {
        yield* bytes ?? bytesOf(context, range)
      } catch (error) {
        if (!closing.signal.aborted) throw asReadError(error, object)
      }
    },
    async close() {
      closing.abort()
      begun?.ending.abort()
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
  const command = new GetObjectCommand({
    ...names.nameOf(object),
    ...{ Range: `bytes=${start}-${end - 1}`, IfMatch: `"${etag}"` },
  })
  const reply = await store.call(
    ({ abortSignal }) =>
      // The bytes outlast the call.
      store.client.send(command, { abortSignal: AbortSignal.any([abortSignal, ending.signal]) }),
    { signal },
  )
  const isRange = bareEtag(reply.ETag) === etag && reply.ContentLength === end - start
  try {
    if (!isRange) throw changed(object)
    yield* bodyOf(reply, { size: end - start, ending, signal })
  } finally {
    if (!isRange) ending.abort()
  }
}

/** All bytes of a reply. The connection can be used again, unless they are not read to the end. */
async function* bodyOf(
  { Body }: GetObjectCommandOutput,
  options: {
    readonly size: number
    readonly ending: AbortController
    readonly signal?: AbortSignal
  },
): AsyncGenerator<Uint8Array> {
  const { size, ending, signal = ending.signal } = options
  const body = (Body as unknown as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  let left = size
  let isRead = false
  try {
    for (;;) {
      const { value, done } = await nextChunk(body, signal)
      if (done) break
      left -= value.length
      yield value
    }
    if (left > 0) throw new DriveError('unavailable', 'The S3 store has sent a part of the object.')
    isRead = true
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
