import type { ObjectContext } from '../context.ts'
import { invalidArgument } from '../errors.ts'
import type { UploadName } from './upload-records.ts'

/** API reference, UploadPart: "a positive integer between 1 and 10,000". */
export const maxPartNumber = 10_000

/** The upload that a request names. With a write-once key, it must be its own. */
export function uploadNameOf(context: ObjectContext): UploadName {
  const { query, bucket, key, identity, createsOnly } = context
  const name = { bucket, key, uploadId: query.get('uploadId') ?? '' }
  if (!createsOnly || identity.kind !== 'key') return name
  return { ...name, startedBy: identity.accessKeyId }
}

/** @throws S3Error InvalidArgument when partNumber is not an integer from 1 to 10,000. */
export function partNumberOf({ query }: ObjectContext): number {
  return readPartNumber('partNumber', query.get('partNumber') ?? '')
}

/** @throws S3Error InvalidArgument, naming the parameter or element, for any other text. */
export function readPartNumber(name: string, text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= maxPartNumber) return number
  const message = `Part number must be an integer between 1 and ${maxPartNumber}, inclusive`
  throw invalidArgument(name, text, message)
}
