import { resolve } from 'node:path'
import { z } from 'zod'
import { type JsonPath, linesOf, syntaxMistake } from '../../models/catalogue/catalogue-error.ts'
import { jsonPath } from '../../platform/json-api/api-error.ts'
import { readValue } from '../../platform/process/bounded-file.ts'
import { SettingMistake } from '../../platform/process/setting-mistake.ts'
import type { DeclaredKey } from '../../storage/access/declared-keys.ts'
import { checkKeyInput, KeyInputError } from '../../storage/access/key-input.ts'
import { grantSchema, limitsSchema, nameSchema } from '../../storage/access/key-schemas.ts'
import type { PrivatePath } from './location-mistakes.ts'
import { accessKey, isBucketName } from './parse-names.ts'
import type { Environment } from './setting.ts'

/** An access key of ACCESS_KEYS. Its secret is in a file or variable, so that the list itself need not be secret. */
interface ParsedKey extends Omit<DeclaredKey, 'secretKey'> {
  readonly secret: { readonly file: string } | { readonly variable: string }
}

const keySchema = z
  .strictObject({
    accessKeyId: z.string(),
    secretKeyFile: z.string().optional(),
    secretKeyEnv: z.string().optional(),
    name: nameSchema,
    note: z.string().default(''),
    grants: z.array(grantSchema),
    expiresAt: z.string().nullish(),
    limits: limitsSchema.optional(),
  })
  .transform((given, { addIssue }): ParsedKey => {
    const wrong = (message: string, ...path: JsonPath) =>
      addIssue({ code: 'custom', message, path: [...path] })
    const { accessKeyId, name, note, grants, expiresAt = null, limits = {} } = given
    const { secretKeyFile: file, secretKeyEnv: variable = '' } = given
    const key = {
      ...{ accessKeyId, secret: file === undefined ? { variable } : { file }, name, note, grants },
      expiresAtMs: expiresAt === null ? null : Date.parse(expiresAt),
      ...(expiresAt !== null && isDate(expiresAt) && { expiryDate: expiresAt }),
      limits: Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== null)),
    }
    if ((file === undefined) === (given.secretKeyEnv === undefined)) {
      wrong('Expected either secretKeyFile or secretKeyEnv.')
    }
    try {
      accessKey(accessKeyId)
      checkKeyInput(key, isBucketName)
    } catch (error) {
      if (error instanceof SettingMistake) wrong(error.message, 'accessKeyId')
      else if (error instanceof KeyInputError) wrong(error.message, ...pathOf(error.field))
      else throw error
    }
    return key
  })

/** A date without a time, which is its beginning in UTC. */
function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text)
}

/** `grants[0].bucket` as steps. */
function pathOf(field: string): JsonPath {
  const steps = field.match(/[^.[\]]+/g) ?? []
  return steps.map((step) => (/^\d+$/.test(step) ? Number(step) : step))
}

const listSchema = z.array(keySchema).check(({ value, issues }) => {
  for (const [index, { accessKeyId }] of value.entries()) {
    if (value.findIndex((other) => other.accessKeyId === accessKeyId) === index) continue
    const path = [index, 'accessKeyId']
    issues.push({ code: 'custom', input: value, message: 'Expected each ID once.', path })
  }
})

/** The keys of ACCESS_KEYS, and the files with their secrets, which clients must not be able to read. */
export interface AccessKeyList {
  readonly keys: readonly DeclaredKey[]
  readonly files: readonly PrivatePath[]
}

/**
 * Reads the list in ACCESS_KEYS and the secrets of its keys.
 *
 * @param mistakes gets a line if the list is not valid, and one for each secret that can't be read
 */
export function readAccessKeys(
  text: string,
  environment: Environment,
  mistakes: string[],
): AccessKeyList {
  try {
    const parsed = accessKeyList(text)
    return { keys: withSecrets(parsed, environment, mistakes), files: secretFiles(parsed) }
  } catch (error) {
    if (!(error instanceof SettingMistake)) throw error
    mistakes.push(`ACCESS_KEYS is a hidden value: ${error.message}`)
    return { keys: [], files: [] }
  }
}

function secretFiles(keys: readonly ParsedKey[]): PrivatePath[] {
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
function withSecrets(
  keys: readonly ParsedKey[],
  environment: Environment,
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

function fileText(path: string): string | undefined {
  try {
    return readValue(path)
  } catch {
    return undefined
  }
}

/**
 * Parses the JSON list of ACCESS_KEYS. Messages quote none of its values: a secret may have been put into the list by
 * mistake.
 *
 * @throws SettingMistake that names the first wrong field
 */
function accessKeyList(text: string): readonly ParsedKey[] {
  const { data, error } = listSchema.safeParse(jsonOf(text))
  const [issue] = error?.issues ?? []
  if (issue === undefined) return data ?? []
  if (issue.path.length === 0) {
    throw new SettingMistake('a list in JSON, such as [{"accessKeyId": …}] (docs/access-keys.md)')
  }
  const isUnknown = issue.code === 'unrecognized_keys'
  const path = [...issue.path, ...(isUnknown ? issue.keys.slice(0, 1) : [])] as JsonPath
  const message = isUnknown ? 'Not a known field.' : issue.message
  const [line] = linesOf(text, [path])
  throw new SettingMistake(
    `a list of access keys; in line ${line} at ${jsonPath(path)}: ${message}`,
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SettingMistake(`a list in JSON; line ${syntaxMistake(text).line} is not valid`)
  }
}
