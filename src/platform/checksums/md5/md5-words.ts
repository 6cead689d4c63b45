import { digestBlocks, type Md5Words } from './md5-blocks.ts'
import { blockBytes } from './md5-module.ts'

const lengthBytes = 8

/** The state before the first byte. */
export function newMd5Words(): Md5Words {
  return Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
}

/**
 * The MD5 in lower-case hexadecimal. It ends the state.
 *
 * @param tail the bytes behind the last whole block that was digested
 * @param size of all bytes, `tail` included
 */
export function md5Hex(words: Md5Words, tail: Uint8Array, size: number): string {
  const padded = Math.ceil((tail.length + 1 + lengthBytes) / blockBytes) * blockBytes
  const bytes = Buffer.alloc(padded)
  bytes.set(tail)
  bytes[tail.length] = 0x80
  bytes.writeUInt32LE((size * 8) >>> 0, padded - lengthBytes)
  bytes.writeUInt32LE(Math.floor(size / 2 ** 29) >>> 0, padded - lengthBytes / 2)
  digestBlocks([{ words, bytes }])
  return Buffer.from(words.buffer).toString('hex')
}
