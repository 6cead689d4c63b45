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

/** Messages of a vector, each in a lane of 32 bits. */
export const vectorLanes = 4
/** Messages that are digested at once, in two vectors. */
export const laneCount = 2 * vectorLanes
/** The blocks of each lane that are in memory at a time. They stay in the cache of the core. */
export const mostBlocks = 1024
export const blockBytes = 64
export const laneBytes = mostBlocks * blockBytes
/** A of the lanes of a vector, then B, C and D. Those of both vectors come first. */
export const stateBytes = 64
export const firstLane = 2 * stateBytes

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

/** The same instructions for one message in numbers, and for four in a vector. */
interface Instructions {
  readonly type: number
  readonly align: number
  readonly load: Code
  readonly store: Code
  readonly add: Code
  readonly subtract: Code
  readonly and: Code
  /** Of the first value and the complement of the second. */
  readonly andNot: Code
  readonly xor: Code
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
  subtract: [0x6b],
  and: [0x71],
  andNot: [...i32Const(-1), 0x73, 0x71],
  xor: [0x73],
  constant: i32Const,
  rotate: (local, bits) => [...get(local), ...i32Const(bits), 0x77],
}

const vectors: Instructions = {
  type: v128,
  align: 4,
  load: vector(0x00),
  store: vector(0x0b),
  add: vector(0xae),
  subtract: vector(0xb1),
  and: vector(0x4e),
  andNot: vector(0x4f),
  xor: vector(0x51),
  constant: (value) => [...i32Const(value), ...vector(0x11)],
  rotate: (local, bits) => [
    ...[...get(local), ...i32Const(bits), ...vector(0xab)],
    ...[...get(local), ...i32Const(32 - bits), ...vector(0xad), ...vector(0x50)],
  ],
}

const count = 0
const address = 1
const sum = 2
const constant = 3

/** The locals of one message or vector, behind those of the function. */
interface Locals {
  readonly state: readonly [number, number, number, number]
  /** The state before the block. */
  readonly before: readonly [number, number, number, number]
  /** The first of 16 words. */
  readonly words: number
  readonly vector: number
}

function localsOf(vector: number): Locals {
  const first = 4 + vector * (4 + 4 + 16)
  return {
    state: [first, first + 1, first + 2, first + 3],
    before: [first + 4, first + 5, first + 6, first + 7],
    words: first + 8,
    vector,
  }
}

type State = readonly [a: number, b: number, c: number, d: number]

/**
 * RFC 1321 section 3.4: adds F, G, H or I to the value before. Only B is new, so what can be added without it is added
 * first.
 */
function addMix(of: Instructions, round: number, [, b, c, d]: State): Code {
  const { add, subtract, and, andNot, xor } = of
  const [getB, getC, getD] = [get(b), get(c), get(d)]
  if (round === 0) return [...getC, ...getD, ...xor, ...getB, ...and, ...getD, ...xor, ...add]
  if (round === 1) return [...getC, ...getD, ...andNot, ...add, ...getB, ...getD, ...and, ...add]
  if (round === 2) return [...getC, ...getD, ...xor, ...getB, ...xor, ...add]
  // I is the complement of C ^ (D & ~B). To add the complement of x is to subtract x and 1.
  return [...getC, ...getD, ...getB, ...andNot, ...xor, ...subtract]
}

function step(of: Instructions, index: number, { state, words }: Locals): Code {
  const round = index >> 4
  const turn = (4 - (index % 4)) % 4
  const at4 = (position: number) => state[(position + turn) % 4] as number
  const now: State = [at4(0), at4(1), at4(2), at4(3)]
  const [a, b] = now
  const word = words + (wordOf[round]?.(index) ?? 0)
  const bits = rotations[round * 4 + (index % 4)] ?? 0
  return [
    ...[...get(a), ...get(word), ...of.add, ...get(constant), ...of.add],
    ...[...addMix(of, round, now), ...set(sum)],
    ...[...of.rotate(sum, bits), ...get(b), ...of.add, ...set(a)],
  ]
}

/** A step of MD5 waits for the one before. The steps of two vectors take turns, so that one computes while the other waits. */
function hashing(
  name: string,
  of: Instructions,
  { vectors, loadWords }: { vectors: number; loadWords: (locals: Locals) => Code },
): WasmFunction {
  const all = Array.from({ length: vectors }, (_, vector) => localsOf(vector))
  const each = (code: (state: number, before: number, offset: number) => Code) =>
    all.flatMap(({ state, before, vector }) =>
      state.flatMap((local, word) =>
        code(local, before[word] as number, vector * stateBytes + word * (stateBytes / 4)),
      ),
    )
  const load = each((state, _, offset) => [
    ...[...i32Const(0), ...of.load, ...at(offset, of.align), ...set(state)],
  ])
  const store = each((state, _, offset) => [
    ...[...i32Const(0), ...get(state), ...of.store, ...at(offset, of.align)],
  ])
  const keep = each((state, before) => [...get(state), ...set(before)])
  const addKept = each((state, before) => [...get(state), ...get(before), ...of.add, ...set(state)])
  const steps = Array.from({ length: 64 }, (_, index) => [
    ...[...of.constant(constantOf(index)), ...set(constant)],
    ...all.flatMap((locals) => step(of, index, locals)),
  ]).flat()
  const next = [...get(address), ...i32Const(blockBytes), 0x6a, ...set(address)]
  const block = [...all.flatMap(loadWords), ...keep, ...steps, ...addKept, ...next]
  return {
    name,
    locals: [i32, ...Array<number>(2 + vectors * (4 + 4 + 16)).fill(of.type)],
    code: [...load, ...repeat(count, block), ...store],
  }
}

function loadNumbers({ words }: Locals): Code {
  return Array.from({ length: 16 }, (_, word) => [
    ...[...get(address), ...numbers.load, ...at(firstLane + word * 4, 2), ...set(words + word)],
  ]).flat()
}

/** Loads four words of each lane at a time, and makes of them the vectors of the words. */
function loadVectors({ words, before, vector: index }: Locals): Code {
  const firstRow = firstLane + index * vectorLanes * laneBytes
  return [0, 4, 8, 12].flatMap((word) => {
    const rows = [0, 1, 2, 3].map((lane) => [
      ...[...get(address), ...vectors.load],
      ...[...at(firstRow + lane * laneBytes + word * 4, 0), ...set(words + word + lane)],
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
 * MD5 (RFC 1321) as WebAssembly. It exports `memory`, and `one`, `four` and `eight`, which digest that many blocks of as
 * many messages. OpenSSL digests one message at a time, with most of a core idle
 * (docs/decisions/0041-md5-of-several-messages.md).
 */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil((firstLane + laneCount * laneBytes) / 65_536)
  return wasmModule(
    [
      hashing('one', numbers, { vectors: 1, loadWords: loadNumbers }),
      hashing('four', vectors, { vectors: 1, loadWords: loadVectors }),
      hashing('eight', vectors, { vectors: 2, loadWords: loadVectors }),
    ],
    pages,
  )
}
