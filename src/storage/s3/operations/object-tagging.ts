import type { HttpReply } from '../../../platform/http/message.ts'
import { readSmallBody } from '../body/xml-body.ts'
import {
  maxTaggingBytes,
  objectTagLimits,
  parseTagging,
  taggingContent,
} from '../configuration/tagging-document.ts'
import type { ObjectContext } from '../context.ts'
import { xmlReply } from '../reply/xml.ts'
import { changeObject, requireReadable, versionFields } from '../versions.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export async function putObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const body = await readSmallBody(context.request, maxTaggingBytes)
  const changed = await changeObject(context, { tags: parseTagging(body, objectTagLimits) })
  return { status: 200, headers: [...versionFields(changed), ['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export async function getObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const metadata = await requireReadable(context, 's3:GetObjectTagging')
  const content = taggingContent(metadata.attributes.tags ?? {})
  return xmlReply('Tagging', content, versionFields(metadata))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export async function deleteObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const changed = await changeObject(context, { tags: {} })
  return { status: 204, headers: versionFields(changed) }
}
