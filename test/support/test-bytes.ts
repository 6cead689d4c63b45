import { createCipheriv, createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'

/** Bytes that look random, compress badly and are the same for the same seed. */
export function testBytes(seed: string, length: number): Buffer<ArrayBuffer> {
  const key = createHash('sha256').update(seed).digest()
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16))
  return cipher.update(Buffer.alloc(length))
}

export async function writeTestFile(path: string, length: number): Promise<Buffer<ArrayBuffer>> {
  const bytes = testBytes(path, length)
  await writeFile(path, bytes)
  return bytes
}

export function md5Of(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
