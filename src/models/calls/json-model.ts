import { isJson } from './json-syntax.ts'
import { type ModelName, unclearModel } from './model-name.ts'

const brace = 0x7b
const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openers: ReadonlySet<number> = new Set(Buffer.from('{['))
const closers: ReadonlySet<number> = new Set(Buffer.from('}]'))
const space: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n'))
/** What follows a number or a word. */
const ends: ReadonlySet<number> = new Set([comma, ...closers, ...space])

/**
 * Finds the model in a JSON object. Parsers differ in which of two fields with one name counts, and some ignore case
 * (Go's encoding/json), so a second spelling is refused: the upstream must not see another model than we do.
 *
 * @throws ApiError 400
 */
export function modelOfJson(body: Buffer): ModelName {
  if (!isJson(body)) throw unclearModel('The body is not valid JSON.')
  if (body[skipSpace(body, 0)] !== brace) throw unclearModel('The body must be a JSON object.')
  const found: (readonly [start: number, end: number])[] = []
  let isExact = false
  for (const [name, start, end] of fieldsOf(body)) {
    if (name.toLowerCase() !== 'model') continue
    isExact ||= name === 'model'
    found.push([start, end])
  }
  const [first] = found
  if (first === undefined || !isExact) throw unclearModel('The field model is missing.')
  if (found.length > 1) throw unclearModel('The body has the field model more than once.')
  const [start, end] = first
  if (body[start] !== quote) throw unclearModel('The field model must be a string.')
  const name = String(JSON.parse(body.toString('utf8', start, end)))
  return { name, start, end, encode: (other) => JSON.stringify(other) }
}

/** The fields of an object, whose text is valid: names, and where their values begin and end. */
function* fieldsOf(json: Buffer): Iterable<readonly [name: string, start: number, end: number]> {
  // Behind the brace.
  let at = skipSpace(json, 0) + 1
  for (;;) {
    at = skipSpace(json, at)
    if (json[at] === comma) at = skipSpace(json, at + 1)
    if (json[at] !== quote) return
    const nameEnd = endOfText(json, at)
    const name: unknown = JSON.parse(json.toString('utf8', at, nameEnd))
    // Behind the colon.
    const start = skipSpace(json, skipSpace(json, nameEnd) + 1)
    const end = endOfValue(json, start)
    yield [String(name), start, end]
    at = end
  }
}

function skipSpace(json: Buffer, from: number): number {
  let at = from
  while (space.has(json[at] ?? Number.NaN)) at += 1
  return at
}

/** @param start of the quote */
function endOfText(json: Buffer, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end < 0 ? json.length : end + 1
}

/** Whether an odd number of backslashes is in front. */
function isEscaped(json: Buffer, at: number): boolean {
  let before = at
  while (json[before - 1] === backslash) before -= 1
  return (at - before) % 2 === 1
}

/** Where a value ends that begins at `start`. If the text ends before it, the end of the bytes. */
export function endOfValue(json: Buffer, start: number): number {
  const first = json[start] ?? 0
  if (first === quote) return endOfText(json, start)
  return openers.has(first) ? endOfNested(json, start) : endOfPlain(json, start)
}

/** Of an object or an array. */
function endOfNested(json: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; ) {
    const byte = json[at] ?? 0
    at = byte === quote ? endOfText(json, at) : at + 1
    if (openers.has(byte)) depth += 1
    if (closers.has(byte)) depth -= 1
    if (depth === 0) return at
  }
  return json.length
}

/** Of a number, true, false or null. */
function endOfPlain(json: Buffer, start: number): number {
  let at = start
  while (at < json.length && !ends.has(json[at] ?? 0)) at += 1
  return at
}
