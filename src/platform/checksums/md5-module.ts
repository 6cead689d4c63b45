/**
 * Assembles the MD5 function as a WebAssembly module. The first half encodes the few instructions that it needs
 * (https://webassembly.github.io/spec/core/binary/index.html), for functions with one parameter and no result.
 */

/** Encoded instructions, in the order of the stack machine. */
type Code = readonly number[]

const i32 = 0x7f

/** An unsigned number in LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

/** A 32-bit number in signed LEB128. */
function signed(value: number): Code {
  const isLast = value >= -0x40 && value < 0x40
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}

const get = (local: number): Code => [0x20, ...unsigned(local)]
const set = (local: number): Code => [0x21, ...unsigned(local)]
const i32Const = (value: number): Code => [0x41, ...signed(value | 0)]

/** The operand of a load or store, which expects an alignment of at most `2 ** align` bytes. */
const at = (offset: number, align: number): Code => [align, ...unsigned(offset)]

/** Runs the code as many times as the local says, which is at least 1 and is counted down to 0. */
function repeat(local: number, body: Code): Code {
  const countDown = [...get(local), ...i32Const(1), 0x6b, 0x22, ...unsigned(local)]
  return [0x03, 0x40, ...body, ...countDown, 0x0d, 0x00, 0x0b]
}

interface WasmFunction {
  readonly name: string
  /** Number of 32-bit locals, without the parameter, which is local 0. */
  readonly locals: number
  readonly code: Code
}

/** A module that exports these functions and its `memory`. */
function wasmModule(
  functions: readonly WasmFunction[],
  memoryPages: number,
): Uint8Array<ArrayBuffer> {
  const indexes = functions.map((_, index) => index)
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [[0x60, 0x01, i32, 0x00]]),
    ...section(
      3,
      indexes.map(() => [0]),
    ),
    ...section(5, [[0x00, ...unsigned(memoryPages)]]),
    ...section(7, [
      [...named('memory'), 0x02, 0x00],
      ...functions.map(({ name }, index) => [...named(name), 0x00, index]),
    ]),
    ...section(10, functions.map(functionBody)),
  ])
}

function section(id: number, items: readonly Code[]): Code {
  const content = [...unsigned(items.length), ...items.flat()]
  return [id, ...unsigned(content.length), ...content]
}

function named(name: string): Code {
  return [name.length, ...Buffer.from(name, 'latin1')]
}

function functionBody({ locals, code }: WasmFunction): Code {
  const content = [1, ...unsigned(locals), i32, ...code, 0x0b]
  return [...unsigned(content.length), ...content]
}

/** Maximum number of messages that are digested at once. */
export const laneCount = 4
/** Maximum number of blocks of a message in memory at a time: few enough for the cache of a core. */
export const maxBlocks = 1024
export const blockBytes = 64
export const laneBytes = maxBlocks * blockBytes
/** A, B, C and D of each message, at the start of the memory. */
export const stateBytes = 16
export const firstLane = laneCount * stateBytes

/** RFC 1321 section 3.4: the rotation amounts, four for each round. */
const rotations = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]

/** RFC 1321 section 3.4, "T[i]"; 1 less in the last round, see `addMix`. */
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

/** The first locals of a function. Those of the messages follow. */
const count = 0
const address = 1

/** The locals of one message. */
interface Locals {
  readonly state: readonly [number, number, number, number]
  /** The state before the block. */
  readonly before: readonly [number, number, number, number]
  /** The first of the 16 words of the block. */
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
 * RFC 1321 section 3.4: adds F, G, H or I to the value on the stack. Only B comes from the step before, so terms without
 * B are added first.
 */
function addMix(round: number, [, b, c, d]: State): Code {
  const [getB, getC, getD] = [get(b), get(c), get(d)]
  if (round === 0) return [...getC, ...getD, ...xor, ...getB, ...and, ...getD, ...xor, ...add]
  if (round === 1) {
    return [...getD, ...not, ...getC, ...and, ...add, ...getB, ...getD, ...and, ...add]
  }
  if (round === 2) return [...getC, ...getD, ...xor, ...getB, ...xor, ...add]
  // I is the complement of C ^ (D & ~B), and adding the complement of x is subtracting x + 1.
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
 * Each step of MD5 depends on the one before it, which leaves most of a core idle. The steps of several messages are
 * interleaved so that the core works on the others meanwhile.
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
 * MD5 (RFC 1321) as WebAssembly. The module exports `memory`, and `digest1` to `digest4`, which take a number of blocks
 * and digest that many of 1 to 4 messages (docs/decisions/0041-md5-of-several-messages.md).
 */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const pages = Math.ceil((firstLane + laneCount * laneBytes) / 65_536)
  return wasmModule(
    Array.from({ length: laneCount }, (_, index) => hashing(index + 1)),
    pages,
  )
}
