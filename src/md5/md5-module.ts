import {
  at,
  type Code,
  get,
  i32,
  i32Const,
  repeat,
  set,
  v128,
  vector,
  type WasmFunction,
  wasmModule,
} from './wasm-code.ts'

/** Messages that are digested at once, each in a lane of 32 bits of the vectors. */
export const laneCount = 4
/** The blocks of each lane that are in memory at a time. They stay in the cache of the core. */
export const mostBlocks = 1024
export const blockBytes = 64
export const laneBytes = mostBlocks * blockBytes
/** The states come first: A of all lanes, then B, C and D. */
export const firstLane = 64

/** RFC 1321 section 3.4: the amounts of the rotations, four for each round. */
const rotations = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

/** RFC 1321 section 3.4, "T[i]". */
const sine = (step: number): number => Math.floor(2 ** 32 * Math.abs(Math.sin(step + 1)))

/** RFC 1321 section 3.4: the word of the block that each step of the four rounds adds. */
const wordOf: readonly ((step: number) => number)[] = [
  (step) => step,
  (step) => (5 * step + 1) % 16,
  (step) => (3 * step + 5) % 16,
  (step) => (7 * step) % 16,
]

/** The same instructions for one message in numbers, and for four in vectors. */
interface Instructions {
  readonly type: number
  readonly align: number
  readonly load: Code
  readonly store: Code
  readonly add: Code
  readonly and: Code
  readonly or: Code
  readonly xor: Code
  readonly not: Code
  readonly constant: (value: number) => Code
  /** Rotates the value in the local to the left. */
  readonly rotate: (local: number, bits: number) => Code
}

const numbers: Instructions = {
  type: i32,
  align: 2,
  load: [0x28],
  store: [0x36],
  add: [0x6a],
  and: [0x71],
  or: [0x72],
  xor: [0x73],
  not: [...i32Const(-1), 0x73],
  constant: i32Const,
  rotate: (local, bits) => [...get(local), ...i32Const(bits), 0x77],
}

const vectors: Instructions = {
  type: v128,
  align: 4,
  load: vector(0x00),
  store: vector(0x0b),
  add: vector(0xae),
  and: vector(0x4e),
  or: vector(0x50),
  xor: vector(0x51),
  not: vector(0x4d),
  constant: (value) => [...i32Const(value), ...vector(0x11)],
  rotate: (local, bits) => [
    ...[...get(local), ...i32Const(bits), ...vector(0xab)],
    ...[...get(local), ...i32Const(32 - bits), ...vector(0xad), ...vector(0x50)],
  ],
}

/** Locals: 0 counts the blocks, then the address, the state, the state before the block, a sum, and 16 words. */
const count = 0
const address = 1
const state = [2, 3, 4, 5] as const
const before = [6, 7, 8, 9] as const
const sum = 10
const words = 11

type State = readonly [a: number, b: number, c: number, d: number]

/** RFC 1321 section 3.4: F, G, H and I. B is the newest value, so it comes last. */
function mix({ and, or, xor, add, not }: Instructions, round: number, [, b, c, d]: State): Code {
  const [getB, getC, getD] = [get(b), get(c), get(d)]
  if (round === 0) return [...getC, ...getD, ...xor, ...getB, ...and, ...getD, ...xor]
  if (round === 1) {
    return [...getD, ...not, ...getC, ...and, ...getB, ...getD, ...and, ...add]
  }
  if (round === 2) return [...getC, ...getD, ...xor, ...getB, ...xor]
  return [...getD, ...not, ...getB, ...or, ...getC, ...xor]
}

function step(of: Instructions, index: number): Code {
  const round = index >> 4
  const turn = (4 - (index % 4)) % 4
  const at4 = (position: number) => state[(position + turn) % 4] as number
  const now: State = [at4(0), at4(1), at4(2), at4(3)]
  const [a, b] = now
  const word = words + (wordOf[round]?.(index) ?? 0)
  const bits = rotations[round * 4 + (index % 4)] ?? 0
  return [
    ...[...get(a), ...get(word), ...of.add, ...of.constant(sine(index)), ...of.add],
    ...[...mix(of, round, now), ...of.add, ...set(sum)],
    ...[...of.rotate(sum, bits), ...get(b), ...of.add, ...set(a)],
  ]
}

