import type { HttpReply } from '../../http/message.ts'
import { readSmallBody } from '../body/small-body.ts'
import { corsContent, maxCorsBytes, parseCors } from '../configuration/cors-document.ts'
import { assertMayRead, changeOptions } from '../configuration/options-access.ts'
import type { BucketContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import { xmlReply } from '../reply/xml-reply.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html */
export async function putBucketCors(context: BucketContext): Promise<HttpReply> {
  const cors = parseCors(await readSmallBody(context.request, maxCorsBytes))
  await changeOptions(context, { cors })
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketCors.html */
export async function getBucketCors(context: BucketContext): Promise<HttpReply> {
  const { cors } = context.configuration
  if (cors === undefined) throw new S3Error('NoSuchCORSConfiguration')
  assertMayRead(context)
  return xmlReply('CORSConfiguration', corsContent(cors))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketCors.html */
export async function deleteBucketCors(context: BucketContext): Promise<HttpReply> {
  await changeOptions(context, { cors: null })
  return { status: 204, headers: [] }
}
