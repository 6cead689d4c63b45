import { z } from 'zod'
import { serviceKinds } from '../routing-inputs.ts'
import { apiKeyPattern, maxApiKeyLength } from './api-key.ts'
import { maxIdLength, maxModelIdLength, maxPriority, maxUrlLength } from './limits.ts'

const controlCharacter = /[\u0000-\u001f\u007f]/

/** JSON can hold what no database column and no HTTP header can. */
function isSolid(text: string): boolean {
  return text.isWellFormed() && !controlCharacter.test(text)
}

function solidText(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine(isSolid, 'expected text without control characters and broken surrogates')
}

function filledText(maxLength: number) {
  return solidText(maxLength).refine(
    (text) => text.trim() !== '',
    'expected text that is not blank',
  )
}

/** What comes before the first slash of a listed id. */
function segment(maxLength: number) {
  return filledText(maxLength).refine(
    (text) => !/[\s/]/.test(text),
    'expected text without slashes and white space',
  )
}

export const itemId = segment(maxIdLength)
export const label = solidText(maxIdLength)
export const modelId = filledText(maxModelIdLength)

/** Blank ones are allowed: the list passes over them (model-list.md, 4.2). */
export const enabledModelId = solidText(maxModelIdLength)

/** Blank: none (decisions, "Model list"). */
export const prefix = solidText(maxIdLength).refine(
  (text) => !text.includes('/'),
  'expected a prefix without slashes',
)

export const comboName = z
  .string()
  .min(1)
  .max(maxIdLength)
  .regex(/^[a-zA-Z0-9_.-]+$/, 'expected only letters, digits, and the characters _ . -')

export const aliasName = filledText(maxIdLength).refine(
  (name) => name !== '__proto__',
  'expected another name than __proto__',
)

export const aliasTarget = filledText(maxIdLength + maxModelIdLength).regex(
  /^[^/]*[^/\s][^/]*\/.*\S/,
  'expected the form <alias>/<model id>',
)

/** Blank: none. */
export const baseUrl = solidText(maxUrlLength).refine(
  (text) => text.trim() === '' || isUpstreamUrl(text.trim()),
  'expected a URL http:// or https:// without user and password',
)

/** Empty: none. What begins like a mask is one. */
export const apiKey = z
  .string()
  .trim()
  .max(maxApiKeyLength)
  .regex(apiKeyPattern, 'expected visible ASCII characters')

export const serviceKind = z.enum(serviceKinds)
export const priority = z.int().min(0).max(maxPriority)
export const timestampMs = z.int().min(0).max(8_640_000_000_000_000)

function isUpstreamUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return false
  return url.username === '' && url.password === ''
}
