import {
  blockBytes,
  firstLane,
  laneBytes,
  laneCount,
  md5Module,
  mostBlocks,
  stateBytes,
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

interface Digester {
  readonly words: Uint32Array
  readonly bytes: Buffer
  /** `digest1` to `digest4`. */
  readonly digests: Readonly<Record<string, (blocks: number) => void>>
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
  const { memory, ...digests } = exports as Digester['digests'] & {
    readonly memory: { readonly buffer: ArrayBuffer }
  }
  const { buffer } = memory
  made = { words: new Uint32Array(buffer), bytes: Buffer.from(buffer), digests }
  return made
}

/** Digests parts of different messages, up to four at a time. */
export function digestBlocks(parts: readonly MessagePart[]): void {
  const positions = new Map(parts.map((part) => [part, 0]))
  for (;;) {
    const rest = [...positions].filter(([part, from]) => part.bytes.length - from >= blockBytes)
    if (rest.length === 0) return
    // Of five, three and then two: one alone would take as long as two.
    const turns = Math.ceil(rest.length / laneCount)
    const lanes = rest.slice(0, Math.ceil(rest.length / turns))
    const blocks = Math.min(
      mostBlocks,
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
    // `set` copies memory that threads share in steps of 8 bytes.
    bytes.fill(next, at, at + next.length)
  }
  const digest = digests[`digest${lanes.length}`] as (blocks: number) => void
  digest(blocks)
  for (const [lane, [part]] of lanes.entries()) {
    const first = (lane * stateBytes) / 4
    part.words.set(words.subarray(first, first + part.words.length))
  }
}
