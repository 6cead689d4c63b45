import { resolve } from 'node:path'
import type { DeclaredKey } from '../../access/declared-keys.ts'
import type { Action, Grant } from '../../access/grants.ts'
import { checkKeyInput, KeyInputError } from '../../access/key-input.ts'
import { readBoundedFile } from '../../process/bounded-file.ts'
import { accessKey, isBucketName } from './parse-names.ts'
import { SettingMistake } from './setting.ts'

/** An access key of ACCESS_KEYS. Its secret is elsewhere, so that the list can be shown and kept anywhere. */
export interface ParsedKey extends Omit<DeclaredKey, 'secretKey'> {
  readonly secret: { readonly file: string } | { readonly variable: string }
}

const fields: ReadonlySet<string> = new Set([
  ...[
    'accessKeyId',
    'secretKeyFile',
    'secretKeyEnv',
    'name',
    'note',
    'grants',
    'expiresAt',
    'limits',
  ],
])

/**
 * Parses the JSON list of ACCESS_KEYS.
 *
 * @throws SettingMistake that names the first wrong field
 */
export function accessKeyList(text: string): readonly ParsedKey[] {
  const keys = parseJson(text).map(parseKey)
  for (const [index, { accessKeyId }] of keys.entries()) {
    if (keys.findIndex((other) => other.accessKeyId === accessKeyId) === index) continue
    throw wrong(`[${index}].accessKeyId`, 'Expected each ID once.')
  }
  return keys
}

function parseJson(text: string): unknown[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const line = lineOfMistake(text, (cause as Error).message)
    throw new SettingMistake(`a list in JSON; line ${line} is not valid`)
  }
  if (Array.isArray(value)) return value
  throw new SettingMistake('a list in JSON, such as [{"accessKeyId": …}] (docs/access-keys.md)')
}

/** The message of JSON.parse is not shown: it may quote a secret that was put into the list by mistake. */
function lineOfMistake(text: string, message: string): number {
  const given = /line (\d+) column/.exec(message)?.[1]
  if (given !== undefined) return Number(given)
  // V8 names no place for a wrong token. It is in the last line of the shortest text with such a mistake.
  const lines = text.split('\n')
  let [first, last] = [1, lines.length]
  while (first < last) {
    const middle = Math.floor((first + last) / 2)
    if (hasWrongToken(lines.slice(0, middle).join('\n'))) last = middle
    else first = middle + 1
  }
  return first
}

function hasWrongToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return (error as Error).message.startsWith('Unexpected token')
  }
}

function parseKey(value: unknown, index: number): ParsedKey {
  const at = `[${index}]`
  const key = objectOf(value, at)
  for (const name of Object.keys(key)) {
    if (!fields.has(name)) throw wrong(`${at}.${name}`, 'Not a known field.')
  }
  const parsed = {
    accessKeyId: idOf(key.accessKeyId, `${at}.accessKeyId`),
    secret: secretOf(key, at),
    name: textOf(key.name, `${at}.name`),
    note: key.note === undefined ? '' : textOf(key.note, `${at}.note`),
    grants: grantsOf(key.grants, `${at}.grants`),
    expiresAtMs: momentOf(key.expiresAt, `${at}.expiresAt`),
    ...(isDate(key.expiresAt) && { expiryDate: key.expiresAt }),
    limits: limitsOf(key.limits, `${at}.limits`),
  }
  try {
    checkKeyInput(parsed, isBucketName)
  } catch (error) {
    if (error instanceof KeyInputError) throw wrong(`${at}.${error.field}`, error.message)
    throw error
  }
  return parsed
}

function idOf(value: unknown, field: string): string {
  try {
    return accessKey(textOf(value, field))
  } catch (error) {
    if (error instanceof SettingMistake) throw wrong(field, error.message)
    throw error
  }
}

