import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { HttpRequest } from '../../../../src/platform/http/message.ts'
import {
  declaredSize,
  type PayloadOptions,
  readPayload,
} from '../../../../src/storage/s3/body/payload.ts'
import type { PayloadDigest, PayloadSink } from '../../../../src/storage/s3/body/payload-writer.ts'
import { S3Error } from '../../../../src/storage/s3/errors.ts'
import { fakeRequest } from './fake-request.ts'

export type Headers = Record<string, string>
export const streaming = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' }

/** A sink that stores its chunks and checks that one write runs at a time. */
export class Kept {
  readonly chunks: Buffer[] = []
  #isWriting = false

  async write(chunk: Uint8Array): Promise<void> {
    assert.ok(chunk.length > 0)
    assert.ok(!this.#isWriting, 'two writes at once')
    this.#isWriting = true
    await new Promise((resolve) => setImmediate(resolve))
    // Copied only now: the bytes must not change while the write is in progress.
    this.chunks.push(Buffer.from(chunk))
    this.#isWriting = false
  }

  get bytes(): Buffer {
    return Buffer.concat(this.chunks)
  }
}

export function request(
  pieces: readonly (Uint8Array | string)[],
  headers: Headers = {},
): HttpRequest {
  const body = pieces.map((piece) => Buffer.from(piece))
  const length = body.reduce((total, piece) => total + piece.length, 0)
  return fakeRequest({
    method: 'PUT',
    headers: { 'content-length': `${length}`, ...headers },
    body,
  })
}

/** readPayload of as many bytes as the request declares. */
export async function read(
  from: HttpRequest,
  sink: PayloadSink,
  options: Partial<PayloadOptions> = {},
): Promise<PayloadDigest> {
  return await readPayload(from, sink, { size: declaredSize(from), ...options })
}

export function md5(bytes: Uint8Array | string): string {
  return createHash('md5').update(bytes).digest('hex')
}

export async function rejects(promise: Promise<unknown>, code: string): Promise<S3Error> {
  const error = await promise.then(
    () => assert.fail(`expected ${code}`),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof S3Error, String(error))
  assert.equal(error.code, code)
  return error
}
