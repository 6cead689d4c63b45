/**
 * The policy of a form (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html).
 */

import { S3Error } from '../errors.ts'
import { parseIsoTime } from '../headers/dates.ts'

/** Minimum and maximum bytes of the file. */
export interface SizeRange {
  readonly min: number
  readonly max: number
}

interface FieldCondition {
  readonly kind: 'eq' | 'starts-with'
  /** In lower case. */
  readonly field: string
  readonly value: string
}

export interface PostPolicy {
  readonly expiresAtMs: number
  readonly conditions: readonly FieldCondition[]
  readonly size: SizeRange
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/**
 * Reads the policy of a form, which is in base64.
 *
 * @throws S3Error InvalidPolicyDocument
 */
export function parsePostPolicy(text: string): PostPolicy {
  const { expiration, conditions, ...others } = documentOf(text)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalidPolicy(`Unexpected: '${unknown}'`)
  if (typeof expiration !== 'string') throw invalidPolicy('Policy missing expiration.')
  const expiresAtMs = expirationOf(expiration)
  if (!Array.isArray(conditions)) throw invalidPolicy('Policy missing conditions.')
  const fields: FieldCondition[] = []
  let size: SizeRange = { min: 0, max: Number.POSITIVE_INFINITY }
  for (const condition of conditions) {
    const read = readCondition(condition)
    if ('field' in read) fields.push(read)
    else size = { min: Math.max(size.min, read.min), max: Math.min(size.max, read.max) }
  }
  return { expiresAtMs, conditions: fields, size }
}

function documentOf(text: string): Readonly<Record<string, unknown>> {
  if (!base64.test(text)) throw invalidPolicy('Policy is not in base64.')
  let document: unknown
  try {
    document = JSON.parse(withoutAwsEscapes(utf8.decode(Buffer.from(text, 'base64'))))
  } catch {
    throw invalidPolicy('Invalid JSON.')
  }
  if (isObject(document)) return document
  throw invalidPolicy('Policy is not an object.')
}

/** S3's policies have `\$` and `\v` ("Character escaping"), which JSON does not. */
function withoutAwsEscapes(json: string): string {
  const written: Readonly<Record<string, string>> = { '\\$': '$', '\\v': '\\u000b' }
  return json.replace(/\\./gs, (pair) => written[pair] ?? pair)
}

function expirationOf(text: string): number {
  const atMs = text.endsWith('Z') ? parseIsoTime(text) : undefined
  if (atMs !== undefined) return atMs
  throw invalidPolicy(`Invalid 'expiration' value: '${text}'`)
}

function readCondition(condition: unknown): FieldCondition | SizeRange {
  if (Array.isArray(condition)) return readList(condition)
  if (!isObject(condition)) throw invalidPolicy('Invalid Condition: not a list or an object.')
  const [entry, another] = Object.entries(condition)
  if (entry === undefined || another !== undefined) {
    throw invalidPolicy('Invalid Simple-Condition: must have exactly one property specified.')
  }
  const [name, value] = entry
  if (typeof value !== 'string') throw invalidPolicy('Invalid Simple-Condition: not a text.')
  return { kind: 'eq', field: name.toLowerCase(), value }
}

function readList(list: readonly unknown[]): FieldCondition | SizeRange {
  const [operator, first, second] = list
  const kind = typeof operator === 'string' ? operator.toLowerCase() : ''
  if (list.length !== 3) throw invalidPolicy('Invalid Condition: needs three elements.')
  if (kind === 'content-length-range') return { min: bytesOf(first), max: bytesOf(second) }
  if (kind !== 'eq' && kind !== 'starts-with') {
    throw invalidPolicy('Invalid Condition: unknown operation.')
  }
  if (typeof first !== 'string' || !first.startsWith('$') || typeof second !== 'string') {
    throw invalidPolicy('Invalid Condition: needs the name of a field after $, and a text.')
  }
  return { kind, field: first.slice(1).toLowerCase(), value: second }
}

function bytesOf(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number
  throw invalidPolicy('Invalid content-length-range: needs two numbers of bytes.')
}

/** Fields that need no condition, besides those of the signature. */
const alwaysFree: ReadonlySet<string> = new Set(['file', 'policy'])

/**
 * Checks that the policy has not expired, that every condition holds, and that every field has a condition, so the signer
 * has foreseen it.
 *
 * @param fields of the form and `bucket`, the bucket of the address
 * @param free fields of the signature, which need no condition
 * @throws S3Error AccessDenied
 */
export function checkPostPolicy(
  { expiresAtMs, conditions }: PostPolicy,
  fields: ReadonlyMap<string, string>,
  free: ReadonlySet<string>,
  nowMs: number,
): void {
  if (expiresAtMs <= nowMs) throw refusedByPolicy('Policy expired.')
  const failed = conditions.find((condition) => !holds(condition, fields.get(condition.field)))
  if (failed !== undefined) {
    const { kind, field, value } = failed
    // With AWS's spaces, which test suites compare.
    const shown = [kind, `$${field}`, value].map((text) => JSON.stringify(text)).join(', ')
    throw refusedByPolicy(`Policy Condition failed: [${shown}]`)
  }
  const named = new Set(conditions.map(({ field }) => field))
  for (const name of fields.keys()) {
    if (named.has(name) || free.has(name) || alwaysFree.has(name)) continue
    if (!name.startsWith('x-ignore-')) throw refusedByPolicy(`Extra input fields: ${name}`)
  }
}

/** A missing field meets no condition, not even an empty prefix. */
function holds({ kind, field, value }: FieldCondition, sent: string | undefined): boolean {
  if (sent === undefined) return false
  if (kind === 'eq') return sent === value
  // "Content-Type values for a starts-with condition that include commas are interpreted as lists."
  const values = field === 'content-type' ? sent.split(',') : [sent]
  return values.every((one) => one.startsWith(value))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalidPolicy(why: string): S3Error {
  return new S3Error('InvalidPolicyDocument', `Invalid Policy: ${why}`)
}

function refusedByPolicy(why: string): S3Error {
  return new S3Error('AccessDenied', `Invalid according to Policy: ${why}`)
}
