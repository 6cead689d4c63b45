import AwsS3, { type AwsBody } from '@uppy/aws-s3'
import Uppy, { type Meta } from '@uppy/core'
import { bearer, inSession, request } from '../../api/client.ts'
import { sessionStore } from '../../session/session-store.ts'
import { transfersTexts } from '../../texts/transfers.ts'
import { abortUpload, s3Path } from '../s3/bucket-client.ts'
import type { HeldUpload, Leftovers } from './leftovers.ts'
import { partSize, singleRequestBytes } from './part-size.ts'
import {
  conditionOf,
  fileTimeHeader,
  type RunningUpload,
  type UploadEvents,
  type UploadOrder,
  type UploadProblem,
} from './upload-item.ts'
import { uploadProblem } from './upload-problem.ts'

type SignRequest = Extract<
  ConstructorParameters<typeof AwsS3<Meta, AwsBody>>[1],
  { signRequest: unknown }
>['signRequest']
type SigningRequest = Parameters<SignRequest>[0]

/**
 * A browser adds Cache-Control to a conditional request (Fetch standard, "HTTP-network-or-cache fetch") unless it
 * already has one; S3 treats an empty header as absent.
 */
const noCacheControl = { 'cache-control': '' }

const silence = () => undefined
const objectName = 'object'

/**
 * Uppy's uploader, with requests that carry the session instead of a signature.
 *
 * One Uppy per file: Uppy's own queue copies its state at every step of every file, which is slow
 * for thousands of files, and its `upload()` restarts failed files.
 *
 * Its aws-s3 plugin sends the parts of a file one by one, as the gateway requires
 * (docs/contract/object-storage.md, "Part order").
 */
export class UppyUpload implements RunningUpload {
  readonly #order: UploadOrder
  readonly #uppy: Uppy<Meta, AwsBody>
  readonly #fileId: string
  readonly #leftovers: Leftovers
  #held: HeldUpload | undefined
  /** Whether this continues an upload of a previous page. */
  #isClaimed = false
  #hasArrived = false
  /** Resolves when the pause ends; undefined if not paused. */
  #pause: PromiseWithResolvers<void> | undefined

  constructor(order: UploadOrder, events: UploadEvents, leftovers: Leftovers) {
    this.#order = order
    this.#leftovers = leftovers
    const uppy = new Uppy<Meta, AwsBody>({
      logger: { debug: silence, warn: silence, error: silence },
    })
    this.#uppy = uppy
    uppy.use(AwsS3<Meta, AwsBody>, {
      limit: 1,
      shouldUseMultipart: ({ size }) => (size ?? 0) > singleRequestBytes,
      getChunkSize: ({ size }) => partSize(size),
      // This key is not sent; `#sign` uses the real one.
      generateObjectKey: () => objectName,
      signRequest: (request) => this.#sign(request),
    })
    uppy.on('upload-progress', (_file, { bytesUploaded }) => {
      events.onProgress(bytesUploaded)
    })
    uppy.on('upload-success', () => {
      this.#hasArrived = true
      this.#held?.forget()
      events.onDone()
    })
    uppy.on('upload-error', (_file, error) => {
      void problemOf(error, order).then(events.onProblem)
    })
    this.#fileId = uppy.addFile({ name: order.file.name, type: order.file.type, data: order.file })
    void this.#begin()
  }

