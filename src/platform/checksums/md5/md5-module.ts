import {
  at,
  type Code,
  get,
  i32Const,
  repeat,
  set,
  type WasmFunction,
  wasmModule,
} from './wasm-code.ts'

/** Messages that are digested at once, at most. */
export const laneCount = 4
/** The blocks of each message that are in memory at a time. They stay in the cache of the core. */
export const mostBlocks = 1024
export const blockBytes = 64
export const laneBytes = mostBlocks * blockBytes
/** A, B, C and D of each message come first. */
export const stateBytes = 16
export const firstLane = laneCount * stateBytes

/** RFC 1321 section 3.4: the amounts of the rotations, four for each round. */
const rotations = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

/** RFC 1321 section 3.4, "T[i]". For the last round 1 less: see `addMix`. */
function constantOf(step: number): number {
  const sine = Math.floor(2 ** 32 * Math.abs(Math.sin(step + 1)))
  return step < 48 ? sine : sine - 1
}

/** RFC 1321 section 3.4: the word of the block that each step of the four rounds adds. */
const wordOf: readonly ((step: number) => number)[] = [
  (step) => step,
  (step) => (5 * step + 1) % 16,
  (step) => (3 * step + 5) % 16,
  (step) => (7 * step) % 16,
]

/** Instructions for 32 bits. */
const load: Code = [0x28]
const store: Code = [0x36]
const add: Code = [0x6a]
const subtract: Code = [0x6b]
const and: Code = [0x71]
const xor: Code = [0x73]
const rotate: Code = [0x77]
const not: Code = [...i32Const(-1), ...xor]

/** The locals of a function. Those of the messages follow. */
const count = 0
const address = 1

/** The locals of one message. */
interface Locals {
  readonly state: readonly [number, number, number, number]
  /** The state before the block. */
  readonly before: readonly [number, number, number, number]
  /** The first of 16 words. */
  readonly words: number
}

const localsOfMessage = 4 + 4 + 16

function localsOf(lane: number): Locals {
  const first = address + 1 + lane * localsOfMessage
  return {
    state: [first, first + 1, first + 2, first + 3],
    before: [first + 4, first + 5, first + 6, first + 7],
    words: first + 8,
  }
}

type State = readonly [a: number, b: number, c: number, d: number]

/**
 * RFC 1321 section 3.4: adds F, G, H or I to the value before. Only B is new, so what can be added without it is added
 * first.
 */
function addMix(round: number, [, b, c, d]: State): Code {
  const [getB, getC, getD] = [get(b), get(c), get(d)]
  if (round === 0) return [...getC, ...getD, ...xor, ...getB, ...and, ...getD, ...xor, ...add]
  if (round === 1) {
    return [...getD, ...not, ...getC, ...and, ...add, ...getB, ...getD, ...and, ...add]
  }
  if (round === 2) return [...getC, ...getD, ...xor, ...getB, ...xor, ...add]
  // I is the complement of C ^ (D & ~B). To add the complement of x is to subtract x and 1.
  return [...getB, ...not, ...getD, ...and, ...getC, ...xor, ...subtract]
}

function step(index: number, { state, words }: Locals): Code {
  const round = index >> 4
  const turn = (4 - (index % 4)) % 4
  const at4 = (position: number) => state[(position + turn) % 4] as number
  const now: State = [at4(0), at4(1), at4(2), at4(3)]
  const [a, b] = now
  const word = words + (wordOf[round]?.(index) ?? 0)
  const bits = rotations[round * 4 + (index % 4)] ?? 0
  return [
    ...[...get(a), ...get(word), ...add, ...i32Const(constantOf(index)), ...add],
    ...[...addMix(round, now), ...i32Const(bits), ...rotate, ...get(b), ...add, ...set(a)],
  ]
}

function loadWords({ words }: Locals, lane: number): Code {
  const first = firstLane + lane * laneBytes
  return Array.from({ length: 16 }, (_, word) => [
    ...[...get(address), ...load, ...at(first + word * 4, 2), ...set(words + word)],
  ]).flat()
}

/**
 * A step of MD5 waits for the one before. The steps of several messages take turns, so that the core computes those of the
 * others meanwhile.
 */
function hashing(messages: number): WasmFunction {
  const all = Array.from({ length: messages }, (_, lane) => localsOf(lane))
  const each = (code: (state: number, before: number, offset: number) => Code) =>
    all.flatMap(({ state, before }, lane) =>
      state.flatMap((local, word) =>
        code(local, before[word] as number, lane * stateBytes + word * 4),
      ),
    )
  const loadState = each((state, _, offset) => [
    ...[...i32Const(0), ...load, ...at(offset, 2), ...set(state)],
  ])
  const storeState = each((state, _, offset) => [
    ...[...i32Const(0), ...get(state), ...store, ...at(offset, 2)],
  ])
  const keep = each((state, before) => [...get(state), ...set(before)])
  const addKept = each((state, before) => [...get(state), ...get(before), ...add, ...set(state)])
  const steps = Array.from({ length: 64 }, (_, index) =>
    all.flatMap((locals) => step(index, locals)),
  ).flat()
  const next = [...get(address), ...i32Const(blockBytes), ...add, ...set(address)]
  const block = [...all.flatMap(loadWords), ...keep, ...steps, ...addKept, ...next]
  return {
    name: `digest${messages}`,
    locals: 1 + messages * localsOfMessage,
    code: [...loadState, ...repeat(count, block), ...storeState],
  }
}

/**
 * MD5 (RFC 1321) as WebAssembly. It exports `memory`, and `digest1` to `digest4`, which digest so many blocks of 1 to 4
 * messages. OpenSSL digests one message at a time, with most of a core idle
 * (docs/decisions/0041-md5-of-several-messages.md).
 */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil((firstLane + laneCount * laneBytes) / 65_536)
  return wasmModule(
    Array.from({ length: laneCount }, (_, index) => hashing(index + 1)),
    pages,
  )
}
