/**
 * Attributes of an object as properties of its file. Drive keeps 30 of them for each OAuth client,
 * with at most 124 bytes of name and value together, so the JSON is cut into pieces. They belong to
 * bytes with a certain MD5: a file that somebody edited keeps its properties, which then say nothing.
 * What does not fit is left out and flagged: the database has all of it, by file id.
 */
import type { Attributes } from '../attributes.ts'

/** Names are `s0`, `s1` …, and what else there is on a file of ours. */
const maxPieces = 27
/** ASCII characters, which are bytes, with a name of up to 3. */
const pieceLength = 121
const digestProperty = 'md5'
const isPartial = 'part'

type Properties = Readonly<Record<string, string>>

export interface PackedAttributes {
  /** All names that attributes may have taken before are in here; null removes. */
  readonly properties: Readonly<Record<string, string | null>>
  /** False when something did not fit: `attributes` must be kept elsewhere. */
  readonly isWhole: boolean
}

export interface UnpackedAttributes {
  readonly attributes: Attributes
  readonly isWhole: boolean
}

/** @param before names of properties that the file has now. */
export function packAttributes(
  attributes: Attributes,
  md5: string,
  before: Iterable<string> = [],
): PackedAttributes {
  const properties: Record<string, string | null> = {}
  for (const name of before) if (isOurs(name)) properties[name] = null
  const pieces = firstThatFits(attributes)
  properties[digestProperty] = md5
  if (!pieces.isWhole) properties[isPartial] = '1'
  for (const [index, piece] of pieces.pieces.entries()) properties[`s${index}`] = piece
  return { properties, isWhole: pieces.isWhole }
}

/** Undefined when there are none for bytes with this MD5. */
export function unpackAttributes(
  properties: Properties,
  md5: string | undefined,
): UnpackedAttributes | undefined {
  if (md5 === undefined || properties[digestProperty] !== md5) return undefined
  let json = ''
  for (let index = 0; ; index++) {
    const piece = properties[`s${index}`]
    if (piece === undefined) break
    json += piece
  }
  const attributes = parsed(json)
  return attributes && { attributes, isWhole: properties[isPartial] === undefined }
}

function isOurs(name: string): boolean {
  return name === digestProperty || name === isPartial || /^s\d+$/.test(name)
}

/** Long lists of part sizes go first, then metadata: clients can't do without the rest. */
function firstThatFits(attributes: Attributes): { pieces: string[]; isWhole: boolean } {
  const { partSizes: _, ...withoutParts } = attributes
  const attempts = [attributes, withoutParts, { ...withoutParts, metadata: {} }]
  for (const attempt of attempts) {
    const pieces = piecesOf(attempt)
    if (pieces.length <= maxPieces) return { pieces, isWhole: attempt === attributes }
  }
  const { etag, headers } = attributes
  const type = headers['content-type']?.slice(0, 200)
  const least = { etag, headers: type === undefined ? {} : { 'content-type': type }, metadata: {} }
  return { pieces: piecesOf(least), isWhole: false }
}

function piecesOf(attributes: Attributes): string[] {
  const json = JSON.stringify(attributes).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const pieces: string[] = []
  for (let at = 0; at < json.length; at += pieceLength)
    pieces.push(json.slice(at, at + pieceLength))
  return pieces
}

function parsed(json: string): Attributes | undefined {
  try {
    const value = JSON.parse(json) as Partial<Attributes>
    const isUsable = typeof value.etag === 'string' && value.headers && value.metadata
    return isUsable ? (value as Attributes) : undefined
  } catch {
    // Somebody else's properties, or pieces that are missing: they say nothing.
    return undefined
  }
}
