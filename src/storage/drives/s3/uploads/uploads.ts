import type { CompletedPart } from '@aws-sdk/client-s3'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
} from '../../../../platform/checksums/checksum.ts'
import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { CompleteOptions, PartDraft, UploadDrive } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { asciiJson } from '../../kit/stored-attributes.ts'
import { endingPart, foreignState, requireUploadId } from '../../kit/uploads/upload-rules.ts'
import type { AppendOptions } from '../../upload-abilities.ts'
import type { DraftContext } from '../objects/draft.ts'
import { headOf } from '../objects/heads.ts'
import { CollectedBody } from '../requests/collected-body.ts'
import { StreamedBody } from '../requests/streamed-body.ts'
import { type NewPart, type StoreUpload, sendPart } from './upload-requests.ts'

/** The state of an upload, which the caller stores as JSON. */
interface UploadState {
  /** Our ID, which is also the mark of the object. */
  readonly id: string
  readonly bucket: string
  readonly key: string
  /** The store's ID. */
  readonly upload: string
  /** The next part number in the store; absent if parts come in any order. */
  readonly next?: number
  /** Numbers of replaced parts. */
  readonly gaps?: readonly number[]
  readonly algorithm?: ChecksumAlgorithm
  /** The store refuses a Complete that omits a part. */
  readonly isWhole?: boolean
}

const noAttributes = { headers: {}, metadata: {} }

type Calls = Required<UploadDrive>

/**
 * The store's own multipart uploads. A part that replaces the last one gets a new number, so that the bytes of the
 * earlier state stay.
 */
export class StoreUploads implements UploadDrive {
  readonly #context: DraftContext

  constructor(context: DraftContext) {
    this.#context = context
  }

  readonly begin: Calls['begin'] = async (id, target, options = {}) => {
    requireUploadId(id)
    const { attributes = noAttributes, anyOrder = false } = options
    const { bucket, key } = target
    const { probe, begun } = this.#context
    if (!anyOrder) await probe.require(bucket, 'partEtags')
    const { fewerParts } = await probe.abilities(bucket)
    const isKept = await probe.keeps(bucket, options.checksum?.algorithm)
    const checksum = isKept ? options.checksum : undefined
    const upload = await begun.begin({ target, mark: id, attributes, checksum })
    return asciiJson({
      ...{ id, bucket, key, upload: upload.uploadId },
      ...(!anyOrder && { next: 1 }),
      ...(checksum && { algorithm: checksum.algorithm }),
      ...(!fewerParts && { isWhole: true }),
    })
  }

  readonly abilities: Calls['abilities'] = (text) => {
    const { next, isWhole = false } = parse(text)
    return {
      ...{ replaceLast: !isWhole, truncate: !isWhole },
      ...(next === undefined && { anyOrder: { slots: false } }),
    }
  }

  readonly append: Calls['append'] = async (text, options) => {
    const state = parse(text)
    return this.#part(state, options, { ...state, next: nextOf(state) + 1 })
  }

  readonly replaceLast: Calls['replaceLast'] = async (text, options) => {
    const state = parse(text)
    const next = nextOf(state)
    const gaps = [...(state.gaps ?? []), next - 1]
    return this.#part(state, options, { ...state, next: next + 1, gaps })
  }

  readonly place: Calls['place'] = async (text, { number, size }) => {
    return startPart(this.#context, uploadOf(parse(text)), { number, size }, (sent) =>
      JSON.stringify(sent),
    )
  }

  readonly complete: Calls['complete'] = async (text, options) => {
    const state = parse(text)
    const { placed, conditions, assertHeld } = options
    const parts = placed
      ? placed.listed.map(({ place }) => JSON.parse(place) as CompletedPart)
      : await this.#listed(state, options)
    return await this.#context.begun.complete(uploadOf(state), { parts, conditions, assertHeld })
  }

