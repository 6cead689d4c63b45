import { z } from 'zod'
import { isOfConnections } from '../calls/call-headers.ts'
import { serviceKinds } from '../list/routing-inputs.ts'
import { isUpstreamUrl } from '../upstream/upstream.ts'
import { apiKeyPattern, maxApiKeyLength } from './given-key.ts'

/** All stored input is bounded, because each list reads all of it. */
export const maxConnections = 1_000
export const maxCombos = 1_000
export const maxCustomModels = 10_000
export const maxModelAliases = 10_000
export const maxEnabledModels = 2_000
export const maxComboModels = 100

/** The limit of the whole stored state, bytes. A body of this size still fits `maxBodyBytes`. */
export const maxStateBytes = 4 * 1024 * 1024
export const maxBodyBytes = 8 * 1024 * 1024

/** Characters. */
export const maxIdLength = 200
export const maxModelIdLength = 300
export const maxUrlLength = 2_000

export const maxPriority = 1_000_000
export const maxWeight = 1_000
/** US dollars per million tokens. */
const maxPrice = 1_000_000

const controlCharacter = /[\u0000-\u001f\u007f]/

/** JSON can contain text that database columns and HTTP headers cannot. */
function isSolid(text: string): boolean {
  return text.isWellFormed() && !controlCharacter.test(text)
}

/** Checks the length first, so that the other checks never run on longer texts. */
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

/** The part of a listed id before the first slash. */
function segment(maxLength: number) {
  return filledText(maxLength)
    .refine((text) => !/[\s/]/.test(text), 'expected text without slashes or white space')
    .refine(isAddressable, noDots)
}

/**
 * Items are addressed by their names, and every URL parser removes these two from a path, in any
 * encoding (WHATWG URL, "double-dot URL path segment").
 */
function isAddressable(name: string): boolean {
  return name !== '.' && name !== '..'
}

const noDots = 'expected a name other than . and ..'

export const itemId = segment(maxIdLength)
export const label = solidText(maxIdLength)
export const modelId = filledText(maxModelIdLength)

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

/** The length limit of an alias in a file, independent of its form. */
export const fileAliasName = boundedText(maxIdLength)
export const fileAliasTarget = boundedText(maxTargetLength)

export const aliasTarget = filledText(maxTargetLength).refine(
  isTarget,
  'expected the form <alias>/<model id>',
)

/**
 * A map from alias names, counted before validation: checking a million of them for the first
 * mistake would take seconds.
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

/** Blank: none. A fragment is never sent, so a path after it would be lost (RFC 9110 section 7.1). */
export const baseUrl = solidText(maxUrlLength).refine(
  (text) => text.trim() === '' || (isUpstreamUrl(text.trim()) && !text.includes('#')),
  'expected an http:// or https:// URL without user name, password and #',
)

/** Empty: no key. Text with the prefix of a mask is a mask. */
export const apiKey = z
  .string()
  .trim()
  .max(maxApiKeyLength, { abort: true })
  .regex(apiKeyPattern, 'expected visible ASCII characters')

const maxHeaders = 20
const maxHeaderLength = 1_000

/** A field value as undici accepts it (RFC 9110 section 5.5). Text with the prefix of a mask is a mask. */
const headerValue = z
  .string()
  .trim()
  .min(1)
  .max(maxHeaderLength, { abort: true })
  .regex(/^[\x20-\x7e\xa0-\xff]+$/, 'expected characters of Latin-1, without control characters')

/** Counted before validation. */
export const headers = z
  .record(z.string(), z.unknown(), 'expected header fields, each name once with its value')
  .superRefine((fields, { addIssue }) => {
    const names = Object.keys(fields)
    if (names.length > maxHeaders) return addIssue(`expected at most ${maxHeaders} header fields`)
    const seen = new Set<string>()
    for (const name of names) {
      const message = headerProblem(name, seen)
      if (message !== undefined) addIssue({ code: 'custom', path: [name], message })
      seen.add(name.toLowerCase())
    }
  })
  .pipe(z.record(z.string(), headerValue))
  .describe('Header fields that the upstream gets with each call')

function headerProblem(name: string, seen: ReadonlySet<string>): string | undefined {
  // RFC 9110 section 5.6.2.
  if (name.length > maxIdLength || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    return 'expected the name of a header field'
  }
  if (!isOfConnections(name)) return 'expected another field: only Bucketry sets this one'
  return seen.has(name.toLowerCase()) ? 'expected each name only once' : undefined
}

/** Null equals missing. */
export function orMissing<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? undefined)
}

export const serviceKind = z.enum(serviceKinds)
export const priority = z.int().min(0).max(maxPriority)
export const weight = z.int().min(1).max(maxWeight)
const dollars = z.number().min(0).max(maxPrice)
/** The fields keep their order, so that a stored price that was only read is serialized to the same text. */
export const price = z
  .strictObject(
    {
      input: dollars,
      output: dollars,
      cacheRead: dollars.optional(),
      cacheWrite: dollars.optional(),
    },
    'expected the prices of input and output, as numbers',
  )
  .describe('US dollars per million tokens')
export const timestampMs = z.int().min(0).max(8_640_000_000_000_000)
