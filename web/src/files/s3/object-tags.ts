import { queryOptions } from '@tanstack/react-query'
import { fileEditTexts } from '../../texts/file-edit.ts'
import type { ObjectAddress } from '../entries/object-address.ts'
import { s3Fetch, xmlOf } from './bucket-client.ts'
import { escapeXml } from './delete-xml.ts'
import { fieldsOf, S3Failure } from './s3-failure.ts'

export type ObjectTags = readonly (readonly [key: string, value: string])[]

/** User Guide, "Categorizing your objects using tags". */
export const maxTags = 10
const limits = { key: 128, value: 256 } as const
const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

export function objectTags({ bucket, key, versionId }: ObjectAddress, etag = '') {
  return queryOptions({
    queryKey: ['tags', bucket, key, versionId ?? '', etag],
    queryFn: ({ signal }) => readTags({ bucket, key, versionId }, signal),
  })
}

export async function readTags(
  { bucket, key, versionId }: ObjectAddress,
  signal?: AbortSignal,
): Promise<ObjectTags> {
  const query = { tagging: '', ...(versionId !== undefined && { versionId }) }
  const root = await xmlOf(await s3Fetch({ method: 'GET', bucket, key, query, signal }))
  const set = [...root.children].find(({ localName }) => localName === 'TagSet')
  return [...(set?.children ?? [])].map((tag) => {
    const fields = fieldsOf(tag)
    return [fields.get('Key') ?? '', fields.get('Value') ?? '']
  })
}

/** Replaces all tags of an object. @throws Error with a message to show */
export async function writeTags({ bucket, key }: ObjectAddress, tags: ObjectTags): Promise<void> {
  const elements = tags.map(
    ([name, value]) => `<Tag><Key>${escapeXml(name)}</Key><Value>${escapeXml(value)}</Value></Tag>`,
  )
  const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'
  const body = `<Tagging xmlns="${namespace}"><TagSet>${elements.join('')}</TagSet></Tagging>`
  const headers = { 'content-type': 'application/xml' }
  const request = { method: 'PUT', bucket, key, query: { tagging: '' }, headers, body } as const
  await s3Fetch(request).catch((error: unknown) => {
    if (!(error instanceof S3Failure) || error.code !== 'NotImplemented') throw error
    throw new Error(fileEditTexts.tags.notSaved)
  })
}

/** Why a tag cannot be saved, for people; undefined if it can. */
export function tagProblem(name: string, value: string): string | undefined {
  if (name === '') return fileEditTexts.form.noName
  if (/^aws:/i.test(name)) return fileEditTexts.tags.reserved
  if (name.length > limits.key) return fileEditTexts.tags.longName
  if (value.length > limits.value) return fileEditTexts.tags.longValue
  return allowed.test(name + value) ? undefined : fileEditTexts.tags.characters
}

/** Tags as a header field of a PUT has them (API reference, PutObject, x-amz-tagging). */
export function taggingField(tags: ObjectTags): string {
  return tags.map((tag) => tag.map(encodeURIComponent).join('=')).join('&')
}
