import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import type { Credentials } from '../test/support/signed-request.ts'
import { piecesOf } from './body.ts'

/**
 * Uploads one object as most people's programs do: with the AWS SDK, from a stream, in one request or
 * by its lib-storage in parts. It runs in a separate process, so that its memory and time are measured apart.
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
  /** Absent: one request. */
  readonly parts?: { readonly bytes: number; readonly atOnce: number }
}

export interface UploadResult {
  /** From the first request to the last reply. */
  readonly elapsedMs: number
  /** CPU time of the client itself. */
  readonly cpuSeconds: number
}

const job = JSON.parse(await text(process.stdin)) as UploadJob
const { accessKey, secretKey, region } = job.credentials
const client = new S3Client({
  endpoint: `http://127.0.0.1:${job.port}`,
  region,
  forcePathStyle: true,
  credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
})
const startedAtMs = performance.now()
await send(job)
const elapsedMs = performance.now() - startedAtMs
client.destroy()
const { user, system } = process.cpuUsage()
const result: UploadResult = { elapsedMs, cpuSeconds: (user + system) / 1e6 }
process.stdout.write(`${JSON.stringify(result)}\n`)

async function send({ bucket, key, bytes, parts }: UploadJob): Promise<void> {
  const params = { Bucket: bucket, Key: key, Body: Readable.from(piecesOf(bytes)) }
  if (parts === undefined) {
    await client.send(new PutObjectCommand({ ...params, ContentLength: bytes }))
    return
  }
  const { bytes: partSize, atOnce: queueSize } = parts
  await new Upload({ client, partSize, queueSize, params }).done()
}
