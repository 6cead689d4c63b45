import { ApiError } from '../../json-api/api-error.ts'
import { compatibleFlavour } from '../upstream/flavour.ts'
import { isMask, maskOf } from './api-key.ts'
import type { KeySealer } from './seal.ts'
import type { StoredConnection } from './stored-routing.ts'

/** What says where a key is sent. */
export interface KeyTarget {
  readonly provider: string
  readonly providerSpecificData?:
    | { readonly baseUrl?: string | null | undefined }
    | null
    | undefined
}

export interface KeyPlace {
  readonly sealer: KeySealer
  /** Of the connection that the key is for. */
  readonly id: string
  /** That connection as it is stored, if it is. */
  readonly stored: StoredConnection | undefined
  /** Where the key will be sent from now on. */
  readonly target: KeyTarget
  /** Where in the body the key is. */
  readonly field: string
}

/**
 * What a body says of a key → what is to be stored. A mask keeps the stored text as it is, even one
 * that can't be opened any more; so does the same key again.
 *
 * @throws ApiError when it is a mask of something else.
 */
export function sealGivenKey(
  given: string | null | undefined,
  { sealer, id, stored, target, field }: KeyPlace,
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
 * The stored key of a connection of which no key was given.
 *
 * @throws ApiError 400 when it would be sent to another address.
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
 * Whether a stored key would be sent to whom it was not given for: who may change an address would
 * else read every key that nobody is shown.
 */
export function leadsElsewhere(stored: KeyTarget | undefined, target: KeyTarget): boolean {
  if (stored === undefined) return false
  const origin = originOf(target)
  const isMoved = origin !== undefined && origin !== originOf(stored)
  return isMoved || receiverOf(target) !== receiverOf(stored)
}

/** Providers of a person's own are at their address, and differ only in what they speak. */
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
