import { blockBytes, firstLane, laneBytes, laneCount, md5Module, mostBlocks } from './md5-module.ts'

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
  readonly bytes: Uint8Array
  readonly one: (blocks: number) => void
  readonly four: (blocks: number) => void
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
  const { memory, one, four } = exports as Pick<Digester, 'one' | 'four'> & {
    readonly memory: { readonly buffer: ArrayBuffer }
  }
  const { buffer } = memory
  made = { words: new Uint32Array(buffer), bytes: new Uint8Array(buffer), one, four }
  return made
}

/** Digests parts of different messages, four at a time where there are that many. */
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

/** Digests the same number of blocks of at most four messages. */
function digestLanes(lanes: readonly (readonly [MessagePart, number])[], blocks: number): void {
  const { words, bytes, one, four } = digester()
  for (const [lane, [part, from]] of lanes.entries()) {
    part.words.forEach((word, index) => {
      words[index * laneCount + lane] = word
    })
    bytes.set(part.bytes.subarray(from, from + blocks * blockBytes), firstLane + lane * laneBytes)
  }
  if (lanes.length === 1) one(blocks)
  else four(blocks)
  for (const [lane, [part]] of lanes.entries()) {
    for (let index = 0; index < part.words.length; index++)
      part.words[index] = words[index * laneCount + lane] ?? 0
  }
}
