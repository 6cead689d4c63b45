import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Sealer } from '../../platform/state/sealer.ts'
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
  /** The JSON path of the key in the body. */
  readonly field: string
}

/**
 * Converts the key of a request body to the text to store. A mask keeps the stored text unchanged,
 * even if it can no longer be decrypted; so does the same key.
 *
 * @throws ApiError for a mask of another key.
 */
export function sealGivenKey(
  given: string | null | undefined,
  { sealer, id, stored, target, field }: KeyContext,
): string | undefined {
  if (given === null || given === undefined || given === '') return undefined
  const before = stored?.sealedKey
  const apiKey = before === undefined ? undefined : sealer.open(before, id)
  if (!isMask(given)) return given === apiKey ? before : sealer.seal(given, id)
  if (before === undefined) {
    throw new ApiError(400, 'expected a key: this mask matches no stored key', {
      field,
    })
  }
  if (apiKey !== undefined && maskOf(apiKey) !== given) {
    throw new ApiError(400, 'expected a key, or the mask exactly as this API returned it', {
      field,
    })
  }
  if (leadsElsewhere(stored, target)) throw newAddress(field)
  return before
}

/**
 * The stored key for a request without a key.
 *
 * @throws ApiError 400 if it would be sent to another address.
 */
export function keptKey(
  stored: StoredConnection,
  target: KeyTarget,
  field: string,
): string | undefined {
  if (stored.sealedKey !== undefined && leadsElsewhere(stored, target)) throw newAddress(field)
  return stored.sealedKey
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

function newAddress(field: string): ApiError {
  return new ApiError(400, 'enter the key again for the new address', { field })
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
