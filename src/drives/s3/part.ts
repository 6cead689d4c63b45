import type { CompletedPart } from '@aws-sdk/client-s3'
import { DriveError } from '../drive.ts'
import { CollectedBody } from './collected-body.ts'
import type { DraftContext } from './draft.ts'
import { StreamedBody } from './streamed-body.ts'
import { type StoreUpload, sendPart } from './upload-requests.ts'

/** Of a part without a length, which is collected in memory. */
const mostCollectedBytes = 16 * 1024 * 1024

interface PartOptions {
  readonly number: number
  readonly size?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** A part that is being written. */
export class StorePart {
  readonly #body: CollectedBody<CompletedPart>
  readonly #send: (
    part: Pick<Parameters<typeof sendPart>[2], 'body' | 'size' | 'signal'>,
  ) => Promise<CompletedPart>

  constructor(context: DraftContext, upload: StoreUpload, options: PartOptions) {
    const { number, size, signal } = options
    this.#send = (part) => sendPart(context, upload, { signal, ...part, number })
    this.#body = new CollectedBody({
      ...{ memory: context.memory, size, signal },
      stream: (bytes) =>
        new StreamedBody(bytes, (sending) => this.#send({ ...sending, size: bytes })),
    })
  }

  async write(chunk: Uint8Array): Promise<void> {
    await this.#body.write(chunk)
    if (this.#body.collected <= mostCollectedBytes) return
    const message = `A part without a length can have at most ${mostCollectedBytes / 1024 ** 2} MiB on this drive. Send Content-Length.`
    throw new DriveError('unsupported', message)
  }

  /** Resolves with what Complete needs of the part. */
  async send(): Promise<CompletedPart> {
    const { streamed, collected } = this.#body
    const part = streamed
      ? await streamed.finish()
      : await this.#send({ body: this.#body.take(), size: collected })
    this.#body.end()
    return part
  }

  discard(): void {
    this.#body.end()
  }
}
