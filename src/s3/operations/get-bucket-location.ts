import type { HttpReply } from '../../http/message.ts'
import type { BucketContext } from '../context.ts'
import { xmlDocument } from '../reply/xml.ts'

/** The region that S3 answers with an empty element. */
const namelessRegion = 'us-east-1'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html */
export async function getBucketLocation({ service }: BucketContext): Promise<HttpReply> {
  const { region } = service.settings
  return {
    status: 200,
    headers: [['Content-Type', 'application/xml']],
    body: xmlDocument('LocationConstraint', region === namelessRegion ? '' : region),
  }
}
