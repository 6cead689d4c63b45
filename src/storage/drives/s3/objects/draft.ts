import type { Readable } from 'node:stream'
import {
  type CompletedPart,
  PutObjectCommand,
  type PutObjectCommandOutput,
} from '@aws-sdk/client-s3'
import type { ChecksumAlgorithm } from '../../../../platform/checksums/checksum.ts'
import type { Attributes } from '../../attributes.ts'
import type {
  Announced,
  Draft,
  DraftOptions,
  ObjectMetadata,
  ObjectName,
  WriteConditions,
} from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { metadataOf } from '../../kit/open-objects.ts'
import { endingDraft } from '../../kit/uploads/upload-rules.ts'
import { type StoreContext, unaskedChecksum } from '../probe/probe.ts'
import { type BodyMemory, CollectedBody } from '../requests/collected-body.ts'
import { answeredAtMs, longCallMs, secondOf, withTrailer } from '../requests/store.ts'
import type { NativeConditions } from '../requests/store-abilities.ts'
import { StreamedBody } from '../requests/streamed-body.ts'
import type { BegunUploads } from '../uploads/begun-uploads.ts'
import { type StoreUpload, sendPart } from '../uploads/upload-requests.ts'
import { requireLocks } from './bucket-versions.ts'
import { conditionalWrite, nativeConditions, newMark } from './conditional-write.ts'
import { isAsWritten, type StoreObject, versionIn } from './heads.ts'
import { areLocked, areSame, fieldsOf, writtenAttributes } from './object-fields.ts'

/** The size of each part of an object of unknown size. */
const partBytes = 8 * 1024 * 1024
const maxParts = 10_000
const nothing: Announced = { attributes: { headers: {}, metadata: {} } }

export interface DraftContext extends StoreContext {
  readonly begun: BegunUploads
  readonly memory: BodyMemory
}

/** A multipart upload to the store for an object of unknown size. */
interface Parts {
  readonly upload: StoreUpload
  readonly sent: CompletedPart[]
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
 * An object that is being written: a small one in one request when it is complete, one of known size in one request while
 * it arrives, any other in parts.
 */
class StoreDraft implements Draft {
  readonly #context: DraftContext
  readonly #target: ObjectName
  readonly #options: DraftOptions
  readonly #announced: Announced
  readonly #mark = newMark()
  readonly #body: CollectedBody<PutObjectCommandOutput>
  /** The conditions of a request that is being sent. */
  #native: NativeConditions | undefined
  #parts: Parts | undefined

