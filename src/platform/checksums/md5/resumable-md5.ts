import { digestBlocks, type Md5Words } from './md5-blocks.ts'
import { blockBytes } from './md5-module.ts'
import { md5Hex, newMd5Words } from './md5-words.ts'

/**
 * MD5 that can be suspended and resumed: an upload's parts arrive in different requests and
 * processes, and Google reports the MD5 of the whole file. Node's implementation does not expose
 * its state.
 */

/** The state before the first byte. */
export const emptyMd5: Md5State = encode(newMd5Words())

/** The state of MD5 after whole blocks of 64 bytes: 16 bytes in base64url. */
export type Md5State = string

/**
 * The state after these further bytes.
 *
 * @throws RangeError unless they are whole blocks of 64 bytes
 */
export function updateMd5(state: Md5State, bytes: Uint8Array): Md5State {
  if (bytes.length % blockBytes !== 0)
    throw new RangeError('MD5 can be continued only after whole blocks')
  const words = decode(state)
  digestBlocks([{ words, bytes }])
  return encode(words)
}

/**
 * The MD5 in hex.
 *
 * @param size of all bytes, `tail` included.
 */
export function finishMd5(state: Md5State, tail: Uint8Array, size: number): string {
  return md5Hex(decode(state), tail, size)
}

function encode(words: Md5Words): Md5State {
  return Buffer.from(words.buffer).toString('base64url')
}

function decode(state: Md5State): Md5Words {
  return new Uint32Array(Uint8Array.from(Buffer.from(state, 'base64url')).buffer)
}
