import { type CompletedPart, PutObjectCommand } from '@aws-sdk/client-s3'
import type { Limiter } from '../../process/limiter.ts'
import type { Attributes } from '../attributes.ts'
import {
  type Announced,
  type Draft,
  type DraftOptions,
  DriveError,
  type ObjectMetadata,
  type ObjectName,
  type WriteConditions,
} from '../drive.ts'
import { endingDraft } from '../uploads/ending-draft.ts'
import type { BegunUploads } from './begun-uploads.ts'
import { conditionalWrite, nativeConditions, newMark } from './conditional-write.ts'
import { isAsWritten, type StoreObject, withoutMark } from './heads.ts'
import { bareEtag, checksumIn, fieldsOf } from './object-fields.ts'
import { answeredAtMs, longCallMs } from './store.ts'
import type { NativeConditions } from './store-abilities.ts'
import type { StoreContext } from './store-context.ts'
import { StreamedBody } from './streamed-body.ts'
import { completeStoreUpload, createUpload, type StoreUpload, sendPart } from './upload-requests.ts'

/** Up to this size, an object is sent in one piece when it is complete: then it can be sent again. */
export const wholeBytes = 1024 * 1024
/** S3's largest object in one request (API reference, PutObject). */
const maxPutBytes = 5 * 1024 ** 3
/** Of an object of unknown size. */
const partBytes = 8 * 1024 * 1024
const maxParts = 10_000
const nothing: Announced = { attributes: { headers: {}, metadata: {} } }

export interface DraftContext extends StoreContext {
  readonly begun: BegunUploads
  /** The drafts that may hold a part in memory at a time. */
  readonly partMemory: Limiter
}

type PutOutput = Parameters<typeof answeredAtMs>[0] &
  Parameters<typeof checksumIn>[0] & {
    readonly ETag?: string | undefined
  }

/** A request that is under way. */
interface Streaming {
  readonly body: StreamedBody<PutOutput>
  readonly native: NativeConditions
}

/** An upload of the store for an object of unknown size. */
interface Parts {
  readonly upload: StoreUpload
  readonly leaveMemory: () => void
  readonly sent: CompletedPart[]
}

/** How long a body of unknown size waits for memory. */
const memoryWaitMs = 30_000

/** @throws DriveError `busy` if others do not free memory in time; the signal's reason */
export async function enterMemory(
  memory: Limiter,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const late = new AbortController()
  const timer = setTimeout(() => {
    const message = 'Too many bodies without a length are being sent. Send the request again.'
    late.abort(new DriveError('busy', message))
  }, memoryWaitMs)
  try {
    return await memory.enter(signal ? AbortSignal.any([signal, late.signal]) : late.signal)
  } finally {
    clearTimeout(timer)
  }
}

export function startDraft(
  context: DraftContext,
  target: ObjectName,
  options: DraftOptions,
): Draft {
  context.names.nameOf(target)
  return endingDraft(new StoreDraft(context, target, options))
}

/**
 * An object that is being written: in one request when it is complete, if it is small; in one request while it arrives,
 * if its size is known; otherwise in parts.
 */
class StoreDraft implements Draft {
  readonly #context: DraftContext
  readonly #target: ObjectName
  readonly #options: DraftOptions
  readonly #announced: Announced
  readonly #mark = newMark()
  #chunks: Buffer[] = []
  #collected = 0
  #total = 0
  #streaming: Streaming | undefined
  #parts: Parts | undefined

