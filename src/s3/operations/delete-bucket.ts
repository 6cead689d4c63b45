import type { HttpReply } from '../../http/message.ts'
import type { BucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { s3ErrorOfBucket } from './bucket-errors.ts'

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucket.html. Open uploads do not keep a bucket, as on
 * AWS in a general purpose bucket: they are aborted with it.
 */
export async function deleteBucket({ service, bucket }: BucketContext): Promise<HttpReply> {
  if (service.bucketMaker === undefined) throw new S3Error('MethodNotAllowed')
  try {
    await service.bucketMaker.remove(bucket)
  } catch (error) {
    throw s3ErrorOfBucket(error)
  }
  return { status: 204, headers: [] }
}