  readonly isPublished: Calls['isPublished'] = async (text) => {
    const state = parse(text)
    return (await headOf(this.#context, state))?.mark === state.id
  }

  readonly abort: Calls['abort'] = async (text) => {
    await this.#context.begun.abort(uploadOf(parse(text)))
  }

  readonly sweep: Calls['sweep'] = (isKnown, olderThanMs) => {
    return this.#context.begun.sweep(isKnown, olderThanMs)
  }

  #part(state: UploadState, { size, signal }: AppendOptions, newState: UploadState): PartDraft {
    const part = { number: nextOf(state), size, signal }
    return startPart(this.#context, uploadOf(state), part, () => asciiJson(newState))
  }

  /** The first parts, as Complete lists them. The store checks their MD5s. */
  async #listed(state: UploadState, { parts, size }: CompleteOptions): Promise<CompletedPart[]> {
    if (parts === undefined) throw new TypeError('an upload in order needs its parts')
    const digests = await parts()
    const gaps = new Set(state.gaps)
    const numbers = Array.from({ length: nextOf(state) - 1 }, (_, index) => index + 1)
    const used = numbers.filter((number) => !gaps.has(number))
    const total = digests.reduce((sum, part) => sum + part.size, 0)
    if (total !== size || digests.length > used.length) {
      const message = `The upload does not consist of these ${digests.length} parts of ${total} bytes: start a new upload.`
      throw new DriveError('upload-gone', message)
    }
    return digests.map(({ md5, checksum }, index) => ({
      ...{ PartNumber: used[index], ETag: `"${md5}"` },
      ...(checksum?.algorithm === state.algorithm &&
        checksum && { [`Checksum${checksum.algorithm}`]: checksum.value }),
    }))
  }
}

function uploadOf({ id, bucket, key, upload, algorithm }: UploadState): StoreUpload {
  return { target: { bucket, key }, uploadId: upload, mark: id, algorithm }
}

function nextOf({ next = 1 }: UploadState): number {
  return next
}

/** @throws DriveError `upload-gone` for the state of another drive */
function parse(text: string): UploadState {
  const state = parsedJson(text) as Partial<UploadState> | undefined
  requireUploadId(state?.id)
  const { bucket, key, upload, algorithm } = state as Partial<UploadState>
  const isText = [bucket, key, upload].every((value) => typeof value === 'string')
  const isKnown = algorithm === undefined || checksumAlgorithms.includes(algorithm)
  if (!isText || !isKnown) throw foreignState()
  return state as UploadState
}

/** The maximum of a part without a length, which is collected in memory. */
const maxCollectedBytes = 16 * 1024 * 1024

interface PartOptions {
  readonly number: number
  readonly size?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** @param resultOf creates the result of `commit` from what Complete needs of the part */
function startPart(
  context: DraftContext,
  upload: StoreUpload,
  { number, size, signal }: PartOptions,
  resultOf: (sent: CompletedPart) => string,
): PartDraft {
  const send = (part: Omit<NewPart, 'number'>) =>
    sendPart(context, upload, { signal, ...part, number })
  const body = new CollectedBody<CompletedPart>({
    ...{ memory: context.memory, size, signal },
    async stream(bytes) {
      const trailer = await context.probe.trailer(upload.target.bucket, upload.algorithm)
      return new StreamedBody(bytes, trailer, (sending) => send({ ...sending, size: bytes }))
    },
  })
  return endingPart({
    async write(chunk) {
      await body.write(chunk)
      if (body.collected <= maxCollectedBytes) return
      const message = `A part without a length can have at most ${maxCollectedBytes / 1024 ** 2} MiB on this drive. Send Content-Length.`
      throw new DriveError('unsupported', message)
    },
    async commit() {
      const { streamed, collected } = body
      const sent = await (streamed?.finish() ?? send({ body: body.take(), size: collected }))
      body.end()
      return resultOf(sent)
    },
    discard: async () => body.end(),
  })
}
