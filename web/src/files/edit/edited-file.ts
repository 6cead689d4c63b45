import { formatBytes } from '../../format/bytes.ts'
import { fileEditTexts } from '../../texts/file-edit.ts'
import { nameOf, parentOf } from '../entries/entry.ts'
import type { ObjectAddress } from '../entries/object-address.ts'
import { headersOf, readBytes, writeObject } from '../s3/bucket-client.ts'
import { type ReplyHeaders, readDetails } from '../s3/object-details.ts'
import { type ObjectTags, readTags, taggingField } from '../s3/object-tags.ts'
import { S3Failure } from '../s3/s3-failure.ts'
import { driveChanges } from '../transfers/transfers.ts'
import { keptMetadata } from './metadata-change.ts'
import { bytesOf, type EditedText, maxEditBytes, readText } from './text-form.ts'

/** A text as it was read, with what stays when it is saved. */
export interface EditedFile extends EditedText {
  readonly etag: string
  readonly stored: ReplyHeaders
  readonly tags: ObjectTags
}

/** Somebody else has changed or deleted the file since it was read. */
export class Clash extends Error {
  override readonly name = 'Clash'
  readonly isDeleted: boolean

  constructor(isDeleted: boolean) {
    super(fileEditTexts.editor.changed)
    this.isDeleted = isDeleted
  }
}

/** @throws Error with a message to show */
export async function readEdited(
  address: ObjectAddress,
  signal?: AbortSignal,
): Promise<EditedFile> {
  const stored = await headersOf(address, signal)
  const { size, etag } = readDetails(stored)
  if (size > maxEditBytes) {
    throw new RangeError(fileEditTexts.editor.tooLarge(formatBytes(size)))
  }
  const encoding = stored.get('content-encoding') ?? ''
  if (!['', 'identity', 'aws-chunked'].includes(encoding)) {
    throw new RangeError(fileEditTexts.editor.compressed(encoding))
  }
  const range = { first: 0, last: Math.max(0, size - 1) }
  const [bytes, tags] = await Promise.all([
    readBytes({ ...address, etag }, range, signal),
    readTags(address, signal),
  ])
  const text = readText(bytes)
  if (text === undefined) throw new RangeError(fileEditTexts.editor.noText)
  return { ...text, etag, stored, tags }
}

/**
 * Saves a text with the metadata and tags of the file.
 *
 * @throws Clash if the file is another one than was read; Error with a message to show
 */
export async function saveEdited(
  address: ObjectAddress,
  file: EditedFile,
  text: string,
): Promise<EditedFile> {
  try {
    const etag = await write(address, file, text, file.etag)
    return { ...file, text, etag, isMixed: false }
  } catch (error) {
    if (!(error instanceof S3Failure) || ![404, 412].includes(error.status)) throw error
    throw new Clash(error.status === 404)
  }
}

/** Saves a text over what somebody else has written meanwhile, or again if it was deleted. @throws as saveEdited */
export async function saveOver(
  address: ObjectAddress,
  file: EditedFile,
  text: string,
): Promise<EditedFile> {
  const now = await headersOf(address).catch((error: unknown) => {
    if (error instanceof S3Failure && error.status === 404) return undefined
    throw error
  })
  const etag = now && readDetails(now).etag
  if (etag !== undefined) return saveEdited(address, { ...file, etag }, text)
  return { ...file, text, etag: await write(address, file, text, undefined), isMixed: false }
}

const mostCopies = 100

/** Saves a text beside the file, under a name that is free. Returns the name. */
export async function saveCopy(
  { bucket, key }: ObjectAddress,
  file: EditedFile,
  text: string,
): Promise<string> {
  const [, stem = '', extension = ''] = /^(.+?)(\.[^.]*)?$/s.exec(nameOf(key)) ?? []
  for (let number = 1; number <= mostCopies; number += 1) {
    const count = number === 1 ? '' : ` ${number}`
    const name = fileEditTexts.editor.copyName(stem, count, extension)
    try {
      await write({ bucket, key: parentOf(key) + name }, file, text, undefined)
      return name
    } catch (error) {
      if (!(error instanceof S3Failure) || error.status !== 412) throw error
    }
  }
  throw new Error(fileEditTexts.editor.namesTaken)
}

async function write(
  address: ObjectAddress,
  file: EditedFile,
  text: string,
  condition: string | undefined,
): Promise<string> {
  const body = bytesOf(text, file)
  const fields = keptMetadata(file.stored, Date.now())
  const tagging = file.tags.length === 0 ? {} : { 'x-amz-tagging': taggingField(file.tags) }
  const etag = await writeObject(address, body, { ...fields, ...tagging }, condition)
  const { bucket, key } = address
  const added = { key, size: body.length, modifiedAtMs: Date.now(), etag }
  driveChanges.publish({ type: 'added', bucket, file: added })
  return etag
}
