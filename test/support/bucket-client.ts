import assert from 'node:assert/strict'
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { testBucket as Bucket, testCredentials } from './gateway-process.ts'
import { md5Of } from './test-bytes.ts'

/** An upload in parts of one size, the last of which may be smaller. */
export interface UploadPlan {
  /** Bytes. */
  readonly partSize: number
  /** Parts that are sent at once. */
  readonly parallel: number
}

/** A part of an upload: sent, or copied from the source object. */
export interface PiecePlan {
  readonly start: number
  readonly end: number
  readonly isCopied: boolean
}

/** A part that the gateway has: its ETag, without quotes, must be the MD5 of these bytes. */
interface SentPart {
  readonly PartNumber: number
  readonly ETag: string
}

/** The AWS SDK on one bucket. It retries SlowDown for as long as a test lasts. */
export class BucketClient {
  readonly #s3: S3Client

  constructor(endpoint: string) {
    const { accessKey, secretKey, region } = testCredentials
    const credentials = { accessKeyId: accessKey, secretAccessKey: secretKey }
    this.#s3 = new S3Client({
      ...{ endpoint, region, credentials },
      ...{ forcePathStyle: true, maxAttempts: 20 },
    })
  }

  close(): void {
    this.#s3.destroy()
  }

  async put(Key: string, Body: Buffer): Promise<void> {
    const { ETag } = await this.#s3.send(new PutObjectCommand({ Bucket, Key, Body }))
    assert.equal(ETag, `"${md5Of(Body)}"`)
  }

  async upload(key: string, bytes: Buffer, { partSize, parallel }: UploadPlan): Promise<void> {
    const starts = Array.from(
      { length: Math.ceil(bytes.length / partSize) },
      (_, index) => index * partSize,
    )
    await this.#inParts(key, parallel, starts, async (upload, start) => {
      const part = bytes.subarray(start, start + partSize)
      const sent = await this.#s3.send(new UploadPartCommand({ ...upload, Body: part }))
      return { etag: sent.ETag, part }
    })
  }

  async copy(source: string, Key: string): Promise<void> {
    const CopySource = `${Bucket}/${source}`
    await this.#s3.send(new CopyObjectCommand({ Bucket, Key, CopySource }))
  }

  /** Makes `key` the same as `source`, whose bytes are `bytes`. */
  async uploadWithCopies(
    key: string,
    bytes: Buffer,
    { source, pieces }: { readonly source: string; readonly pieces: readonly PiecePlan[] },
  ): Promise<void> {
    await this.#inParts(key, 1, pieces, async (upload, { start, end, isCopied }) => {
      const part = bytes.subarray(start, end)
      if (!isCopied) {
        const sent = await this.#s3.send(new UploadPartCommand({ ...upload, Body: part }))
        return { etag: sent.ETag, part }
      }
      const from = {
        CopySource: `${Bucket}/${source}`,
        CopySourceRange: `bytes=${start}-${end - 1}`,
      }
      const copied = await this.#s3.send(new UploadPartCopyCommand({ ...upload, ...from }))
      return { etag: copied.CopyPartResult?.ETag, part }
    })
  }

  /** The bytes as they come. */
  async get(Key: string, Range?: string): Promise<AsyncIterable<Uint8Array>> {
    const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket, Key, Range }))
    return Body as unknown as AsyncIterable<Uint8Array>
  }

  async #inParts<Piece>(
    Key: string,
    parallel: number,
    pieces: readonly Piece[],
    send: (
      upload: { Bucket: string; Key: string; UploadId: string | undefined; PartNumber: number },
      piece: Piece,
    ) => Promise<{ readonly etag: string | undefined; readonly part: Buffer }>,
  ): Promise<void> {
    const { UploadId } = await this.#s3.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    const parts: SentPart[] = []
    const left = [...pieces.entries()]
    const sendNext = async (): Promise<void> => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [index, piece] = next
        const PartNumber = index + 1
        const { etag, part } = await send({ Bucket, Key, UploadId, PartNumber }, piece)
        assert.equal(etag, `"${md5Of(part)}"`)
        parts[index] = { PartNumber, ETag: etag }
      }
    }
    await Promise.all(Array.from({ length: parallel }, sendNext))
    const MultipartUpload = { Parts: parts }
    await this.#s3.send(
      new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload }),
    )
  }
}
