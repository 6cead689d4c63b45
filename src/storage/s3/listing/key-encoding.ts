import { encodeKey } from '../../../platform/text/percent-encoding.ts'
import type { Query } from '../address/query.ts'
import { invalidArgument } from '../errors.ts'

/** Writes a key, prefix, delimiter or marker into a listing. */
export type EncodeKey = (key: string) => string

const asIs: EncodeKey = (key) => key

/**
 * How the encoding-type of a listing writes keys: as they are, or percent-encoded for clients whose
 * XML parser rejects control characters.
 *
 * @throws S3Error InvalidArgument for an encoding-type other than url.
 */
export function keyEncoding(query: Query): EncodeKey {
  const encodingType = query.get('encoding-type')
  if (encodingType === undefined || encodingType === '') return asIs
  // A space becomes `%20` and a plus `%2B`, which clients read alike whether or not they read a plus as a space. AWS
  // shows `test_file(3).png` as `test_file%283%29.png`.
  if (encodingType === 'url') return encodeKey
  throw invalidArgument(
    'encoding-type',
    encodingType,
    'Invalid Encoding Method specified in Request',
  )
}
