import type { Attributes } from '../../attributes.ts'
import type { ObjectName } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { asciiJson, parseAttributes } from '../../kit/stored-attributes.ts'
import { typeOfName } from '../../kit/type-of-name.ts'
import { type GoogleFile, googleTypePrefix } from '../api/google-file.ts'
import { deepProperty, googlePathOf, nameOfDeepSegment, nameOfSegment } from '../google-names.ts'

const octets = 'application/octet-stream'

/** The type that Drive shows. Given one of Google's own types, Drive would convert the file. */
export function mimeTypeOf({ key }: ObjectName, attributes?: Attributes): string {
  const given = attributes?.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  const isUsable = given !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(given)
  if (isUsable && given !== octets && !given.startsWith(googleTypePrefix)) return given
  return typeOfName(key)
}

/** The file's name, and the properties that the name needs. */
export function nameOf({ key }: ObjectName) {
  const { segment, isDeep } = googlePathOf(key)
  if (!isDeep) return { name: nameOfSegment(segment), appProperties: {} }
  return { name: nameOfDeepSegment(segment), appProperties: { [deepProperty]: '1' } }
}

/** The change that moves a file from any folder to this one. */
export function parentsChange(file: GoogleFile, parent: string) {
  const removeParents = file.parents.filter((id) => id !== parent)
  return file.parents.includes(parent) ? {} : { addParents: [parent], removeParents }
}

/** Whether Google has these bytes, by their size and, if reported, their MD5. */
export function isStored(file: GoogleFile, size: number, md5: string): boolean {
  return file.size === size && (file.md5Checksum ?? md5) === md5
}

/** @throws DriveError `unavailable` if Google has other bytes than were sent. */
export function assertStored(file: GoogleFile, size: number, md5: string): GoogleFile {
  if (isStored(file, size, md5)) return file
  throw damaged(file, size, md5)
}

/** Whether the file has the properties that were sent with the bytes. */
export function hasAttributes(file: GoogleFile, attributes: Attributes): boolean {
  const unpacked = unpackAttributes(file.appProperties, file.md5Checksum)
  if (unpacked === undefined || !unpacked.isWhole) return unpacked !== undefined
  return JSON.stringify(unpacked.attributes) === JSON.stringify(attributes)
}

/** The error if Google has other bytes than were sent. */
export function damaged(file: GoogleFile, size: number, md5: string): DriveError {
  const has = `${file.size ?? 0} bytes with MD5 ${file.md5Checksum ?? 'unknown'}`
  return new DriveError(
    'unavailable',
    `Google Drive stored different bytes from those sent: ${has}, not ${size} with ${md5}. Try again.`,
  )
}

/**
 * Attributes of an object as properties of its file. Drive allows 30 properties for each OAuth
 * client, each with at most 124 bytes of name and value together, so the JSON is cut into pieces. A
 * set of pieces belongs to bytes with a certain MD5: if a file is edited, its properties no longer
 * apply. The set for new bytes can be stored before the bytes, so that both take effect at once.
 * What does not fit is omitted and marked: the database has all attributes, by file id and MD5.
 */

/** One of the 30 is left for other properties of Bucketry's files. */
const maxProperties = 29
/** In ASCII characters; the name has up to 3 more. */
const pieceLength = 121
/** Enough for an ETag and a content type. */
const minPieces = 3

/** Names of a set's properties. The pieces are numbered. */
interface SetNames {
  readonly piece: string
  readonly digest: string
  readonly isPartial: string
}
const sets: readonly [SetNames, SetNames] = [
  { piece: 's', digest: 'md5', isPartial: 'part' },
  { piece: 't', digest: 'md5t', isPartial: 'partt' },
]

type Properties = Readonly<Record<string, string>>

interface PackedAttributes {
  /** A change of the file's properties; null removes one. */
  readonly properties: Readonly<Record<string, string | null>>
  /** False if something did not fit: the attributes must also be stored in the database. */
  readonly isWhole: boolean
}

interface AttributesBeside extends PackedAttributes {
  /** Whether the kept set was cut: its attributes must also be stored in the database. */
  readonly isKeptCut: boolean
}

export interface UnpackedAttributes {
  readonly attributes: Attributes
  readonly isWhole: boolean
}

/**
 * The change after which the file has only these attributes.
 *
 * @param md5 of the bytes that the attributes belong to.
 * @param before the file's current properties.
 */
export function packAttributes(
  attributes: Attributes,
  md5: string,
  before: Properties = {},
): PackedAttributes {
  const [set] = sets
  const { pieces, isWhole } = firstThatFits(attributes, maxProperties - 2)
  const removed = Object.keys(before).filter(isOfAny)
  return { properties: { ...nulls(removed), ...propertiesOf(set, md5, pieces, isWhole) }, isWhole }
}

