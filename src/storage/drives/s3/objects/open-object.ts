import type { Readable } from 'node:stream'
import {
  GetObjectCommand,
  type GetObjectCommandInput,
  type GetObjectCommandOutput,
} from '@aws-sdk/client-s3'
import { freeMemory } from '../../../../platform/process/buffers.ts'
import type { ObjectName, OpenObject, OpenOptions, WantedBytes } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { CachedObject, metadataOf } from '../../kit/open-objects.ts'
import type { StoreContext } from '../probe/probe.ts'
import { replyBytes } from '../requests/reply-bytes.ts'
import { bareEtag } from '../requests/store.ts'
import { codeOf, storeError } from '../requests/store-errors.ts'
import type { StoreName } from '../requests/store-names.ts'
import {
  headWithPart,
  inBucket,
  type ObjectVersionName,
  objectIn,
  rangeIn,
  type StoreObject,
  unlessMissing,
  unlessNoVersion,
  versionNameOf,
} from './heads.ts'

/** Objects up to this size that are read whole are held in memory. */
const contentBytes = 64 * 1024

/** One version of an object: reads are pinned to its ETag. */
export async function openStoreObject(
  context: StoreContext,
  name: ObjectName,
  { wanted, partNumber, versionId }: OpenOptions = {},
): Promise<OpenObject | undefined> {
  const object = { ...name, versionId }
  if (wanted !== undefined && partNumber === undefined) {
    try {
      return await openWith(context, object, wanted)
    } catch (error) {
      if (codeOf(error) !== 'InvalidRange') throw error
    }
  }
  const found = await headWithPart(context, object, partNumber)
  return found && openedObject(context, object, found)
}

/** One request, whose reply has metadata and bytes. */
async function openWith(
  context: StoreContext,
  object: ObjectVersionName,
  wanted: WantedBytes,
): Promise<OpenObject | undefined> {
  const name = versionNameOf(context, object)
  if (name === undefined) return undefined
  const ending = new AbortController()
  const isWhole = wanted.start === 0 && wanted.end === Number.POSITIVE_INFINITY
  const fields = isWhole ? {} : { Range: rangeField(wanted) }
  const asked = () => unlessMissing(request(context, name, fields, ending))
  const reply = await unlessNoVersion(context, object, asked)
  if (reply === undefined) return undefined
  if (!('$metadata' in reply)) return openedObject(context, object, reply)
  try {
    const plain = await objectIn(context, name, reply)
    const found = plain && inBucket(context, object.bucket, plain)
    if (found === undefined) {
      ending.abort()
      return undefined
    }
    const { start, end } = rangeIn(reply.ContentRange) ?? { start: 0, end: found.size }
    const bytes = replyBytes(reply.Body as Readable, { size: end - start, ending })
    if (!isWhole || end > contentBytes) {
      return openedObject(context, object, found, { start, end, bytes, ending })
    }
    const chunks = await Array.fromAsync(bytes)
    const content = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
    return new CachedObject(found, content)
  } catch (error) {
    ending.abort()
    throw asReadError(error, object)
  }
}

/** A reply that is being read. */
interface Begun extends WantedBytes {
  readonly bytes: AsyncGenerator<Uint8Array>
  readonly ending: AbortController
}

function openedObject(
  context: StoreContext,
  { bucket, key }: ObjectName,
  found: StoreObject,
  begun?: Begun,
): OpenObject {
  // A version can be read to its end after it was replaced.
  const object = { bucket, key, versionId: found.versionId }
  const { etag } = found.attributes
  const endings = new Set(begun && [begun.ending])
  let isClosed = false
  let first = begun
  async function* read(start: number, end: number): AsyncGenerator<Uint8Array> {
    if (start === end) return
    const isBegun = start === first?.start && end === first.end
    const { bytes, ending } = (isBegun && first) || rangeOf(context, object, etag, { start, end })
    first = undefined
    endings.add(ending)
    try {
      yield* bytes
    } catch (error) {
      if (!isClosed) throw asReadError(error, object)
    } finally {
      endings.delete(ending)
    }
  }
  return {
    ...metadataOf(found),
    read,
    async lend(start, end, borrow) {
      for await (const chunk of read(start, end)) {
        await borrow(chunk)
        freeMemory(chunk)
      }
    },
    async close() {
      isClosed = true
      for (const ending of endings) ending.abort()
    },
  }
}

function rangeOf(
  context: StoreContext,
  object: ObjectVersionName,
  etag: string,
  range: WantedBytes,
): Begun {
  const ending = new AbortController()
  async function* bytes() {
    const fields = { Range: rangeField(range), IfMatch: `"${etag}"` }
    const name = versionNameOf(context, object) ?? context.names.nameOf(object)
    const reply = await request(context, name, fields, ending)
    const size = range.end - range.start
    const isRange = bareEtag(reply.ETag) === etag && reply.ContentLength === size
    if (!isRange) ending.abort(changed(object))
    yield* replyBytes(reply.Body as Readable, { size, ending })
  }
  return { ...range, bytes: bytes(), ending }
}

function rangeField({ start, end }: WantedBytes): string {
  if (start < 0) return `bytes=${start}`
  return `bytes=${start}-${end === Number.POSITIVE_INFINITY ? '' : end - 1}`
}

/** A GET, whose body is read after the call. */
function request(
  { store }: StoreContext,
  name: StoreName,
  fields: Partial<GetObjectCommandInput>,
  ending: AbortController,
): Promise<GetObjectCommandOutput> {
  const command = new GetObjectCommand({ ...name, ...fields })
  return store.send(command, { ending })
}

function asReadError(error: unknown, object: ObjectName): unknown {
  const { kind } = error as DriveError
  if (kind === 'condition' || kind === 'not-found') return changed(object)
  return error instanceof DriveError ? error : storeError(error)
}

function changed({ bucket, key }: ObjectName): DriveError {
  return new DriveError('changed', `${bucket}/${key} was overwritten or removed.`)
}