function secretOf(key: Readonly<Record<string, unknown>>, at: string): ParsedKey['secret'] {
  const { secretKeyFile: file, secretKeyEnv: variable } = key
  if ((file === undefined) === (variable === undefined)) {
    throw wrong(at, 'Expected either secretKeyFile or secretKeyEnv.')
  }
  if (file !== undefined) return { file: textOf(file, `${at}.secretKeyFile`) }
  return { variable: textOf(variable, `${at}.secretKeyEnv`) }
}

function grantsOf(value: unknown, at: string): Grant[] {
  if (!Array.isArray(value)) throw wrong(at, 'Expected a list of grants.')
  return value.map((one, index) => {
    const { bucket, prefix = '', actions, ...others } = objectOf(one, `${at}[${index}]`)
    const [other] = Object.keys(others)
    if (other !== undefined) throw wrong(`${at}[${index}].${other}`, 'Not a known field.')
    if (!Array.isArray(actions)) throw wrong(`${at}[${index}].actions`, 'Expected a list.')
    return {
      bucket: textOf(bucket, `${at}[${index}].bucket`),
      prefix: textOf(prefix, `${at}[${index}].prefix`),
      // checkKeyInput checks them.
      actions: actions as Action[],
    }
  })
}

function momentOf(value: unknown, field: string): number | null {
  if (value === undefined || value === null) return null
  const atMs = Date.parse(textOf(value, field))
  if (Number.isNaN(atMs)) throw wrong(field, 'Expected a date such as 2027-01-31T18:00:00Z.')
  return atMs
}

/** A date without a time, which is its beginning in UTC. */
function isDate(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)
}

function limitsOf(value: unknown, at: string): DeclaredKey['limits'] {
  if (value === undefined) return {}
  const given = Object.entries(objectOf(value, at)).filter(([, limit]) => limit !== null)
  for (const [name, limit] of given) {
    if (name !== 'requestsPerSecond' && name !== 'bytes') {
      throw wrong(`${at}.${name}`, 'Not a known field.')
    }
    if (typeof limit !== 'number') throw wrong(`${at}.${name}`, 'Expected a number.')
  }
  return Object.fromEntries(given)
}

function objectOf(value: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw wrong(field, 'Expected an object.')
}

function textOf(value: unknown, field: string): string {
  if (typeof value === 'string') return value
  throw wrong(field, 'Expected text.')
}

function wrong(field: string, message: string): SettingMistake {
  return new SettingMistake(`a list of access keys; at ${field}: ${message}`)
}

/** The files with secrets, which clients must not be able to read. */
export function secretFiles(
  keys: readonly ParsedKey[],
): { readonly name: string; readonly path: string }[] {
  return keys.flatMap(({ secret, accessKeyId }) =>
    'file' in secret
      ? [{ name: `secretKeyFile of ${accessKeyId} in ACCESS_KEYS`, path: resolve(secret.file) }]
      : [],
  )
}

/**
 * Reads the secrets of the keys.
 *
 * @param mistakes gets a line for each secret that can't be read
 */
export function withSecrets(
  keys: readonly ParsedKey[],
  environment: Readonly<Record<string, string | undefined>>,
  mistakes: string[],
): DeclaredKey[] {
  return keys.map(({ secret, ...key }) => {
    const secretKey = 'file' in secret ? fileText(secret.file) : environment[secret.variable]
    if (!secretKey) {
      const where =
        'file' in secret ? `the file ${secret.file}` : `the environment variable ${secret.variable}`
      mistakes.push(
        `ACCESS_KEYS has the key ${key.accessKeyId}: expected its secret in ${where}, which cannot be read or is empty`,
      )
    }
    return { ...key, secretKey: secretKey ?? '' }
  })
}

/** Editors and `echo` append a line break that is not part of the secret. */
function fileText(path: string): string | undefined {
  try {
    return readBoundedFile(path)
      .toString()
      .replace(/\r?\n$/, '')
  } catch {
    return undefined
  }
}
