import { foreignState } from '../../kit/uploads/upload-rules.ts'
import type { PlacedPart, PlacedParts } from '../../upload-abilities.ts'

/** Where the bytes of a part are: in the common file, or in a file of its own. */
export type Place = { readonly offset: number } | { readonly file: string }

/** Bytes that the object needs. */
export interface Piece {
  readonly from: Place
  /** Where they belong in the object. */
  readonly position: number
  readonly size: number
}

/** How the parts of an upload are combined to one file. */
export interface Assembly {
  /**
   * Whether the pieces are copied into the common file. Otherwise they are copied to a new file. If that begins as a clone
   * of the common file, the pieces in `inPlace` need not be copied.
   */
  readonly usesCommon: boolean
  readonly pieces: readonly Piece[]
  readonly inPlace: readonly Piece[]
}

const offsetPattern = /^@(\d{1,16})$/
const filePattern = /^part-[\w-]{1,64}$/

/** The place of a slot, as the caller stores it. */
export function slotPlace(offset: number): string {
  return `@${offset}`
}

/** @throws DriveError `upload-gone` for a text that is not from this drive, because it becomes part of a path */
export function parsePlace(place: string): Place {
  const [, offset] = offsetPattern.exec(place) ?? []
  if (offset !== undefined) return { offset: Number(offset) }
  if (filePattern.test(place)) return { file: place }
  throw foreignState()
}

/**
 * The common file becomes the object if nobody can write to it any more, each listed part in it is at its position, and it
 * contains no other part: the bytes of such a part would be overwritten or cut off, although the caller may open the
 * upload again. Every byte of the object is in a piece, so no hole of the common file becomes part of it.
 *
 * @param mayUseCommon false if a process that lost the upload may still have the common file open
 */
export function planAssembly(parts: PlacedParts, mayUseCommon: boolean): Assembly {
  const pieces = piecesOf(parts.listed)
  const inPlace = pieces.filter(
    ({ from, position }) => 'offset' in from && from.offset === position,
  )
  const isThere = new Set(inPlace)
  const others = pieces.filter((piece) => !isThere.has(piece))
  const isInCommon = (place: Place) => 'offset' in place
  const usesCommon =
    mayUseCommon &&
    parts.isQuiet &&
    !others.some(({ from }) => isInCommon(from)) &&
    !parts.others.some((place) => isInCommon(parsePlace(place)))
  return { usesCommon, pieces: others, inPlace }
}

function piecesOf(parts: readonly PlacedPart[]): Piece[] {
  let position = 0
  return parts.map(({ place, size }) => {
    const piece = { from: parsePlace(place), position, size }
    position += size
    return piece
  })
}
