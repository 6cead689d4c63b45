import { randomUUID } from 'node:crypto'
import type { HeaderFields, HttpReply } from '../../../platform/http/message.ts'
import { readSmallBody } from '../body/small-body.ts'
import { maxXmlBodyBytes } from '../body/xml-body.ts'
import { changeOptions } from '../configuration/change-options.ts'
import { corsContent, maxCorsBytes, parseCors } from '../configuration/cors-document.ts'
import { lifecycleContent, parseLifecycle } from '../configuration/lifecycle-document.ts'
import { assertMayRead } from '../configuration/public-access.ts'
import { keepsTags } from '../configuration/tagging-document.ts'
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

/** It concerns transitions, which there are none of. Terraform waits for the value that it has sent. */
const minimumSizeHeader = 'x-amz-transition-default-minimum-object-size'
const minimumSizeDefault = 'all_storage_classes_128K'
const minimumSize: HeaderFields = [[minimumSizeHeader, minimumSizeDefault]]

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html */
export async function putBucketLifecycle(context: BucketContext): Promise<HttpReply> {
  const { request, service } = context
  const minimum = request.headers[minimumSizeHeader]
  if (minimum !== undefined && minimum !== minimumSizeDefault) {
    throw new S3Error(
      'NotImplemented',
      `The header ${minimumSizeHeader} is not implemented, except with the value ${minimumSizeDefault}.`,
    )
  }
  const lifecycle = parseLifecycle(
    await readSmallBody(request, maxXmlBodyBytes),
    randomUUID,
    keepsTags(service.compatibility),
  )
  await changeOptions(context, { lifecycle })
  return { status: 200, headers: [...minimumSize, ['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLifecycleConfiguration.html */
export async function getBucketLifecycle(context: BucketContext): Promise<HttpReply> {
  const { lifecycle } = context.configuration
  if (lifecycle === undefined) throw new S3Error('NoSuchLifecycleConfiguration')
  assertMayRead(context)
  return xmlReply('LifecycleConfiguration', lifecycleContent(lifecycle), minimumSize)
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketLifecycle.html */
export async function deleteBucketLifecycle(context: BucketContext): Promise<HttpReply> {
  await changeOptions(context, { lifecycle: null })
  return { status: 204, headers: [] }
}
