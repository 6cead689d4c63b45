import type { HttpReply } from '../../../platform/http/message.ts'
import { regionOfBucket } from '../address/region.ts'
import type { BucketContext } from '../context.ts'

/**
 * See https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html. The reply 200 means that
 * the bucket is configured and accessible, so this reads the drive
 * (docs/contract/object-storage.md, "Bucket operations").
 */
export async function headBucket(context: BucketContext): Promise<HttpReply> {
  const { service, bucket } = context
  await service.drive.bucketCreatedAtMs(bucket)
  return {
    status: 200,
    headers: [
      ['x-amz-bucket-region', regionOfBucket(context)],
      ['x-amz-access-point-alias', 'false'],
      ['Content-Type', 'application/xml'],
    ],
  }
}