  constructor(context: DraftContext, target: ObjectName, options: DraftOptions) {
    this.#context = context
    this.#target = target
    this.#options = options
    this.#announced = options.announced ?? nothing
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#options.signal?.throwIfAborted()
    this.#total += chunk.length
    if (this.#streaming !== undefined) return await this.#streaming.body.write(chunk)
    // The caller may use the chunk again.
    this.#chunks.push(Buffer.from(chunk))
    this.#collected += chunk.length
    if (this.#collected <= wholeBytes) return
    const { size = 0 } = this.#options
    const isKnown = size > wholeBytes && size <= maxPutBytes
    if (isKnown && this.#parts === undefined) await this.#stream(size)
    else if (this.#collected >= partBytes) await this.#sendParts()
  }

  async publish(attributes: Attributes, conditions?: WriteConditions): Promise<ObjectMetadata> {
    if (this.#streaming !== undefined || this.#parts !== undefined) {
      requireAnnounced(this.#announced, { attributes, conditions })
    }
    if (this.#streaming !== undefined) return await this.#finish(this.#streaming, attributes)
    if (this.#parts !== undefined) return await this.#complete(this.#parts, attributes)
    const body = Buffer.concat(this.#chunks.splice(0))
    return await this.#put(attributes, {
      ...{ conditions, isRepeatable: true },
      send: (native) => this.#send({ attributes, conditions, body, native }),
    })
  }

  async discard(): Promise<void> {
    this.#chunks = []
    this.#streaming?.body.abort()
    const parts = this.#parts
    if (parts === undefined) return
    parts.leaveMemory()
    // If this fails, a sweep does it.
    await this.#context.begun.abort(this.#mark, parts.upload).catch(() => undefined)
  }

  async #stream(size: number): Promise<void> {
    const { attributes, conditions, checksum } = this.#announced
    const needs = { create: 'create', replace: 'replace' } as const
    const native = await nativeConditions(this.#context, this.#target, conditions, needs)
    const algorithm = (await this.#keepsChecksums()) ? checksum : undefined
    const body = new StreamedBody<PutOutput>(size, (sending) =>
      this.#send({ ...sending, attributes, conditions, native, size, algorithm }),
    )
    this.#streaming = { body, native }
    for (const chunk of this.#chunks.splice(0)) await body.write(chunk)
  }

  async #finish({ body, native }: Streaming, attributes: Attributes): Promise<ObjectMetadata> {
    const { conditions } = this.#announced
    return await this.#put(attributes, {
      ...{ conditions, isRepeatable: false, begun: native },
      send: () => body.finish(),
    })
  }

  async #put(
    attributes: Attributes,
    write: {
      readonly conditions: WriteConditions | undefined
      readonly isRepeatable: boolean
      readonly begun?: NativeConditions
      send(native: NativeConditions): Promise<PutOutput>
    },
  ): Promise<ObjectMetadata> {
    const size = this.#total
    const { headers, metadata, tags, storageClass } = attributes
    const sent = { headers, metadata, ...(tags && { tags }), ...(storageClass && { storageClass }) }
    const isOurs = (found: StoreObject | undefined) =>
      write.conditions === undefined
        ? isAsWritten(found, { size, attributes })
        : found?.mark === this.#mark
    return await conditionalWrite<ObjectMetadata>(this.#context, {
      ...write,
      target: this.#target,
      needs: { create: 'create', replace: 'replace' },
      resultOf: (found) => (found && isOurs(found) ? withoutMark(found) : undefined),
      send: async (native) => {
        const output = await write.send(native)
        const checksum = checksumIn(output)
        return {
          ...{ size, modifiedAtMs: answeredAtMs(output) },
          attributes: { ...sent, etag: bareEtag(output.ETag), ...(checksum && { checksum }) },
        }
      },
    })
  }

  async #send(put: {
    readonly attributes: Announced['attributes'] & Partial<Attributes>
    readonly conditions: WriteConditions | undefined
    readonly native: NativeConditions
    readonly body: Buffer | Parameters<typeof sendPart>[2]['body']
    readonly size?: number
    readonly algorithm?: Announced['checksum']
    readonly signal?: AbortSignal
  }): Promise<PutOutput> {
    const { store, names } = this.#context
    const { attributes, conditions, native, body, size, algorithm, signal } = put
    const { checksum } = attributes
    const isKept = checksum?.type === 'FULL_OBJECT' && (await this.#keepsChecksums())
    const command = new PutObjectCommand({
      ...names.nameOf(this.#target),
      ...fieldsOf(attributes, conditions === undefined ? undefined : this.#mark),
      ...native,
      Body: body,
      ...(size !== undefined && { ContentLength: size }),
      ...(algorithm !== undefined && { ChecksumAlgorithm: algorithm }),
      ...(isKept && {
        ChecksumAlgorithm: checksum.algorithm,
        [`Checksum${checksum.algorithm}`]: checksum.value,
      }),
    })
    const limitMs = signal === undefined ? longCallMs : Number.POSITIVE_INFINITY
    const bounds = { signal: signal ?? this.#options.signal, limitMs }
    return await store.call((options) => store.client.send(command, options), bounds)
  }

  async #sendParts(): Promise<void> {
    this.#parts ??= await this.#beginParts()
    while (this.#collected >= partBytes) {
      const collected = Buffer.concat(this.#chunks)
      const rest = collected.subarray(partBytes)
      this.#chunks = [rest]
      this.#collected = rest.length
      await this.#sendOnePart(this.#parts, collected.subarray(0, partBytes))
    }
  }

  async #beginParts(): Promise<Parts> {
    const { begun, partMemory } = this.#context
    const { signal, announced } = this.#options
    const leaveMemory = await enterMemory(partMemory, signal)
    try {
      const { attributes } = announced ?? nothing
      const upload = await createUpload(this.#context, {
        ...{ target: this.#target, mark: this.#mark, attributes },
      })
      await begun.save(this.#mark, upload)
      return { upload, leaveMemory, sent: [] }
    } catch (error) {
      leaveMemory()
      throw error
    }
  }

  async #sendOnePart({ upload, sent }: Parts, body: Buffer): Promise<void> {
    const number = sent.length + 1
    if (number > maxParts) {
      const message = `An object that is sent in one request without its length, or longer than 5 GiB, can have at most ${(maxParts * partBytes) / 1024 ** 3} GiB on this drive. Use a multipart upload.`
      throw new DriveError('unsupported', message)
    }
    const { signal } = this.#options
    sent.push(await sendPart(this.#context, upload, { number, body, size: body.length, signal }))
    await this.#context.begun.save(this.#mark, upload)
  }

  async #complete(parts: Parts, attributes: Attributes): Promise<ObjectMetadata> {
    const { upload, sent } = parts
    const rest = Buffer.concat(this.#chunks.splice(0))
    if (rest.length > 0) await this.#sendOnePart(parts, rest)
    const { conditions } = this.#announced
    const found = await completeStoreUpload(this.#context, upload, { parts: sent, conditions })
    this.#parts = undefined
    parts.leaveMemory()
    await this.#context.begun.forget(this.#mark)
    if (found !== undefined) return withoutMark(found)
    // It has been overwritten since.
    return { size: this.#total, modifiedAtMs: Math.floor(Date.now() / 1000) * 1000, attributes }
  }

  async #keepsChecksums(): Promise<boolean> {
    return (await this.#context.probe.abilities(this.#target.bucket)).checksums
  }
}

/** A request that has begun can't be changed. */
function requireAnnounced(announced: Announced, published: Announced): void {
  const textOf = ({ attributes, conditions = {} }: Announced) => {
    const { headers, metadata, tags = {}, storageClass = '' } = attributes
    return JSON.stringify([headers, metadata, tags, storageClass, conditions])
  }
  if (textOf(announced) === textOf(published)) return
  throw new TypeError('what is published is not what was announced')
}
