import { getFileType } from '@uppy/core/utils'
import { sendS3 } from '../s3/bucket-client.ts'
import {
  conditionOf,
  fileTimeHeader,
  type RunningUpload,
  type UploadEvents,
  type UploadOrder,
} from './upload-item.ts'
import { uploadProblem } from './upload-problem.ts'

/** Includes the time that a request waits for a connection. */
const longestMs = 2 * 60_000

/** An error response, as `uploadProblem` reads it. */
class RefusedUpload extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    super(`status ${status}`)
    this.status = status
    this.body = body
  }
}

/** Sends a small file in one request. A pause lets a running request finish. */
export class DirectUpload implements RunningUpload {
  readonly #order: UploadOrder
  readonly #events: UploadEvents
  readonly #stop = new AbortController()
  #isRunning = false
  #isPaused = false
  /** Whether an attempt ended without a response, so that its bytes may have arrived. */
  #isUncertain = false

  constructor(order: UploadOrder, events: UploadEvents) {
    this.#order = order
    this.#events = events
    this.retry()
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.retry()
  }

  retry(): void {
    if (this.#isRunning || this.#stop.signal.aborted) return
    this.#isRunning = true
    void this.#run()
  }

  cancel(): void {
    this.#stop.abort()
  }

  async #run(): Promise<void> {
    try {
      await this.#send()
      this.#isRunning = false
      this.#events.onDone()
    } catch (error) {
      this.#isRunning = false
      // Sent again by `resume`.
      if (!this.#isPaused && !this.#stop.signal.aborted) {
        this.#events.onProblem(uploadProblem(error, this.#order.replaces !== undefined))
      }
    }
  }

  async #send(): Promise<void> {
    const { bucket, key, file } = this.#order
    const reply = await sendS3({
      ...{ method: 'PUT', bucket, key },
      // Cheaper than passing the file, which the browser would open again in its network process.
      body: await file.bytes(),
      // The page's own requests go first.
      priority: 'low',
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(longestMs)]),
      headers: {
        'content-type': getFileType(file),
        ...fileTimeHeader(this.#order),
        ...conditionOf(this.#order),
      },
    }).catch((error: unknown) => {
      this.#isUncertain = true
      throw error
    })
    // Read even if it is empty: the browser cancels a body that is not read.
    const body = await reply.text()
    if (reply.ok) return
    // This may come from a proxy: the service may have stored the file.
    if (reply.status >= 500) this.#isUncertain = true
    if (reply.status === 412 && this.#isUncertain && (await this.#hasArrived())) return
    throw new RefusedUpload(reply.status, body)
  }

  /** Whether the object has the bytes of the file, so that it was stored by this upload. */
  async #hasArrived(): Promise<boolean> {
    const { bucket, key, file } = this.#order
    const reply = await sendS3({ method: 'GET', bucket, key })
    if (!reply.ok || Number(reply.headers.get('content-length')) !== file.size) return false
    const [stored, sent] = await Promise.all([reply.bytes(), file.bytes()])
    return stored.length === sent.length && stored.every((byte, index) => byte === sent[index])
  }
}
