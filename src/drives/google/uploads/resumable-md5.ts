/**
 * MD5 (RFC 1321) that can be suspended and resumed: an upload's parts arrive in different requests
 * and processes, and Google reports the MD5 of the whole file. Node's implementation does not
 * expose its state.
 */

const blockBytes = 64
const lengthBytes = 8
/** RFC 1321, section 3.4: the table T. */
const table = Int32Array.from({ length: 64 }, (_, index) =>
  Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32),
)
const initial = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const

/** The state before the first byte. */
export const emptyMd5: Md5State = encode(Int32Array.from(initial))

/** The state of MD5 after whole blocks of 64 bytes: 16 bytes in base64url. */
export type Md5State = string

/** The state after these further bytes, which must be a multiple of 64. */
export function updateMd5(state: Md5State, bytes: Uint8Array): Md5State {
  const words = decode(state)
  digestBlocks(words, bytes)
  return encode(words)
}

/**
 * The MD5 in hex.
 *
 * @param size of all bytes, `tail` included.
 */
export function finishMd5(state: Md5State, tail: Uint8Array, size: number): string {
  const words = decode(state)
  const padded = Math.ceil((tail.length + 1 + lengthBytes) / blockBytes) * blockBytes
  const end = Buffer.alloc(padded)
  end.set(tail)
  end[tail.length] = 0x80
  end.writeUInt32LE((size * 8) >>> 0, padded - lengthBytes)
  end.writeUInt32LE(Math.floor(size / 2 ** 29) >>> 0, padded - lengthBytes / 2)
  digestBlocks(words, end)
  return Buffer.from(words.buffer).toString('hex')
}

function digestBlocks(state: Int32Array, bytes: Uint8Array): void {
  if (bytes.length % blockBytes !== 0)
    throw new RangeError('MD5 can be continued only after whole blocks')
  const words = wordsOf(bytes)
  for (let at = 0; at < words.length; at += blockBytes / 4) digestBlock(state, words, at)
}

/**
 * The bytes as words; copied only if they are not aligned. (All platforms of Node are
 * little-endian.)
 */
function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = byteOffsetIsWhole(bytes) ? bytes : Uint8Array.from(bytes)
  return new Int32Array(buffer, byteOffset, length / 4)
}

function byteOffsetIsWhole({ byteOffset }: Uint8Array): boolean {
  return byteOffset % 4 === 0
}

/**
 * RFC 1321, section 3.4: four rounds of 16 steps. After four steps, a, b, c and d are in their
 * original places. Unrolled by four steps, it takes three fifths of the time of a loop over single
 * steps.
 */
function digestBlock(state: Int32Array, words: Int32Array, at: number): void {
  // Access by index without defaults is three to seven times as fast.
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  for (let i = 0; i < 16; i += 4) {
    a = step(b, (b & c) | (~b & d), a + term(words, at + i, i), 7)
    d = step(a, (a & b) | (~a & c), d + term(words, at + i + 1, i + 1), 12)
    c = step(d, (d & a) | (~d & b), c + term(words, at + i + 2, i + 2), 17)
    b = step(c, (c & d) | (~c & a), b + term(words, at + i + 3, i + 3), 22)
  }
  for (let i = 16, k = 1; i < 32; i += 4, k += 20) {
    a = step(b, (d & b) | (~d & c), a + term(words, at + (k & 15), i), 5)
    d = step(a, (c & a) | (~c & b), d + term(words, at + ((k + 5) & 15), i + 1), 9)
    c = step(d, (b & d) | (~b & a), c + term(words, at + ((k + 10) & 15), i + 2), 14)
    b = step(c, (a & c) | (~a & d), b + term(words, at + ((k + 15) & 15), i + 3), 20)
  }
  for (let i = 32, k = 5; i < 48; i += 4, k += 12) {
    a = step(b, b ^ c ^ d, a + term(words, at + (k & 15), i), 4)
    d = step(a, a ^ b ^ c, d + term(words, at + ((k + 3) & 15), i + 1), 11)
    c = step(d, d ^ a ^ b, c + term(words, at + ((k + 6) & 15), i + 2), 16)
    b = step(c, c ^ d ^ a, b + term(words, at + ((k + 9) & 15), i + 3), 23)
  }
  for (let i = 48, k = 0; i < 64; i += 4, k += 28) {
    a = step(b, c ^ (b | ~d), a + term(words, at + (k & 15), i), 6)
    d = step(a, b ^ (a | ~c), d + term(words, at + ((k + 7) & 15), i + 1), 10)
    c = step(d, a ^ (d | ~b), c + term(words, at + ((k + 14) & 15), i + 2), 15)
    b = step(c, d ^ (c | ~a), b + term(words, at + ((k + 21) & 15), i + 3), 21)
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
}

function term(words: Int32Array, word: number, step: number): number {
  return (words[word] as number) + (table[step] as number)
}

function step(next: number, mixed: number, terms: number, shift: number): number {
  const sum = (terms + mixed) | 0
  return (next + ((sum << shift) | (sum >>> (32 - shift)))) | 0
}

function encode(words: Int32Array): Md5State {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64url')
}

function decode(state: Md5State): Int32Array<ArrayBuffer> {
  const bytes = Buffer.from(state, 'base64url')
  return Int32Array.from({ length: 4 }, (_, index) => bytes.readInt32LE(4 * index))
}
