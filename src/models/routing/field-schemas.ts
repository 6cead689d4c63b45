import { z } from 'zod'
import { serviceKinds } from '../routing-inputs.ts'
import { isUpstreamUrl } from '../upstream/upstream-url.ts'
import { apiKeyPattern, maxApiKeyLength } from './api-key.ts'
import {
  maxIdLength,
  maxModelAliases,
  maxModelIdLength,
  maxPriority,
  maxUrlLength,
} from './limits.ts'

const controlCharacter = /[\u0000-\u001f\u007f]/

/** JSON can hold what no database column and no HTTP header can. */
function isSolid(text: string): boolean {
  return text.isWellFormed() && !controlCharacter.test(text)
}

/** The length first, so that no other check ever sees more than that. */
function boundedText(maxLength: number) {
  return z.string().max(maxLength, { abort: true })
}

function solidText(maxLength: number) {
  return boundedText(maxLength).refine(
    isSolid,
    'expected text without control characters or broken surrogates',
  )
}

function filledText(maxLength: number) {
  return solidText(maxLength).refine((text) => text.trim() !== '', 'expected non-blank text')
}

/** What comes before the first slash of a listed id. */
function segment(maxLength: number) {
  return filledText(maxLength)
    .refine((text) => !/[\s/]/.test(text), 'expected text without slashes or white space')
    .refine(isAddressable, noDots)
}

/**
 * Items are addressed by their names, and every URL parser takes these two out of a path, in
 * whatever encoding (WHATWG URL, "double-dot URL path segment").
 */
function isAddressable(name: string): boolean {
  return name !== '.' && name !== '..'
}

const noDots = 'expected a name other than . and ..'

export const itemId = segment(maxIdLength)
export const label = solidText(maxIdLength)
export const modelId = filledText(maxModelIdLength)

/** Of a model that a person adds. */
export const customModelId = modelId.refine(isAddressable, noDots)

/** Blank ids are allowed: the list skips them (docs/contract/model-list.md, "Base ids"). */
export const enabledModelId = solidText(maxModelIdLength)

/** A blank prefix counts as absent (docs/contract/model-list.md, "Output alias"). */
export const prefix = solidText(maxIdLength).refine(
  (text) => !text.includes('/'),
  'expected a prefix without slashes',
)

export const comboName = boundedText(maxIdLength)
  .min(1)
  .regex(/^[a-zA-Z0-9_.-]+$/, 'expected only letters, digits, and the characters _ . -')
  .refine(isAddressable, noDots)

export const aliasName = filledText(maxIdLength)
  .refine((name) => name !== '__proto__', 'expected a name other than __proto__')
  .refine(isAddressable, noDots)

const maxTargetLength = maxIdLength + maxModelIdLength

/** What an alias of a file may be at most, whatever its form. */
export const fileAliasName = boundedText(maxIdLength)
export const fileAliasTarget = boundedText(maxTargetLength)

export const aliasTarget = filledText(maxTargetLength).refine(
  isTarget,
  'expected the form <alias>/<model id>',
)

/**
 * A map from alias names, counted before it is looked at: reading a million of them to find the
 * first mistake would take seconds.
 */
export function aliasMap(name: z.ZodString, target: z.ZodString) {
  return z
    .record(z.string(), z.unknown())
    .refine(
      (aliases) => Object.keys(aliases).length <= maxModelAliases,
      `expected at most ${maxModelAliases} aliases`,
    )
    .pipe(z.record(name, target))
}

function isTarget(text: string): boolean {
  const slash = text.indexOf('/')
  return slash > 0 && text.slice(0, slash).trim() !== '' && text.slice(slash + 1).trim() !== ''
}

/** Blank: none. */
export const baseUrl = solidText(maxUrlLength).refine(
  (text) => text.trim() === '' || isUpstreamUrl(text.trim()),
  'expected an http:// or https:// URL without user name and password',
)

/** Empty: none. What begins like a mask is one. */
export const apiKey = z
  .string()
  .trim()
  .max(maxApiKeyLength, { abort: true })
  .regex(apiKeyPattern, 'expected visible ASCII characters')

export const serviceKind = z.enum(serviceKinds)
export const priority = z.int().min(0).max(maxPriority)
export const timestampMs = z.int().min(0).max(8_640_000_000_000_000)