/**
 * The change after which the file has these attributes beside those of the bytes with the MD5 `kept`,
 * if it has any.
 *
 * @param md5 differs from `kept`.
 */
export function packBeside(
  attributes: Attributes,
  md5: string,
  { before, kept }: { readonly before: Properties; readonly kept: string },
): AttributesBeside {
  const keptSet = setOf(before, kept)
  const [first, second] = sets
  const set = keptSet === first ? second : first
  const names = Object.keys(before)
  const keptCount = names.filter((name) => keptSet !== undefined && isOf(keptSet, name)).length
  const isKeptCut = keptCount > maxProperties - 2 - minPieces
  const cut = isKeptCut && keptSet !== undefined ? cutSet(keptSet, before, kept) : {}
  const room = maxProperties - 2 - (isKeptCut ? Object.keys(cut).length : keptCount)
  const { pieces, isWhole } = firstThatFits(attributes, room)
  const removed = names.filter((name) => isOf(set, name) || (isKeptCut && isOfAny(name)))
  const properties = { ...nulls(removed), ...cut, ...propertiesOf(set, md5, pieces, isWhole) }
  return { properties, isWhole, isKeptCut }
}

/** The file's set, reduced to `minPieces`. */
function cutSet(set: SetNames, before: Properties, md5: string): Record<string, string> {
  const unpacked = unpackAttributes(before, md5)
  if (unpacked === undefined) return {}
  return propertiesOf(set, md5, firstThatFits(unpacked.attributes, minPieces).pieces, false)
}

/** Undefined if there are none for bytes with this MD5. */
export function unpackAttributes(
  properties: Properties,
  md5: string | undefined,
): UnpackedAttributes | undefined {
  const set = md5 === undefined ? undefined : setOf(properties, md5)
  if (set === undefined) return undefined
  let json = ''
  for (let index = 0; ; index++) {
    const piece = properties[`${set.piece}${index}`]
    if (piece === undefined) break
    json += piece
  }
  const attributes = parseAttributes(json)
  return attributes && { attributes, isWhole: properties[set.isPartial] === undefined }
}

function setOf(properties: Properties, md5: string): SetNames | undefined {
  return sets.find((set) => properties[set.digest] === md5)
}

function isOf({ piece, digest, isPartial }: SetNames, name: string): boolean {
  return name === digest || name === isPartial || (name[0] === piece && /^.\d+$/.test(name))
}

function isOfAny(name: string): boolean {
  return sets.some((set) => isOf(set, name))
}

function nulls(names: readonly string[]): Record<string, null> {
  return Object.fromEntries(names.map((name) => [name, null]))
}

function propertiesOf(
  { piece, digest, isPartial }: SetNames,
  md5: string,
  pieces: readonly string[],
  isWhole: boolean,
): Record<string, string> {
  const numbered = pieces.map((text, index) => [`${piece}${index}`, text])
  return {
    [digest]: md5,
    ...(isWhole ? {} : { [isPartial]: '1' }),
    ...Object.fromEntries(numbered),
  }
}

/**
 * Omits the checksums of the parts first, then the sizes of the parts, the tags, the metadata, then the
 * headers other than the content type, which clients need.
 *
 * @param maxPieces at least one.
 */
function firstThatFits(
  attributes: Attributes,
  maxPieces: number,
): { pieces: string[]; isWhole: boolean } {
  const { partChecksums: _, ...withoutChecksums } = attributes
  const { partSizes: __, ...withoutParts } = withoutChecksums
  const { tags: ___, ...withoutTags } = withoutParts
  const { etag, headers, isPrivate } = attributes
  // Without the ACL, an object of a public bucket would be public.
  const none = { etag, headers: {}, metadata: {}, ...(isPrivate && { isPrivate }) }
  const type = headers['content-type']?.slice(0, 100)
  const typed = type === undefined ? none : { ...none, headers: { 'content-type': type } }
  const bare = { ...withoutTags, metadata: {} }
  const attempts = [attributes, withoutChecksums, withoutParts, withoutTags, bare, typed]
  for (const attempt of attempts) {
    const pieces = piecesOf(attempt)
    if (pieces.length <= maxPieces) return { pieces, isWhole: attempt === attributes }
  }
  return { pieces: piecesOf(none), isWhole: false }
}

function piecesOf(attributes: Attributes): string[] {
  const json = asciiJson(attributes)
  const pieces: string[] = []
  for (let at = 0; at < json.length; at += pieceLength)
    pieces.push(json.slice(at, at + pieceLength))
  return pieces
}