  pause(): void {
    if (this.#pause !== undefined) return
    this.#pause = Promise.withResolvers()
    this.#uppy.pauseResume(this.#fileId)
  }

  resume(): void {
    if (this.#pause === undefined) return
    this.#pause.resolve()
    this.#pause = undefined
    this.#uppy.pauseResume(this.#fileId)
  }

  retry(): void {
    void this.#finish(this.#uppy.retryUpload(this.#fileId))
  }

  cancel(): void {
    this.#pause?.resolve()
    this.#pause = undefined
    const file = this.#uppy.getFile(this.#fileId)
    const uploadId = file !== undefined && 's3Multipart' in file ? file.s3Multipart?.uploadId : ''
    // Uppy aborts a running upload, but not a failed one.
    const hasFailed = file !== undefined && 'error' in file && Boolean(file.error)
    // Uppy also does not abort an upload that it has not taken over yet.
    if ((hasFailed || this.#isClaimed) && uploadId) void this.#abort(uploadId)
    this.#held?.forget()
    if (file !== undefined) this.#uppy.removeFile(this.#fileId)
    this.#uppy.destroy()
  }

  /** Continues with the parts that a previous page has sent: Uppy lists them and sends the others. */
  async #begin(): Promise<void> {
    const isInParts = this.#order.file.size > singleRequestBytes
    // Without stored records, everything is sent.
    const held = isInParts ? await this.#leftovers.claim(this.#order).catch(silence) : undefined
    await this.#pause?.promise
    if (this.#uppy.getFile(this.#fileId) === undefined) {
      // The upload was cancelled in the meantime.
      if (held !== undefined) void this.#abort(held.uploadId)
      held?.forget()
      return
    }
    if (held !== undefined) {
      this.#held = held
      this.#isClaimed = true
      const s3Multipart = { uploadId: held.uploadId, key: objectName }
      this.#uppy.setFileState(this.#fileId, { s3Multipart })
    }
    await this.#finish(this.#uppy.upload())
  }

  /** Problems are reported as events; the promise repeats them. */
  async #finish(work: Promise<unknown>): Promise<void> {
    await work.catch(silence)
    // Not earlier: destroying Uppy would abort an upload that it still holds.
    if (this.#hasArrived) this.#uppy.destroy()
  }

  async #sign(request: SigningRequest): Promise<{ url: string; headers?: Record<string, string> }> {
    // Uppy pauses only requests that it has started.
    await this.#pause?.promise
    const { bucket, key } = this.#order
    const { method } = request
    if ('partNumber' in request)
      this.#held ??= this.#leftovers.remember(request.uploadId, this.#order)
    const publishes = method === 'PUT' ? !('uploadId' in request) : 'uploadId' in request
    const isGuarded = publishes && (method === 'PUT' || method === 'POST')
    // Metadata is sent with the request that creates the object, or its upload.
    const isFirst = !('uploadId' in request) && (method === 'PUT' || method === 'POST')
    const headers = await inSession(async (token) => bearer(token))
    return {
      url: location.origin + s3Path({ bucket, key, query: queryOf(request) }),
      headers: {
        ...headers,
        ...(isFirst && fileTimeHeader(this.#order)),
        ...(isGuarded && { ...conditionOf(this.#order), ...noCacheControl }),
      },
    }
  }

  /** If this fails, the upload expires on the server (UPLOAD_EXPIRY_HOURS). */
  async #abort(uploadId: string): Promise<void> {
    await abortUpload(this.#order, uploadId).catch(silence)
  }
}

/**
 * Classifies an error. If the session has expired, resolves after the next sign-in, so that the part is sent again.
 */
async function problemOf(error: unknown, { replaces }: UploadOrder): Promise<UploadProblem> {
  const problem = uploadProblem(error, replaces !== undefined)
  if (problem.kind !== 'final') return problem
  // Uppy does not expose the reply header that says so.
  const { token } = sessionStore
  try {
    await request('/auth/session')
  } catch (reason) {
    return uploadProblem(reason)
  }
  if (sessionStore.token === token) return problem
  return { kind: 'passing', message: transfersTexts.problem.expired }
}

function queryOf(request: SigningRequest): Record<string, string> {
  if ('partNumber' in request) {
    return { uploadId: request.uploadId, partNumber: String(request.partNumber) }
  }
  if ('uploadId' in request) return { uploadId: request.uploadId }
  return request.method === 'POST' ? { uploads: '' } : {}
}
