import type { CorsRuleReply as CorsRule } from '../../../../src/dashboard/management/bucket-option-schemas.ts'
import { bucketsTexts } from '../../texts/buckets.ts'

/** The lists of a rule, with their names in AWS's JSON (S3 User Guide, "Elements of a CORS configuration"). */
const lists = [
  ['allowedOrigins', 'AllowedOrigins'],
  ['allowedMethods', 'AllowedMethods'],
  ['allowedHeaders', 'AllowedHeaders'],
  ['exposeHeaders', 'ExposeHeaders'],
] as const
const names: readonly string[] = [...lists.map(([, name]) => name), 'ID', 'MaxAgeSeconds']

/** The rules as the consoles of AWS and R2 show them. */
export function corsJson(rules: readonly CorsRule[]): string {
  const shown = rules.map(({ id, maxAgeSeconds, ...rule }) => ({
    ...(id !== undefined && { ID: id }),
    ...Object.fromEntries(lists.map(([field, name]) => [name, rule[field]])),
    ...(maxAgeSeconds !== undefined && { MaxAgeSeconds: maxAgeSeconds }),
  }))
  return JSON.stringify(shown, null, 2)
}

/**
 * Reads the rules from AWS's JSON: an array, or an object with CORSRules as aws-cli takes it. The service checks the
 * values.
 *
 * @throws Error that says what is wrong
 */
export function parseCorsJson(text: string): CorsRule[] {
  if (text.trim() === '') return []
  const value: unknown = JSON.parse(text)
  const rules = isRecord(value) ? value.CORSRules : value
  if (!Array.isArray(rules)) throw new Error(bucketsTexts.cors.noArray)
  return rules.map(parseRule)
}

function parseRule(value: unknown, index: number): CorsRule {
  if (!isRecord(value)) throw new Error(bucketsTexts.cors.noObject(index + 1))
  const unknown = Object.keys(value).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(bucketsTexts.cors.unknown(unknown, index + 1))
  const { ID: id, MaxAgeSeconds: maxAgeSeconds } = value
  const listed = lists.map(([field, name]) => {
    const list = value[name] ?? []
    const isTexts = Array.isArray(list) && list.every((one) => typeof one === 'string')
    if (!isTexts) throw new Error(bucketsTexts.cors.noList(name, index + 1))
    return [field, list]
  })
  return {
    ...(id !== undefined && { id }),
    ...Object.fromEntries(listed),
    ...(maxAgeSeconds !== undefined && { maxAgeSeconds }),
  } as CorsRule
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
