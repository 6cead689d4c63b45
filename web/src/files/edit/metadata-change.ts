import { fileTimeOf, fileTimeText } from '../../../../src/platform/text/file-time.ts'
import { fileEditTexts } from '../../texts/file-edit.ts'
import type { FileEntry } from '../entries/entry.ts'
import { decodedMetadata, type ReplyHeaders } from '../s3/object-details.ts'

/** The header fields that can be edited. Others that are stored with an object stay. */
export const editedHeaders = [
  'Content-Type',
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
] as const
export type EditedHeader = (typeof editedHeaders)[number]

/** The changes; everything else stays as it is on each object. */
export interface MetadataChange {
  /** '' removes it. */
  readonly headers: ReadonlyMap<EditedHeader, string>
  /** By name in lower case; undefined removes it. */
  readonly metadata: ReadonlyMap<string, string | undefined>
}

/** User metadata, names and values together (User Guide, "Working with object metadata"). */
const maxMetadataBytes = 2_048

const keptHeaders = [...editedHeaders, 'Content-Language', 'Expires'] as const

/**
 * The header fields of a copy that gives an object its metadata after a change; undefined if it would be the same.
 *
 * @param stored the header fields of its HEAD.
 * @throws RangeError with a message to show if the object would lose something, or has too much.
 */
export function changedMetadata(
  stored: ReplyHeaders,
  change: MetadataChange,
): Readonly<Record<string, string>> | undefined {
  const { headers, metadata } = storedMetadata(stored)
  const before = textOf(headers, metadata)
  for (const [name, value] of change.headers) put(headers, name, value || undefined)
  for (const [name, value] of change.metadata) put(metadata, name, value)
  if (textOf(headers, metadata) === before) return undefined
  const problem = sizeProblem(metadata)
  if (problem !== undefined) throw new RangeError(problem)
  return {
    'x-amz-metadata-directive': 'REPLACE',
    ...writtenFields(stored, headers, metadata),
  }
}

/**
 * The header fields of a PUT with which an object keeps its metadata, except for the date of the file.
 *
 * @throws RangeError as changedMetadata
 */
export function keptMetadata(
  stored: ReplyHeaders,
  nowMs: number,
): Readonly<Record<string, string>> {
  const { headers, metadata } = storedMetadata(stored)
  const fileTime = fileTimeText(nowMs)
  if (fileTimeOf(Object.fromEntries(metadata)) !== undefined && fileTime !== undefined) {
    metadata.set('mtime', fileTime)
  }
  return writtenFields(stored, headers, metadata)
}

function storedMetadata(stored: ReplyHeaders) {
  const loss = lossOf(stored)
  if (loss !== undefined) throw new RangeError(loss)
  const headers = new Map<string, string>()
  for (const name of keptHeaders) {
    const value = stored.get(name)
    if (value !== null) headers.set(name, value)
  }
  return { headers, metadata: new Map(decodedMetadata(stored)) }
}

function writtenFields(
  stored: ReplyHeaders,
  headers: ReadonlyMap<string, string>,
  metadata: ReadonlyMap<string, string>,
): Readonly<Record<string, string>> {
  const storageClass = stored.get('x-amz-storage-class')
  return {
    ...Object.fromEntries(headers),
    // A new object does not get the storage class of the one before.
    ...(storageClass !== null && { 'x-amz-storage-class': storageClass }),
    // Without it, the object would be as public as its bucket.
    ...(stored.get('x-bucketry-acl') === 'private' && { 'x-amz-acl': 'private' }),
    ...Object.fromEntries([...metadata].map(([name, value]) => metadataField(name, value))),
  }
}

/** Why a copy would lose metadata: metadata missing from the reply would also be missing from the copy. */
function lossOf(stored: ReplyHeaders): string | undefined {
  if (stored.get('x-bucketry-attributes') !== null) {
    return fileEditTexts.form.unread
  }
  if (stored.get('x-amz-missing-meta') !== null) {
    return fileEditTexts.form.nameless
  }
  return undefined
}

function put<Name>(fields: Map<Name, string>, name: Name, value: string | undefined): void {
  if (value === undefined) fields.delete(name)
  else fields.set(name, value)
}

function textOf(...maps: readonly ReadonlyMap<string, string>[]): string {
  return JSON.stringify(maps.map((map) => [...map].sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** Why there is too much user metadata, for people; undefined if there is not. */
export function sizeProblem(metadata: ReadonlyMap<string, string>): string | undefined {
  let text = ''
  for (const [name, value] of metadata) text += name + fieldText(value)
  const bytes = new TextEncoder().encode(text).length
  if (bytes <= maxMetadataBytes) return undefined
  return fileEditTexts.form.tooLarge(bytes)
}

function metadataField(name: string, value: string): readonly [string, string] {
  return [`x-amz-meta-${name}`, latin1Of(fieldText(value))]
}

/** UTF-8 with one character for each byte, as fetch sends header fields (Fetch standard, "isomorphic encode"). */
function latin1Of(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text))
}

/** Text that a header field cannot contain is sent as an RFC 2047 encoded word, which every reader decodes. */
function fieldText(value: string): string {
  if (!/[\0-\x1f\x7f]|^ | $/.test(value)) return value
  return `=?UTF-8?B?${btoa(latin1Of(value))}?=`
}

/**
 * Whether the object is still the listed version. An object that this page has just created has no ETag in the list
 * yet.
 */
export function isListedVersion(stored: ReplyHeaders, { etag }: Pick<FileEntry, 'etag'>): boolean {
  return etag === '' || stored.get('etag') === `"${etag}"`
}
