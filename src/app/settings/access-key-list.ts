import { z } from 'zod'
import { type JsonPath, linesOf, syntaxMistake } from '../../models/catalogue/catalogue-error.ts'
import { jsonPath } from '../../platform/json-api/api-error.ts'
import { SettingMistake } from '../../platform/process/setting-mistake.ts'
import type { DeclaredKey } from '../../storage/access/declared-keys.ts'
import {
  checkKeyInput,
  grantSchema,
  KeyInputError,
  limitsSchema,
  nameSchema,
} from '../../storage/access/key-input.ts'
import { accessKey, isBucketName } from './parse-names.ts'

/** An access key of ACCESS_KEYS. Its secret is elsewhere, so that the list can be shown and kept anywhere. */
export interface ParsedKey extends Omit<DeclaredKey, 'secretKey'> {
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

/**
 * Parses the JSON list of ACCESS_KEYS. Messages quote none of its values: a secret may have been put into the list by
 * mistake.
 *
 * @throws SettingMistake that names the first wrong field
 */
export function accessKeyList(text: string): readonly ParsedKey[] {
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
