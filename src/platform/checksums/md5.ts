import {
  blockBytes,
  firstLane,
  laneBytes,
  laneCount,
  maxBlocks,
  md5Module,
  stateBytes,
} from './md5-module.ts'

/** The state of MD5 after whole blocks: A, B, C and D of RFC 1321 section 3.3. Node runs only on little-endian platforms. */
type Md5Words = Uint32Array<ArrayBuffer>

/** The next bytes of a message to digest. */
interface MessagePart {
  /** Updated in place. */
  readonly words: Md5Words
  /** An incomplete last block is ignored. */
  readonly bytes: Uint8Array
}

interface Digester {
  readonly words: Uint32Array
  readonly bytes: Buffer
  /** `digest1` to `digest4`. */
  readonly digests: Readonly<Record<string, (blocks: number) => void>>
}

/** The part that is used here: Node's types do not declare WebAssembly. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

/** Created at the first use, once per thread. */
let shared: Digester | undefined

function digester(): Digester {
  if (shared !== undefined) return shared
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(md5Module()))
  const { memory, ...digests } = exports as Digester['digests'] & {
    readonly memory: { readonly buffer: ArrayBuffer }
  }
  const { buffer } = memory
  shared = { words: new Uint32Array(buffer), bytes: Buffer.from(buffer), digests }
  return shared
}

/** Digests parts of any number of different messages, up to four at a time. */
function digestBlocks(parts: readonly MessagePart[]): void {
  const positions = new Map(parts.map((part) => [part, 0]))
  for (;;) {
    const rest = [...positions].filter(([part, from]) => part.bytes.length - from >= blockBytes)
    if (rest.length === 0) return
    // Five are digested as three and two: a lane alone takes as long as two together.
    const turns = Math.ceil(rest.length / laneCount)
    const lanes = rest.slice(0, Math.ceil(rest.length / turns))
    const blocks = Math.min(
      maxBlocks,
      ...lanes.map(([part, from]) => Math.floor((part.bytes.length - from) / blockBytes)),
    )
    digestLanes(lanes, blocks)
    for (const [part, from] of lanes) positions.set(part, from + blocks * blockBytes)
  }
}

/** Digests the same number of blocks of at most four messages. */
function digestLanes(lanes: readonly (readonly [MessagePart, number])[], blocks: number): void {
  const { words, bytes, digests } = digester()
  for (const [lane, [part, from]] of lanes.entries()) {
    words.set(part.words, (lane * stateBytes) / 4)
    const next = part.bytes.subarray(from, from + blocks * blockBytes)
    const at = firstLane + lane * laneBytes
    // `fill`, because `set` copies shared memory in steps of 8 bytes.
    bytes.fill(next, at, at + next.length)
  }
  const digest = digests[`digest${lanes.length}`] as (blocks: number) => void
  digest(blocks)
  for (const [lane, [part]] of lanes.entries()) {
    const first = (lane * stateBytes) / 4
    part.words.set(words.subarray(first, first + part.words.length))
  }
}

const lengthBytes = 8

/** The state before the first byte. */
function newMd5Words(): Md5Words {
  return Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
}

/**
 * The MD5 in lower-case hexadecimal. `words` cannot be used afterwards.
 *
 * @param tail the bytes after the last whole block that was digested
 * @param size of the whole message, `tail` included
 */
function md5Hex(words: Md5Words, tail: Uint8Array, size: number): string {
  const padded = Math.ceil((tail.length + 1 + lengthBytes) / blockBytes) * blockBytes
  const bytes = Buffer.alloc(padded)
  bytes.set(tail)
  bytes[tail.length] = 0x80
  bytes.writeUInt32LE((size * 8) >>> 0, padded - lengthBytes)
  bytes.writeUInt32LE(Math.floor(size / 2 ** 29) >>> 0, padded - lengthBytes / 2)
  digestBlocks([{ words, bytes }])
  return Buffer.from(words.buffer).toString('hex')
}

/** The next bytes of a message. */
export interface NextBytes {
  readonly md5: Md5
  readonly bytes: Uint8Array
}

/** MD5 of a message that arrives in pieces and is digested together with others. */
export class Md5 {
  readonly #words = newMd5Words()
  /** The bytes after the last whole block. */
  #tail: Uint8Array = new Uint8Array()
  #size = 0

  /** Digests the next bytes of different messages: four together take less than half the time of four in sequence. */
  static update(next: readonly NextBytes[]): void {
    digestBlocks(next.map(({ md5, bytes }) => ({ words: md5.#words, bytes: md5.#take(bytes) })))
  }

  /** Returns the tail and these bytes, and keeps what follows their last whole block as the next tail. */
  #take(bytes: Uint8Array): Uint8Array {
    this.#size += bytes.length
    const all = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes])
    this.#tail = Uint8Array.from(all.subarray(all.length - (all.length % blockBytes)))
    return all
  }

  /** The MD5 in lower-case hexadecimal. Ends the message. */
  hex(): string {
    return md5Hex(this.#words, this.#tail, this.#size)
  }
}

/**
 * The state of MD5 after whole blocks of 64 bytes: 16 bytes in base64url. The parts of an upload arrive in different
 * requests and processes, Google reports the MD5 of the whole file, and Node's MD5 does not expose its state.
 */
export type Md5State = string

/** The state before the first byte. */
export const emptyMd5: Md5State = encode(newMd5Words())

/**
 * The state after more bytes.
 *
 * @throws RangeError unless `bytes` are whole blocks of 64 bytes
 */
export function updateMd5(state: Md5State, bytes: Uint8Array): Md5State {
  if (bytes.length % blockBytes !== 0)
    throw new RangeError('MD5 can be continued only after whole blocks')
  const words = decode(state)
  digestBlocks([{ words, bytes }])
  return encode(words)
}

/**
 * The MD5 in lower-case hexadecimal.
 *
 * @param tail the bytes after the last whole block
 * @param size of the whole message, `tail` included
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
