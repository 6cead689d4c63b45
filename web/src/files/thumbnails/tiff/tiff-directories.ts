/** TIFF 6.0, section 8: the tags that are read. */
export const tags = {
  subfileType: 254,
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripAt: 273,
  orientation: 274,
  samples: 277,
  rowsPerStrip: 278,
  stripLength: 279,
  planes: 284,
  faxOptions: 292,
  predictor: 317,
  colors: 320,
  tileWidth: 322,
  tileHeight: 323,
  tileAt: 324,
  tileLength: 325,
  subDirectories: 330,
  extraSamples: 338,
  sampleFormat: 339,
  jpegTables: 347,
  jpegAt: 513,
  jpegLength: 514,
} as const

const known: ReadonlySet<number> = new Set(Object.values(tags))

/** Bytes of one value, by type: BYTE, SHORT, LONG, UNDEFINED and IFD. Others tell nothing about the form of a picture. */
const valueBytes: Readonly<Record<number, 1 | 2 | 4>> = { 1: 1, 3: 2, 4: 4, 7: 1, 13: 4 }

/** A large picture has a strip for each row. */
const maxValues = 100_000

/** The pages, previews and levels of a file that are looked at. */
const maxDirectories = 24

const maxEntries = 1_000

/** The values by tag. */
export type TiffDirectory = ReadonlyMap<number, readonly number[]>

type ReadPart = (start: number, end: number) => Promise<Uint8Array>

export function numberOf(directory: TiffDirectory, tag: number): number | undefined {
  return directory.get(tag)?.[0]
}

/**
 * The directories of a TIFF file, in both byte orders: each page, then what it refers to. No directory is read twice, so that
 * a file whose directories refer to each other has an end. @throws RangeError if an offset points outside of the file
 */
export async function tiffDirectories(read: ReadPart): Promise<readonly TiffDirectory[]> {
  const head = viewOf(await read(0, 8))
  const isLittle = head.getUint16(0) === 0x4949
  if ((!isLittle && head.getUint16(0) !== 0x4d4d) || head.getUint16(2, isLittle) !== 42) return []
  const waiting = [head.getUint32(4, isLittle)]
  const seen = new Set<number>([0])
  const found: TiffDirectory[] = []
  for (const at of waiting) {
    if (seen.has(at) || found.length === maxDirectories) continue
    seen.add(at)
    const { directory, next } = await readDirectory(read, at, isLittle)
    found.push(directory)
    waiting.push(next, ...(directory.get(tags.subDirectories) ?? []).slice(0, maxDirectories))
  }
  return found
}

async function readDirectory(read: ReadPart, at: number, isLittle: boolean) {
  const count = viewOf(await read(at, at + 2)).getUint16(0, isLittle)
  if (count > maxEntries) throw new RangeError('too many entries')
  const end = at + 2 + 12 * count
  const view = viewOf(await read(at + 2, end + 4))
  const directory = new Map<number, readonly number[]>()
  for (let entry = 0; entry < 12 * count; entry += 12) {
    const tag = view.getUint16(entry, isLittle)
    const width = valueBytes[view.getUint16(entry + 2, isLittle)]
    if (width === undefined || !known.has(tag)) continue
    const length = view.getUint32(entry + 4, isLittle)
    if (length > maxValues) throw new RangeError('too many values')
    const bytes = length * width
    const start = view.getUint32(entry + 8, isLittle)
    // Four bytes have room in the entry itself.
    const values =
      bytes <= 4 ? part(view, entry + 8, bytes) : viewOf(await read(start, start + bytes))
    directory.set(tag, numbersOf(values, width, isLittle))
  }
  return { directory, next: view.getUint32(12 * count, isLittle) }
}

function numbersOf(view: DataView, width: 1 | 2 | 4, isLittle: boolean): readonly number[] {
  return Array.from({ length: view.byteLength / width }, (_, index) => {
    if (width === 1) return view.getUint8(index)
    return width === 2 ? view.getUint16(2 * index, isLittle) : view.getUint32(4 * index, isLittle)
  })
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function part(view: DataView, at: number, length: number): DataView {
  return new DataView(view.buffer, view.byteOffset + at, length)
}
