import type { HttpReply } from '../../../platform/http/message.ts'
import { readSmallBody } from '../body/xml-body.ts'
import { assertMayRead, changeOptions } from '../configuration/public-access.ts'
import { maxWebsiteBytes, parseWebsite, websiteContent } from '../configuration/website-document.ts'
import type { BucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { xmlReply } from '../reply/xml.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html. It does not make the bucket public. */
export async function putBucketWebsite(context: BucketContext): Promise<HttpReply> {
  const website = parseWebsite(await readSmallBody(context.request, maxWebsiteBytes))
  await changeOptions(context, { website })
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketWebsite.html */
export async function getBucketWebsite(context: BucketContext): Promise<HttpReply> {
  const { website } = context.configuration
  if (website === undefined) throw new S3Error('NoSuchWebsiteConfiguration')
  assertMayRead(context)
  return xmlReply('WebsiteConfiguration', websiteContent(website))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketWebsite.html */
export async function deleteBucketWebsite(context: BucketContext): Promise<HttpReply> {
  await changeOptions(context, { website: null })
  return { status: 204, headers: [] }
}
