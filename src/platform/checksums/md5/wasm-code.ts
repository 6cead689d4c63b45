/**
 * A few instructions of WebAssembly as bytes
 * (https://webassembly.github.io/spec/core/binary/index.html): enough for functions of one parameter without a result.
 */

/** The codes of one function, in the order of the stack machine. */
export type Code = readonly number[]

const i32 = 0x7f

/** An unsigned number in LEB128. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)]
}

/** A number of 32 bits in signed LEB128. */
function signed(value: number): Code {
  const isLast = value >= -0x40 && value < 0x40
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)]
}

export const get = (local: number): Code => [0x20, ...unsigned(local)]
export const set = (local: number): Code => [0x21, ...unsigned(local)]
export const i32Const = (value: number): Code => [0x41, ...signed(value | 0)]

/** What follows the code of a load or a store: it need not be aligned to more than `2 ** align` bytes. */
export const at = (offset: number, align: number): Code => [align, ...unsigned(offset)]

/** Repeats the code until the number in the local, which is at least 1, is 0. */
export function repeat(local: number, body: Code): Code {
  const countDown = [...get(local), ...i32Const(1), 0x6b, 0x22, ...unsigned(local)]
  return [0x03, 0x40, ...body, ...countDown, 0x0d, 0x00, 0x0b]
}

export interface WasmFunction {
  readonly name: string
  /** How many there are behind the parameter, which is local 0. All are numbers of 32 bits. */
  readonly locals: number
  readonly code: Code
}

/** A module with these functions and a memory that it exports as `memory`. */
export function wasmModule(
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
