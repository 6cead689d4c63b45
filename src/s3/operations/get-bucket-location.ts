import type { HttpReply } from '../../http/message.ts'
import type { BucketContext } from '../context.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/** The region that S3 writes as an empty element. */
const namelessRegion = 'us-east-1'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html */
export async function getBucketLocation({ service }: BucketContext): Promise<HttpReply> {
  const { region } = service.settings
  return xmlReply('LocationConstraint', region === namelessRegion ? '' : region)
}
