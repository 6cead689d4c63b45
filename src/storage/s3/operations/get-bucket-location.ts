import type { HttpReply } from '../../../platform/http/message.ts'
import { regionOfBucket } from '../address/region.ts'
import type { BucketContext } from '../context.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/** The region that S3 writes as an empty element. */
const namelessRegion = 'us-east-1'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html */
export async function getBucketLocation(context: BucketContext): Promise<HttpReply> {
  const region = regionOfBucket(context)
  return xmlReply('LocationConstraint', region === namelessRegion ? '' : region)
}
