import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Credentials } from '../test/support/signed-request.ts'

/**
 * Uploads one object as most people's programs do: lib-storage of the AWS SDK with its own defaults,
 * from a stream. It runs in a process of its own, so that its memory and time are nobody else's.
 *
 * Usage: node bench/upload-client.ts < job.json; the result is one line of JSON on stdout.
 */
export interface UploadJob {
  readonly port: number
  readonly bucket: string
  readonly key: string
  readonly credentials: Credentials
  /** Of the whole object. */
  readonly bytes: number
  readonly partBytes: number
}

export interface UploadResult {
  /** From CreateMultipartUpload to the reply of CompleteMultipartUpload. */
  readonly elapsedMs: number
  /** CPU time of the client itself. */
  readonly cpuSeconds: number
}

const piece = Buffer.alloc(1024 * 1024, 'stowage ')

function* pieces(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left)
}

const job = JSON.parse(await text(process.stdin)) as UploadJob
const { accessKey, secretKey, region } = job.credentials
const client = new S3Client({
  endpoint: `http://127.0.0.1:${job.port}`,
  region,
  forcePathStyle: true,
  credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
})
const upload = new Upload({
  client,
  partSize: job.partBytes,
  params: { Bucket: job.bucket, Key: job.key, Body: Readable.from(pieces(job.bytes)) },
})
const startedAtMs = performance.now()
await upload.done()
const elapsedMs = performance.now() - startedAtMs
client.destroy()
const { user, system } = process.cpuUsage()
const result: UploadResult = { elapsedMs, cpuSeconds: (user + system) / 1e6 }
process.stdout.write(`${JSON.stringify(result)}\n`)
