/**
 * MD5 (RFC 1321) that can be stopped and gone on with: an upload's parts come in different requests,
 * to different processes, and Google tells the MD5 of the whole. Node's own can't be taken apart.
 */

const blockBytes = 64
const lengthBytes = 8
/** RFC 1321, section 3.4: the shifts of each round, and the table T. */
const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const
const table = Int32Array.from({ length: 64 }, (_, index) =>
  Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32),
)
const initial = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476] as const

/** The MD5 of nothing, as `Md5State` has it. */
export const emptyMd5: Md5State = encode(Int32Array.from(initial))

/** What MD5 knows after whole blocks of 64 bytes: 16 bytes, base64url. */
export type Md5State = string

/** The state after these bytes, too, a multiple of 64. */
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
  if (bytes.length % blockBytes !== 0) throw new RangeError('MD5 goes on after whole blocks only')
  const words = wordsOf(bytes)
  for (let at = 0; at < words.length; at += blockBytes / 4) digestBlock(state, words, at)
}

/** Words of the bytes, without a copy where they lie well. (Everything that runs Node is little-endian.) */
function wordsOf(bytes: Uint8Array): Int32Array {
  const { buffer, byteOffset, length } = byteOffsetIsWhole(bytes) ? bytes : Uint8Array.from(bytes)
  return new Int32Array(buffer, byteOffset, length / 4)
}

function byteOffsetIsWhole({ byteOffset }: Uint8Array): boolean {
  return byteOffset % 4 === 0
}

function digestBlock(state: Int32Array, words: Int32Array, at: number): void {
  // By index, and without defaults for what is always there: three to seven times as fast.
  let a = state[0] as number
  let b = state[1] as number
  let c = state[2] as number
  let d = state[3] as number
  for (let step = 0; step < 64; step++) {
    const round = step >> 4
    let mixed: number
    let word: number
    if (round === 0) {
      mixed = (b & c) | (~b & d)
      word = step
    } else if (round === 1) {
      mixed = (d & b) | (~d & c)
      word = (5 * step + 1) & 15
    } else if (round === 2) {
      mixed = b ^ c ^ d
      word = (3 * step + 5) & 15
    } else {
      mixed = c ^ (b | ~d)
      word = (7 * step) & 15
    }
    const shift = shifts[(round << 2) | (step & 3)] as number
    const sum = (a + mixed + (table[step] as number) + (words[at + word] as number)) | 0
    a = d
    d = c
    c = b
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
  }
  state[0] = (state[0] as number) + a
  state[1] = (state[1] as number) + b
  state[2] = (state[2] as number) + c
  state[3] = (state[3] as number) + d
}

function encode(words: Int32Array): Md5State {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength).toString('base64url')
}

function decode(state: Md5State): Int32Array<ArrayBuffer> {
  const bytes = Buffer.from(state, 'base64url')
  return Int32Array.from({ length: 4 }, (_, index) => bytes.readInt32LE(4 * index))
}
