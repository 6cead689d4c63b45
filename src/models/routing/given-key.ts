import { ApiError } from '../../json-api/api-error.ts'
import { isMask, maskOf } from './api-key.ts'
import type { KeySealer } from './seal.ts'
import type { StoredConnection } from './stored-routing.ts'

export interface KeyPlace {
  readonly sealer: KeySealer
  /** Of the connection that the key is for. */
  readonly id: string
  /** That connection as it is stored, if it is. */
  readonly stored: StoredConnection | undefined
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
  { sealer, id, stored, field }: KeyPlace,
): string | undefined {
  if (given === null || given === undefined || given === '') return undefined
  const before = stored?.sealedKey
  const apiKey = before === undefined ? undefined : sealer.open(before, id)
  if (!isMask(given)) return given === apiKey ? before : sealer.seal(given, id)
  if (before === undefined) {
    throw new ApiError(400, 'expected a key: this mask stands for none that is stored here', {
      field,
    })
  }
  if (apiKey !== undefined && maskOf(apiKey) !== given) {
    throw new ApiError(400, 'expected a key, or the mask exactly as it was given here', { field })
  }
  return before
}
