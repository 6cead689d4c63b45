import type { IncomingHttpHeaders } from 'node:http'
import type { Attributes } from '../../drives/attributes.ts'
import { S3Error } from '../errors.ts'

/** The class of an object without a stored one. */
export const standardClass = 'STANDARD'

/** Those of a general purpose bucket (User Guide, "Understanding and managing Amazon S3 storage classes"). */
const classes: ReadonlySet<string> = new Set([
  standardClass,
  'REDUCED_REDUNDANCY',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'GLACIER_IR',
  'GLACIER',
  'DEEP_ARCHIVE',
])

/**
 * The storage class that a write asks for. It is only a name: the bytes are where the others are.
 *
 * @throws S3Error InvalidStorageClass
 */
export function storageClassFromHeaders(
  headers: IncomingHttpHeaders,
): Pick<Attributes, 'storageClass'> {
  const name = headers['x-amz-storage-class']
  if (name === undefined || name === standardClass) return {}
  if (typeof name !== 'string' || !classes.has(name)) throw new S3Error('InvalidStorageClass')
  return { storageClass: name }
}

/** As documents show it. */
export function storageClassOf({
  storageClass = standardClass,
}: {
  storageClass?: string
}): string {
  return storageClass
}
