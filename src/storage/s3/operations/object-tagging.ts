import type { HttpReply } from '../../../platform/http/message.ts'
import type { Tags } from '../../drives/attributes.ts'
import type { ObjectMetadata } from '../../drives/drive.ts'
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
import { requireObject, versionFields } from '../versions.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectTagging.html */
export async function putObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const body = await readSmallBody(context.request, maxTaggingBytes)
  const changed = await setTags(context, parseTagging(body, objectTagLimits))
  return { status: 200, headers: [...versionFields(changed), ['Content-Length', '0']] }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectTagging.html */
export async function getObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const metadata = await requireObject(context)
  const content = taggingContent(metadata.attributes.tags ?? {})
  return xmlReply('Tagging', content, versionFields(metadata))
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjectTagging.html */
export async function deleteObjectTagging(context: ObjectContext): Promise<HttpReply> {
  const changed = await setTags(context, {})
  return { status: 204, headers: versionFields(changed) }
}

async function setTags(context: ObjectContext, tags: Tags): Promise<ObjectMetadata> {
  const { service, bucket, key, versionId } = context
  const { drive } = service
  if (drive.setAttributes === undefined) throw unsupportedChange()
  const changed = await drive.setAttributes(bucket, key, { tags }, { versionId })
  if (changed !== undefined) return changed
  await requireObject(context)
  // It was written meanwhile, without these tags.
  throw noSuchKey(key)
}
