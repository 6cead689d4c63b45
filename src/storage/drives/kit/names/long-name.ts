/**
 * Names that are too long for a file system are cut into nested folders: every piece but the last
 * ends in `%+` and is a folder that contains the rest.
 */

/** The length that ext4, XFS, Btrfs, ZFS, APFS and NTFS all support. */
export const maxNameBytes = 255

const continuationSuffix = '%+'
const suffixBytes = 2
/** The longest code point in UTF-8. */
const maxCodePointBytes = 4
/** The longest UTF-8 form of one UTF-16 unit. */
const maxUnitBytes = 3

/**
 * The pieces of a name, each at most `limit` bytes, cut between code points and as late as
 * possible. A name that fits is one piece.
 */
export function cutName(name: string, limit = maxNameBytes): string[] {
  if (fits(name, limit)) return [name]
  const pieces: string[] = []
  let rest = name
  while (!fits(rest, limit)) {
    const piece = headOf(rest, limit - suffixBytes)
    pieces.push(piece + continuationSuffix)
    rest = rest.slice(piece.length)
  }
  pieces.push(rest)
  return pieces
}

/** The last of `cutName`'s pieces. */
export function lastPiece(name: string, limit = maxNameBytes): string {
  return cutName(name, limit).at(-1) ?? name
}

/** Whether a name could be a piece that is not the last. */
export function looksContinued(name: string, limit = maxNameBytes): boolean {
  if (!name.endsWith(continuationSuffix)) return false
  const bytes = Buffer.byteLength(name)
  return bytes <= limit && bytes > limit - maxCodePointBytes
}

/** Whether the last piece of a name could be mistaken for an earlier piece. */
export function endsLikeContinued(name: string, limit = maxNameBytes): boolean {
  return name.endsWith(continuationSuffix) && looksContinued(lastPiece(name, limit), limit)
}

/** A piece without its suffix. */
export function continuedText(piece: string): string {
  return piece.slice(0, -continuationSuffix.length)
}

/** Whether `text`, found below the pieces `before`, is cut where `cutName` cuts. */
export function isCutAt(before: string, text: string, limit = maxNameBytes): boolean {
  let rest = before + text
  while (rest.length > text.length) rest = rest.slice(headOf(rest, limit - suffixBytes).length)
  return rest.length === text.length
}

function fits(name: string, limit: number): boolean {
  return name.length * maxUnitBytes <= limit || Buffer.byteLength(name) <= limit
}

/** As many leading code points as fit in `limit` bytes. */
function headOf(text: string, limit: number): string {
  let bytes = 0
  let end = 0
  while (end < text.length) {
    const codePoint = text.codePointAt(end) ?? 0
    bytes += bytesOf(codePoint)
    if (bytes > limit) break
    end += codePoint > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : maxCodePointBytes
}
