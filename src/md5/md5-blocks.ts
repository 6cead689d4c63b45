import {
  blockBytes,
  firstLane,
  laneBytes,
  laneCount,
  md5Module,
  mostBlocks,
  stateBytes,
  vectorLanes,
} from './md5-module.ts'

/** The state of MD5 after whole blocks: A, B, C and D of RFC 1321 section 3.3. All platforms of Node are little-endian. */
export type Md5Words = Uint32Array<ArrayBuffer>

/** What is to be digested of a message next. */
export interface MessagePart {
  /** The state before it, which becomes that after it. */
  readonly words: Md5Words
  /** What is behind the last whole block is ignored. */
  readonly bytes: Uint8Array
}

type Digest = (blocks: number) => void

interface Digester {
  readonly words: Uint32Array
  readonly bytes: Buffer
  readonly one: Digest
  readonly four: Digest
  readonly eight: Digest
}

/** As far as it is used here: the types of Node have no WebAssembly. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}

/** Made at the first use. Each thread has its own. */
let made: Digester | undefined

function digester(): Digester {
  if (made !== undefined) return made
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(md5Module()))
  const { memory, ...digests } = exports as Pick<Digester, 'one' | 'four' | 'eight'> & {
    readonly memory: { readonly buffer: ArrayBuffer }
  }
  const { buffer } = memory
  made = { words: new Uint32Array(buffer), bytes: Buffer.from(buffer), ...digests }
  return made
}

/** Digests parts of different messages, eight at a time where there are that many. */
export function digestBlocks(parts: readonly MessagePart[]): void {
  const positions = new Map(parts.map((part) => [part, 0]))
  for (;;) {
    const rest = [...positions].filter(([part, from]) => part.bytes.length - from >= blockBytes)
    const lanes = rest.slice(0, laneCount)
    if (lanes.length === 0) return
    const blocks = Math.min(
      mostBlocks,
      ...lanes.map(([part, from]) => Math.floor((part.bytes.length - from) / blockBytes)),
    )
    digestLanes(lanes, blocks)
    for (const [part, from] of lanes) positions.set(part, from + blocks * blockBytes)
  }
}

/** Digests the same number of blocks of at most eight messages. */
function digestLanes(lanes: readonly (readonly [MessagePart, number])[], blocks: number): void {
  const { words, bytes, one, four, eight } = digester()
  for (const [lane, [part, from]] of lanes.entries()) {
    part.words.forEach((word, index) => {
      words[placeOf(lane, index)] = word
    })
    const next = part.bytes.subarray(from, from + blocks * blockBytes)
    const at = firstLane + lane * laneBytes
    // `set` copies memory that threads share in steps of 8 bytes.
    bytes.fill(next, at, at + next.length)
  }
  if (lanes.length === 1) one(blocks)
  else if (lanes.length <= vectorLanes) four(blocks)
  else eight(blocks)
  for (const [lane, [part]] of lanes.entries()) {
    for (let index = 0; index < part.words.length; index++)
      part.words[index] = words[placeOf(lane, index)] ?? 0
  }
}

/** Where A, B, C or D of a lane is among the words of the memory. */
function placeOf(lane: number, index: number): number {
  const vector = Math.floor(lane / vectorLanes)
  return vector * (stateBytes / 4) + index * vectorLanes + (lane % vectorLanes)
}
