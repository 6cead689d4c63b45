import { getFileType } from '@uppy/core/utils'
import { sendS3 } from '../s3/bucket-client.ts'
import {
  conditionOf,
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

/** Sends a small file in one request, which a pause lets end. */
export class DirectUpload implements RunningUpload {
  readonly #order: UploadOrder
  readonly #events: UploadEvents
  readonly #stop = new AbortController()
  #isRunning = false
  #isPaused = false
  /** An attempt ended without a response, so its bytes may have arrived. */
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
      // Cheaper than the file, which the browser would open once more for its network process.
      body: await file.bytes(),
      // The page's own requests go first.
      priority: 'low',
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(longestMs)]),
      headers: {
        'content-type': getFileType(file),
        ...conditionOf(this.#order),
      },
    }).catch((error: unknown) => {
      this.#isUncertain = true
      throw error
    })
    // Read even if it is empty: a body that is not read is cancelled.
    const body = await reply.text()
    if (reply.ok) return
    // A proxy's: the service may have stored the file.
    if (reply.status >= 500) this.#isUncertain = true
    if (reply.status === 412 && this.#isUncertain && (await this.#hasArrived())) return
    throw new RefusedUpload(reply.status, body)
  }

  /** Whether the object has the bytes of the file: it is then not another's. */
  async #hasArrived(): Promise<boolean> {
    const { bucket, key, file } = this.#order
    const reply = await sendS3({ method: 'GET', bucket, key })
    if (!reply.ok || Number(reply.headers.get('content-length')) !== file.size) return false
    const [stored, sent] = await Promise.all([reply.bytes(), file.bytes()])
    return stored.length === sent.length && stored.every((byte, index) => byte === sent[index])
  }
}
