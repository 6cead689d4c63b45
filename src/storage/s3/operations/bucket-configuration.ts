import { randomUUID } from 'node:crypto'
import type { HeaderFields, HttpReply } from '../../../platform/http/message.ts'
import {
  childText,
  malformed,
  maxXmlBodyBytes,
  onlyChild,
  parseXmlBody,
  readSmallBody,
  type XmlElement,
} from '../body/xml-body.ts'
import { corsContent, maxCorsBytes, parseCors } from '../configuration/cors-document.ts'
import { lifecycleContent, parseLifecycle } from '../configuration/lifecycle-document.ts'
import { notificationContent, parseNotification } from '../configuration/notification-document.ts'
import { assertMayRead, changeOptions } from '../configuration/public-access.ts'
import { keepsTags } from '../configuration/tagging-document.ts'
import type { BucketContext } from '../context.ts'
import { notImplemented, S3Error } from '../errors.ts'
import { xmlReply } from '../reply/xml.ts'

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

/** The header concerns transitions, which do not exist here. Terraform waits for the value that it has sent. */
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

const maxBytes = 256 * 1024

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketNotificationConfiguration.html. A document without rules
 * removes all.
 */
export async function putBucketNotification(context: BucketContext): Promise<HttpReply> {
  const body = await readSmallBody(context.request, maxBytes)
  const { notifyWebhook, notifyRedis } = context.service.settings
  const known = { webhook: notifyWebhook !== undefined, redis: notifyRedis !== undefined }
  const rules = parseNotification(body, { known, newId: randomUUID })
  await changeOptions(context, { notification: rules.length === 0 ? null : rules })
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketNotificationConfiguration.html */
export async function getBucketNotification(context: BucketContext): Promise<HttpReply> {
  const { notification } = context.configuration
  if (notification !== undefined) assertMayRead(context)
  return xmlReply('NotificationConfiguration', notificationContent(notification ?? []))
}

const maxBodyBytes = 64 * 1024

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketEncryption.html. AES256 changes nothing: with
 * SERVER_SIDE_ENCRYPTION=claim, it is the encryption of each bucket.
 *
 * @throws S3Error MalformedXML; NotImplemented for another encryption
 */
export async function putBucketEncryption({ request }: BucketContext): Promise<HttpReply> {
  const body = await readSmallBody(request, maxBodyBytes)
  const root = parseXmlBody(body, 'ServerSideEncryptionConfiguration')
  const rule = child(root, 'Rule')
  const algorithm = childText(child(rule, 'ApplyServerSideEncryptionByDefault'), 'SSEAlgorithm')
  if (algorithm === undefined) throw malformed('SSEAlgorithm is missing')
  if (algorithm.trim() !== 'AES256') {
    throw notImplemented('encryption other than AES256')
  }
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteBucketEncryption.html. AES256 is also AWS's default. */
export async function deleteBucketEncryption(): Promise<HttpReply> {
  return { status: 204, headers: [] }
}

function child(parent: XmlElement, name: string): XmlElement {
  const found = onlyChild(parent, name)
  if (found === undefined) throw malformed(`${parent.name} has no ${name}`)
  return found
}