function hashing(name: string, of: Instructions, loadWords: Code): WasmFunction {
  const atState = (index: number) => at(index * 16, of.align)
  const load = state.flatMap((local, index) => [
    ...[...i32Const(0), ...of.load, ...atState(index), ...set(local)],
  ])
  const store = state.flatMap((local, index) => [
    ...[...i32Const(0), ...get(local), ...of.store, ...atState(index)],
  ])
  const keep = state.flatMap((local, index) => [...get(local), ...set(before[index] as number)])
  const addKept = state.flatMap((local, index) => [
    ...[...get(local), ...get(before[index] as number), ...of.add, ...set(local)],
  ])
  const steps = Array.from({ length: 64 }, (_, index) => step(of, index)).flat()
  const next = [...get(address), ...i32Const(blockBytes), 0x6a, ...set(address)]
  const block = [...loadWords, ...keep, ...steps, ...addKept, ...next]
  return {
    name,
    locals: [i32, ...Array<number>(4 + 4 + 1 + 16).fill(of.type)],
    code: [...load, ...repeat(count, block), ...store],
  }
}

function loadNumbers(): Code {
  return Array.from({ length: 16 }, (_, word) => [
    ...[...get(address), ...numbers.load, ...at(firstLane + word * 4, 2), ...set(words + word)],
  ]).flat()
}

/** Loads four words of each lane at a time, and makes of them the vectors of the words. */
function loadVectors(): Code {
  return [0, 4, 8, 12].flatMap((word) => {
    const rows = [0, 1, 2, 3].map((lane) => [
      ...[...get(address), ...vectors.load],
      ...[...at(firstLane + lane * laneBytes + word * 4, 0), ...set(words + word + lane)],
    ])
    const local = (index: number) => get(words + word + index)
    const pairs = [
      ...[...local(0), ...local(1), ...shuffle([0, 4, 1, 5]), ...set(before[0])],
      ...[...local(2), ...local(3), ...shuffle([0, 4, 1, 5]), ...set(before[1])],
      ...[...local(0), ...local(1), ...shuffle([2, 6, 3, 7]), ...set(before[2])],
      ...[...local(2), ...local(3), ...shuffle([2, 6, 3, 7]), ...set(before[3])],
    ]
    const whole = [
      ...[...get(before[0]), ...get(before[1]), ...shuffle([0, 1, 4, 5]), ...set(words + word)],
      ...[...get(before[0]), ...get(before[1]), ...shuffle([2, 3, 6, 7]), ...set(words + word + 1)],
      ...[...get(before[2]), ...get(before[3]), ...shuffle([0, 1, 4, 5]), ...set(words + word + 2)],
      ...[...get(before[2]), ...get(before[3]), ...shuffle([2, 3, 6, 7]), ...set(words + word + 3)],
    ]
    return [...rows.flat(), ...pairs, ...whole]
  })
}

/** Takes words of 32 bits from two vectors, 0 to 3 of the first and 4 to 7 of the second. */
function shuffle(wanted: readonly number[]): Code {
  const bytes = wanted.flatMap((word) => [0, 1, 2, 3].map((byte) => word * 4 + byte))
  return [...vector(0x0d), ...bytes]
}

/**
 * MD5 (RFC 1321) as WebAssembly. It exports `memory`, and `one` and `four`, which digest that many blocks of one or of
 * four messages. OpenSSL digests one at a time: each step of MD5 waits for the one before, so that most of a core is
 * idle (docs/decisions/0041-md5-of-four-messages.md).
 */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil((firstLane + laneCount * laneBytes) / 65_536)
  return wasmModule(
    [hashing('one', numbers, loadNumbers()), hashing('four', vectors, loadVectors())],
    pages,
  )
}
