import type { CompletedPart } from '@aws-sdk/client-s3'
import { DriveError } from '../drive.ts'
import { type DraftContext, enterMemory, wholeBytes } from './draft.ts'
import { StreamedBody } from './streamed-body.ts'
import { type StoreUpload, sendPart } from './upload-requests.ts'

/** Of a part without a length, which is collected in memory. */
const mostCollectedBytes = 16 * 1024 * 1024

interface PartOptions {
  readonly number: number
  readonly size?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A part that is being written: in one request when it is complete, if it is small, otherwise while it arrives. */
export class StorePart {
  readonly #context: DraftContext
  readonly #upload: StoreUpload
  readonly #options: PartOptions
  #chunks: Buffer[] = []
  #collected = 0
  #streamed: StreamedBody<CompletedPart> | undefined
  #leaveMemory: (() => void) | undefined

  constructor(context: DraftContext, upload: StoreUpload, options: PartOptions) {
    this.#context = context
    this.#upload = upload
    this.#options = options
  }

  async write(chunk: Uint8Array): Promise<void> {
    const { size = 0, signal } = this.#options
    signal?.throwIfAborted()
    if (this.#streamed !== undefined) return await this.#streamed.write(chunk)
    // The caller may use the chunk again.
    this.#chunks.push(Buffer.from(chunk))
    this.#collected += chunk.length
    if (this.#collected <= wholeBytes) return
    if (size >= this.#collected) await this.#stream(size)
    else await this.#collectMore()
  }

  /** Resolves with what Complete needs of the part. */
  async send(): Promise<CompletedPart> {
    if (this.#streamed !== undefined) return await this.#streamed.finish()
    const { number, signal } = this.#options
    const body = Buffer.concat(this.#chunks.splice(0))
    const size = body.length
    const part = await sendPart(this.#context, this.#upload, { number, body, size, signal })
    this.#leaveMemory?.()
    return part
  }

  discard(): void {
    this.#chunks = []
    this.#streamed?.abort()
    this.#leaveMemory?.()
  }

  async #stream(size: number): Promise<void> {
    const { number } = this.#options
    this.#streamed = new StreamedBody(size, ({ body, signal }) =>
      sendPart(this.#context, this.#upload, { number, body, size, signal }),
    )
    for (const chunk of this.#chunks.splice(0)) await this.#streamed.write(chunk)
  }

  async #collectMore(): Promise<void> {
    this.#leaveMemory ??= await enterMemory(this.#context.partMemory, this.#options.signal)
    if (this.#collected <= mostCollectedBytes) return
    const message = `A part without a length can have at most ${mostCollectedBytes / 1024 ** 2} MiB on this drive. Send Content-Length.`
    throw new DriveError('unsupported', message)
  }
}
