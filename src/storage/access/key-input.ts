import { actions, type Grant, type KeyLimits } from './authorize.ts'

/** What a person sets for a key. */
export interface KeyInput {
  readonly name: string
  readonly note?: string
  readonly grants: readonly Grant[]
  /** Milliseconds since the epoch; null: never. */
  readonly expiresAtMs?: number | null
  readonly limits?: { readonly [Name in keyof KeyLimits]: KeyLimits[Name] | null }
}

/** An invalid value of a key. The message is user-facing. */
export class KeyInputError extends Error {
  /** Such as `grants[0].bucket`. */
  readonly field: string

  constructor(field: string, message: string) {
    super(message)
    this.name = 'KeyInputError'
    this.field = field
  }
}

const maxNameCharacters = 100
const maxNoteCharacters = 1_000
const maxGrants = 100
/** The maximum length of an S3 key: "Object key names", 1,024 bytes of UTF-8. */
const maxPrefixBytes = 1_024
const maxRequestsPerSecond = 1_000_000

/** @param isBucketName whether a bucket could have the name; the bucket need not exist */
export function checkKeyInput(
  { name, note, grants, expiresAtMs, limits }: Partial<KeyInput>,
  isBucketName: (name: string) => boolean,
): void {
  if (name !== undefined) checkText('name', name, { min: 1, max: maxNameCharacters })
  if (note !== undefined) checkText('note', note, { min: 0, max: maxNoteCharacters })
  if (grants !== undefined) checkGrants(grants, isBucketName)
  if (expiresAtMs !== undefined && expiresAtMs !== null && !isWhole(expiresAtMs, 1)) {
    throw new KeyInputError('expiresAt', 'Expected a date and time.')
  }
  const { requestsPerSecond, bytes } = limits ?? {}
  checkLimit('requestsPerSecond', requestsPerSecond, maxRequestsPerSecond)
  checkLimit('bytes', bytes, Number.MAX_SAFE_INTEGER)
}

function checkText(
  field: string,
  text: string,
  { min, max }: { readonly min: number; readonly max: number },
): void {
  const { length } = text.trim()
  if (length >= min && text.length <= max) return
  throw new KeyInputError(field, `Expected ${min} to ${max} characters.`)
}

function checkGrants(grants: readonly Grant[], isBucketName: (name: string) => boolean): void {
  if (grants.length > maxGrants) {
    throw new KeyInputError('grants', `Expected at most ${maxGrants} grants.`)
  }
  for (const [index, grant] of grants.entries()) checkGrant(grant, `grants[${index}]`, isBucketName)
}

function checkGrant(
  { bucket, prefix, actions: allowed }: Grant,
  field: string,
  isBucketName: (name: string) => boolean,
): void {
  if (bucket !== '*' && !isBucketName(bucket)) {
    throw new KeyInputError(
      `${field}.bucket`,
      'Expected the name of a bucket, or * for all buckets.',
    )
  }
  if (Buffer.byteLength(prefix) > maxPrefixBytes || !prefix.isWellFormed()) {
    const message = `Expected at most ${maxPrefixBytes} bytes of text.`
    throw new KeyInputError(`${field}.prefix`, message)
  }
  if (allowed.length === 0 || allowed.some((action) => !actions.includes(action))) {
    const message = `Expected one or more of ${actions.join(', ')}.`
    throw new KeyInputError(`${field}.actions`, message)
  }
  if (allowed.includes('create') && allowed.includes('write')) {
    const message =
      'Choose create or write: write allows everything that create does, and also replacing objects.'
    throw new KeyInputError(`${field}.actions`, message)
  }
  if (allowed.includes('manage') && prefix !== '') {
    const message =
      'A grant to manage a bucket cannot have a prefix: it applies to the whole bucket.'
    throw new KeyInputError(`${field}.prefix`, message)
  }
}

function checkLimit(name: string, value: number | null | undefined, max: number): void {
  if (value === undefined || value === null || (isWhole(value, 1) && value <= max)) return
  throw new KeyInputError(`limits.${name}`, `Expected a whole number from 1 to ${max}.`)
}

function isWhole(value: number, min: number): boolean {
  return Number.isSafeInteger(value) && value >= min
}
