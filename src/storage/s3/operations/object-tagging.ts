import type { HttpReply } from '../../../platform/http/message.ts'
import type { Tags } from '../../drives/attributes.ts'
import { unsupportedChange } from '../../drives/drive-error.ts'
import { readSmallBody } from '../body/xml-body.ts'
import {
  maxTaggingBytes,
  objectTagLimits,
  parseTagging,
  taggingContent,
} from '../configuration/tagging-document.ts'
import type { ObjectContext } from '../context.ts'
import { noSuchKey } from '../errors.ts'
import { xmlReply } from '../reply/xml.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export async function putObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const body = await readSmallBody(context.request, maxTaggingBytes)
  await setTags(context, parseTagging(body, objectTagLimits))
  return { status: 200, headers: [['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export async function getObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const { service, bucket, key } = context
  const metadata = await service.drive.head(bucket, key)
  if (metadata === undefined) throw noSuchKey(key)
  return xmlReply('Tagging', taggingContent(metadata.attributes.tags ?? {}))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export async function deleteObjectTagging(context: ObjectContext): Promise<HttpReply> {
  await setTags(context, {})
  return { status: 204, headers: [] }
}

async function setTags({ service, bucket, key }: ObjectContext, tags: Tags): Promise<void> {
  const { drive } = service
  if (drive.setAttributes === undefined) throw unsupportedChange()
  if ((await drive.setAttributes(bucket, key, { tags })) === undefined) throw noSuchKey(key)
}