  constructor(context: DraftContext, target: ObjectName, options: DraftOptions) {
    this.#context = context
    this.#target = target
    this.#options = options
    this.#announced = options.announced ?? nothing
    const { size, signal } = options
    this.#body = new CollectedBody({
      ...{ memory: context.memory, size, signal },
      stream: (bytes) => this.#stream(bytes),
    })
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#body.write(chunk)
    while (this.#body.collected >= partBytes) {
      this.#parts ??= await this.#beginParts()
      await this.#sendOnePart(this.#parts, this.#body.take(partBytes))
    }
  }

  async publish(attributes: Attributes, conditions?: WriteConditions): Promise<ObjectMetadata> {
    const { streamed } = this.#body
    if (streamed !== undefined || this.#parts !== undefined) {
      requireAnnounced(this.#announced, { attributes, conditions })
    }
    try {
      if (this.#parts !== undefined) return await this.#complete(this.#parts, attributes)
      if (streamed !== undefined) {
        const send = async () => ({ ...(await streamed.finish()), ...streamed.checksum })
        return await this.#put(attributes, { conditions, begun: this.#native, send })
      }
      const body = this.#body.take()
      const send = (native: NativeConditions) =>
        this.#send({ attributes, conditions, body, native })
      return await this.#put(attributes, { conditions, send })
    } finally {
      this.#body.end()
    }
  }

  async discard(): Promise<void> {
    this.#body.end()
    if (this.#parts !== undefined) await this.#context.begun.discard(this.#parts.upload)
  }

  async #stream(size: number): Promise<StreamedBody<PutObjectCommandOutput>> {
    const { attributes, conditions, checksum } = this.#announced
    const needs = { create: 'create', replace: 'replace' } as const
    const native = await nativeConditions(this.#context, this.#target, conditions, needs)
    const { probe } = this.#context
    const { bucket } = this.#target
    const trailer =
      (await probe.trailer(bucket, checksum)) ??
      (areLocked(attributes) ? unaskedChecksum : undefined)
    this.#native = native
    return new StreamedBody<PutObjectCommandOutput>(size, trailer, (sending) =>
      this.#send({ ...sending, attributes, conditions, native, size }),
    )
  }

  async #put(
    attributes: Attributes,
    write: {
      readonly conditions: WriteConditions | undefined
      readonly begun?: NativeConditions | undefined
      send(native: NativeConditions): Promise<PutObjectCommandOutput>
    },
  ): Promise<ObjectMetadata> {
    const size = this.#body.total
    const isOurs = (found: StoreObject | undefined) =>
      write.conditions === undefined
        ? isAsWritten(found, { size, attributes })
        : found?.mark === this.#mark
    return await conditionalWrite<ObjectMetadata>(this.#context, {
      ...{ ...write, target: this.#target },
      needs: { create: 'create', replace: 'replace' },
      resultOf: (found) => (found && isOurs(found) ? metadataOf(found) : undefined),
      send: async (native) => {
        const output = await write.send(native)
        const modifiedAtMs = answeredAtMs(output)
        const version = versionIn(this.#context, this.#target.bucket, output.VersionId)
        const written = writtenAttributes(attributes, output)
        return { size, modifiedAtMs, ...version, attributes: written }
      },
    })
  }

  async #send(put: {
    readonly attributes: Announced['attributes'] & Partial<Attributes>
    readonly conditions: WriteConditions | undefined
    readonly native: NativeConditions
    readonly body: Buffer | Readable
    readonly size?: number
    readonly trailer?: ChecksumAlgorithm | undefined
    readonly signal?: AbortSignal
  }): Promise<PutObjectCommandOutput> {
    const { store, names, probe } = this.#context
    const { attributes, conditions, native, body, size, trailer, signal } = put
    const { checksum, tags, etag } = attributes
    const { bucket } = this.#target
    await probe.requireTags(bucket, tags)
    if (areLocked(attributes)) await requireLocks(this.#context, bucket)
    const isKept = await probe.keeps(bucket, checksum?.algorithm)
    const command = new PutObjectCommand({
      ...names.nameOf(this.#target),
      ...fieldsOf(attributes, conditions === undefined ? undefined : this.#mark),
      ...native,
      Body: body,
      ...(size !== undefined && { ContentLength: size }),
      ...withTrailer(trailer),
      // Object Lock needs a checksum of the body (API reference, PutObject).
      ...(areLocked(attributes) && etag && { ContentMD5: md5Field(etag) }),
      ...(checksum?.type === 'FULL_OBJECT' &&
        isKept && {
          ChecksumAlgorithm: checksum.algorithm,
          [`Checksum${checksum.algorithm}`]: checksum.value,
        }),
    })
    const limitMs = signal === undefined ? longCallMs : Number.POSITIVE_INFINITY
    const bounds = { signal: signal ?? this.#options.signal, limitMs }
    return await store.send(command, bounds)
  }

  async #beginParts(): Promise<Parts> {
    const { attributes } = this.#announced
    const begun = { target: this.#target, mark: this.#mark, attributes }
    return { upload: await this.#context.begun.begin(begun), sent: [] }
  }

  async #sendOnePart({ upload, sent }: Parts, body: Buffer): Promise<void> {
    const number = sent.length + 1
    if (number > maxParts) {
      const message = `An object that is sent in one request without its length, or longer than 5 GiB, can have at most ${(maxParts * partBytes) / 1024 ** 3} GiB on this drive. Use a multipart upload.`
      throw new DriveError('unsupported', message)
    }
    const { signal } = this.#options
    sent.push(await sendPart(this.#context, upload, { number, body, size: body.length, signal }))
    await this.#context.begun.save(upload)
  }

  async #complete(parts: Parts, attributes: Attributes): Promise<ObjectMetadata> {
    const { upload, sent } = parts
    const rest = this.#body.take()
    if (rest.length > 0) await this.#sendOnePart(parts, rest)
    const { conditions } = this.#announced
    const published = await this.#context.begun.complete(upload, { parts: sent, conditions })
    this.#parts = undefined
    if (published !== undefined) return published
    // It has been overwritten since.
    return { size: this.#body.total, modifiedAtMs: secondOf(new Date()), attributes }
  }
}

/** The Content-MD5 of a body with this MD5 as its ETag. */
function md5Field(etag: string): string {
  return Buffer.from(etag, 'hex').toString('base64')
}

/** A request that is being sent can't be changed. */
function requireAnnounced(announced: Announced, published: Announced): void {
  const textOf = ({ conditions = {} }: Announced) => JSON.stringify(conditions)
  const isSame = areSame(announced.attributes, published.attributes)
  if (isSame && textOf(announced) === textOf(published)) return
  throw new TypeError('the published object differs from what was announced')
}
