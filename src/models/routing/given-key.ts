import { ApiError, jsonPath } from '../../platform/json-api/api-error.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
import type { Connection } from '../list/routing-inputs.ts'
import { compatibleFlavour } from '../upstream/upstream.ts'
import type { StoredConnection } from './stored-routing.ts'

/** The fields that determine where a key is sent. */
interface KeyTarget {
  readonly provider: string
  readonly providerSpecificData?:
    | { readonly baseUrl?: string | null | undefined }
    | null
    | undefined
}

export interface KeyContext {
  readonly sealer: Sealer
  /** The id of the connection of the key. */
  readonly id: string
  /** The stored connection, if it exists. */
  readonly stored: StoredConnection | undefined
  /** Where the key will be sent from now on. */
  readonly target: KeyTarget
  /** The JSON path of the connection in the body. */
  readonly path: readonly PropertyKey[]
}

/** A key or the value of a header field. */
interface Secret {
  /** The id that it is sealed for. */
  readonly owner: string
  /** The stored text. */
  readonly before: string | undefined
  readonly field: string
  readonly noun: keyof typeof pathOf
}

/** Where a connection has its key, and the values of its header fields. */
const pathOf = { key: ['apiKey'], value: ['providerSpecificData', 'headers'] } as const

/** No id of a connection has a slash. So no sealed text can stand for another, or under another name. */
function ownerOf(id: string, header: string): string {
  return `${id}/${header.toLowerCase()}`
}

/**
 * Converts the key of a request body to the text to store. A mask keeps the stored text unchanged,
 * even if it can no longer be decrypted; so does the same key.
 *
 * @throws ApiError for a mask of another key.
 */
export function sealGivenKey(
  given: string | null | undefined,
  context: KeyContext,
): string | undefined {
  if (given === null || given === undefined || given === '') return undefined
  const { id, stored, path } = context
  const field = jsonPath([...path, ...pathOf.key])
  return sealed(given, { owner: id, before: stored?.sealedKey, field, noun: 'key' }, context)
}

/** The same for header fields: each value is a secret of its own. A name may change the case of its letters. */
export function sealGivenHeaders(
  given: Readonly<Record<string, string>> | null | undefined,
  context: KeyContext,
): StoredConnection['sealedHeaders'] {
  const { id, stored, path } = context
  const before = new Map(
    Object.entries(stored?.sealedHeaders ?? {}).map(([name, text]) => [name.toLowerCase(), text]),
  )
  const entries = Object.entries(given ?? {}).map(([name, value]) => {
    const field = jsonPath([...path, ...pathOf.value, name])
    const secret = { owner: ownerOf(id, name), before: before.get(name.toLowerCase()), field }
    return [name, sealed(value, { ...secret, noun: 'value' }, context)] as const
  })
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

function sealed(
  given: string,
  { owner, before, field, noun }: Secret,
  { sealer, stored, target }: KeyContext,
): string {
  const known = before === undefined ? undefined : sealer.open(before, owner)
  if (!isMask(given)) {
    return before !== undefined && given === known ? before : sealer.seal(given, owner)
  }
  if (before === undefined) {
    const message = `expected a ${noun}: this mask matches no stored ${noun}`
    throw new ApiError(400, message, { field })
  }
  if (known !== undefined && maskOf(known) !== given) {
    const message = `expected a ${noun}, or the mask exactly as this API returned it`
    throw new ApiError(400, message, { field })
  }
  if (leadsElsewhere(stored, target)) throw newAddress(field, noun)
  return before
}

/**
 * What is stored, for a request without it.
 *
 * @throws ApiError 400 if it would be sent to another address.
 */
export function kept<Stored>(
  secret: Stored | undefined,
  noun: Secret['noun'],
  { stored, target, path }: KeyContext,
): Stored | undefined {
  if (secret !== undefined && leadsElsewhere(stored, target)) {
    throw newAddress(jsonPath([...path, ...pathOf[noun]]), noun)
  }
  return secret
}

/** The connection as it is used. Secrets that cannot be decrypted are missing. */
export function openConnection(
  { sealedKey, sealedHeaders, ...connection }: StoredConnection,
  sealer: Sealer,
): { readonly connection: Connection; readonly isReadable: boolean } {
  const { id, providerSpecificData: data } = connection
  const apiKey = sealedKey === undefined ? undefined : sealer.open(sealedKey, id)
  const opened = openHeaders(sealedHeaders, id, sealer)
  const readable = opened.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const headers = Object.fromEntries(readable)
  return {
    connection: {
      ...connection,
      ...(sealedKey !== undefined && { apiKey }),
      ...(opened.length > 0 && { providerSpecificData: { ...data, headers } }),
    },
    isReadable:
      (sealedKey === undefined || apiKey !== undefined) && readable.length === opened.length,
  }
}

/** Names and masks; undefined without a field. */
export function maskedHeaders(
  { id, sealedHeaders }: StoredConnection,
  sealer: Sealer,
): Readonly<Record<string, string>> | undefined {
  if (sealedHeaders === undefined) return undefined
  const opened = openHeaders(sealedHeaders, id, sealer)
  return Object.fromEntries(opened.map(([name, value]) => [name, maskOf(value)]))
}

function openHeaders(given: StoredConnection['sealedHeaders'], id: string, sealer: Sealer) {
  return Object.entries(given ?? {}).map(
    ([name, text]) => [name, sealer.open(text, ownerOf(id, name))] as const,
  )
}

/**
 * Whether a stored key would be sent to a new receiver. Otherwise, anyone who can change an address
 * could read keys that the API never shows.
 */
export function leadsElsewhere(stored: KeyTarget | undefined, target: KeyTarget): boolean {
  if (stored === undefined) return false
  const origin = originOf(target)
  const isMoved = origin !== undefined && origin !== originOf(stored)
  return isMoved || receiverOf(target) !== receiverOf(stored)
}

/** Custom providers are identified by their address and differ only in the API. */
function receiverOf({ provider }: KeyTarget): string {
  return compatibleFlavour(provider) ?? `catalogue ${provider}`
}

/** Undefined: no key is sent. */
function originOf({ providerSpecificData }: KeyTarget): string | undefined {
  return URL.parse(providerSpecificData?.baseUrl?.trim() ?? '')?.origin
}

function newAddress(field: string, noun: Secret['noun']): ApiError {
  return new ApiError(400, `enter the ${noun} again for the new address`, { field })
}

/**
 * A mask stands for a stored key. Every text with this prefix counts as a mask, so keys with it are
 * rejected.
 */
const maskStart = '****'
const shownCharacters = 4
/** Four characters of a shorter key would reveal too much. */
const shortestShown = 16

/** Visible ASCII, because keys are sent in a header field. */
export const apiKeyPattern = /^[\x21-\x7e]*$/
export const maxApiKeyLength = 4_096

/** @param apiKey Undefined if it cannot be decrypted. */
export function maskOf(apiKey: string | undefined): string {
  if (apiKey === undefined || apiKey.length < shortestShown) return maskStart
  return maskStart + apiKey.slice(-shownCharacters)
}

export function isMask(apiKey: string): boolean {
  return apiKey.startsWith(maskStart)
}
