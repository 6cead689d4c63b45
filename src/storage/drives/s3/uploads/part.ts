import type { CompletedPart } from '@aws-sdk/client-s3'
import type { PartDraft } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { endingPart } from '../../kit/uploads/upload-rules.ts'
import type { DraftContext } from '../objects/draft.ts'
import { CollectedBody } from '../requests/collected-body.ts'
import { StreamedBody } from '../requests/streamed-body.ts'
import { type NewPart, type StoreUpload, sendPart } from './upload-requests.ts'

/** Of a part without a length, which is collected in memory. */
const mostCollectedBytes = 16 * 1024 * 1024

interface PartOptions {
  readonly number: number
  readonly size?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/** Starts to write a part. @param resultOf makes the result of `commit`, from what Complete needs of the part */
export function startPart(
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
      if (body.collected <= mostCollectedBytes) return
      const message = `A part without a length can have at most ${mostCollectedBytes / 1024 ** 2} MiB on this drive. Send Content-Length.`
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
