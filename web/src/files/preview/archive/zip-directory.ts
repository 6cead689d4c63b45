import type { ByteRange } from '../../s3/byte-range.ts'

interface ZipEntry {
  /** The name, including folders. */
  readonly name: string
  readonly size: number
  readonly packedSize: number
  /** As stated in the archive, without a time zone. */
  readonly modified: string
}

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[]
  /** As stated in the archive. */
  readonly count: number
}

/** The file is not a ZIP, or only a part of one. */
export class NoZip extends Error {
  override readonly name = 'NoZip'
}

/** Maximum bytes of the directory that are read: about 50,000 names. */
const maxDirectoryBytes = 4 * 1024 * 1024

/** The end record with the longest comment, and the locator of ZIP64 before it. */
const maxEndBytes = 22 + 0xffff + 20

const signatures = { end: 0x06054b50, end64: 0x06064b50, locator: 0x07064b50, entry: 0x02014b50 }

/**
 * Reads the central directory of a ZIP and nothing else (APPNOTE.TXT, section 4.3). Sizes and names in it are not
 * trusted: nothing is unpacked, and nothing beyond the file is read.
 */
export async function readZipDirectory(
  read: (range: ByteRange) => Promise<Uint8Array<ArrayBuffer>>,
  size: number,
): Promise<ZipDirectory> {
  const tailStart = Math.max(0, size - maxEndBytes)
  const tail = viewOf(await read({ first: tailStart, last: size - 1 }))
  const place = await directoryPlace(tail, read, size)
  const { count, first, length } = place
  if (count === 0) return { entries: [], count }
  if (first + length > size || length === 0)
    throw new NoZip('The directory is outside of the file.')
  const last = first + Math.min(length, maxDirectoryBytes) - 1
  return { entries: directoryEntries(viewOf(await read({ first, last })), count), count }
}

interface DirectoryPlace {
  readonly count: number
  readonly first: number
  readonly length: number
}

async function directoryPlace(
  tail: DataView<ArrayBuffer>,
  read: (range: ByteRange) => Promise<Uint8Array<ArrayBuffer>>,
  size: number,
): Promise<DirectoryPlace> {
  const at = endRecord(tail)
  const place = {
    count: tail.getUint16(at + 10, true),
    length: tail.getUint32(at + 12, true),
    first: tail.getUint32(at + 16, true),
  }
  const isLong =
    place.count === 0xffff || place.length === 2 ** 32 - 1 || place.first === 2 ** 32 - 1
  if (!isLong || at < 20 || tail.getUint32(at - 20, true) !== signatures.locator) return place
  const first = longAt(tail, at - 12)
  if (first + 56 > size) throw new NoZip('The end record is outside of the file.')
  const record = viewOf(await read({ first, last: first + 55 }))
  if (record.byteLength < 56 || record.getUint32(0, true) !== signatures.end64)
    throw new NoZip('The end record is missing.')
  return { count: longAt(record, 32), length: longAt(record, 40), first: longAt(record, 48) }
}

function endRecord(tail: DataView): number {
  for (let at = tail.byteLength - 22; at >= 0; at -= 1) {
    const isRecord = tail.getUint32(at, true) === signatures.end
    if (isRecord && at + 22 + tail.getUint16(at + 20, true) <= tail.byteLength) return at
  }
  throw new NoZip('The end record is missing.')
}

function directoryEntries(view: DataView<ArrayBuffer>, count: number): readonly ZipEntry[] {
  const entries: ZipEntry[] = []
  for (let at = 0; at + 46 <= view.byteLength && entries.length < count; ) {
    if (view.getUint32(at, true) !== signatures.entry) {
      if (entries.length === 0) throw new NoZip('The directory is damaged.')
      break
    }
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      view.getUint16(at + offset, true),
    ) as [number, number, number]
    const end = at + 46 + nameLength + extraLength + commentLength
    if (end > view.byteLength) break
    const extra = at + 46 + nameLength
    entries.push({
      name: nameFrom(new Uint8Array(view.buffer, view.byteOffset + at + 46, nameLength)),
      ...sizesAt(view, at, extra, extra + extraLength),
      modified: momentOf(view.getUint16(at + 14, true), view.getUint16(at + 12, true)),
    })
    at = end
  }
  return entries
}

/** Sizes of 4 GiB and more are in an extra field (section 4.5.3), the packed size second. */
function sizesAt(view: DataView, at: number, extra: number, end: number) {
  const sizes = { size: view.getUint32(at + 24, true), packedSize: view.getUint32(at + 20, true) }
  for (let field = extra; field + 4 <= end; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue
    let next = field + 4
    for (const name of ['size', 'packedSize'] as const) {
      if (sizes[name] !== 2 ** 32 - 1 || next + 8 > end) continue
      sizes[name] = longAt(view, next)
      next += 8
    }
  }
  return sizes
}

/** Names are UTF-8, or in an old code page that archives do not name. */
function nameFrom(bytes: Uint8Array<ArrayBuffer>): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** MS-DOS date and time (section 4.4.6). */
function momentOf(date: number, time: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const day = [1980 + (date >> 9), two((date >> 5) & 15), two(date & 31)].join('-')
  return date === 0 ? '' : `${day} ${two(time >> 11)}:${two((time >> 5) & 63)}`
}

/** An offset or size beyond 2^53 is outside of every file. */
function longAt(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true))
}

function viewOf(bytes: Uint8Array<ArrayBuffer>): DataView<ArrayBuffer> {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
