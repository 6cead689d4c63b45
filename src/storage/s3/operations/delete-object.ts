import type { HttpReply } from '../../../platform/http/message.ts'
import type { ObjectContext } from '../context.ts'
import { headerNotImplemented, noSuchKey } from '../errors.ts'
import { writeConditions } from '../headers/preconditions.ts'

/** Conditions of S3's directory buckets. Ignoring them would delete objects that must be kept. */
const unknownConditions = ['x-amz-if-match-last-modified-time', 'x-amz-if-match-size'] as const

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObject.html. An object that
 * does not exist is 404 NoSuchKey, unlike on AWS, unless COMPATIBILITY is aws
 * (docs/contract/object-storage.md, "Deleting an absent object").
 */
export async function deleteObject(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, key } = context
  for (const name of unknownConditions) {
    if (request.headers[name] === undefined) continue
    throw headerNotImplemented(name)
  }
  const wasThere = await service.drive.remove(bucket, key, writeConditions(request.headers))
  if (!wasThere && !service.compatibility.absentDeletes) throw noSuchKey(key)
  return { status: 204, headers: [] }
}
