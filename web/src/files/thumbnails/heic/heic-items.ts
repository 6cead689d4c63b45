/** ISO/IEC 23008-12 (HEIF): what is needed to find the thumbnail that a camera has put into a file. */
export interface HeicItem {
  readonly type: string
  readonly parts: readonly { readonly at: number; readonly length: number }[]
  /** Boxes as they are in the file: the form of the coded picture, its size, and how it is turned. */
  readonly properties: readonly HeicProperty[]
}

export interface HeicProperty {
  readonly type: string
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isEssential: boolean
}

export interface HeicItems {
  readonly primary: HeicItem
  readonly thumbnails: readonly HeicItem[]
  /** The pixels of the largest picture in the file. */
  readonly maxPixels: number
}

type ReadPart = (start: number, end: number) => Promise<Uint8Array<ArrayBuffer>>

/** The list of items has some KB. */
const maxMetaBytes = 1024 * 1024

/** Also the parts of all items together: a part whose numbers have no bytes takes no room in the list. */
const maxItems = 10_000

/**
 * The items of a file. Undefined if it has none, or is of another kind. @throws RangeError if a box says that it ends
 * elsewhere
 */
export async function heicItems(read: ReadPart): Promise<HeicItems | undefined> {
  const meta = await metaBox(read)
  if (meta === undefined) return undefined
  const boxes = new Map(boxesIn(meta, 4).map((box) => [box.type, box]))
  const primaryId = idAt(boxes.get('pitm'), 4)
  const types = itemTypes(boxes.get('iinf'))
  const places = itemPlaces(boxes.get('iloc'))
  const { properties, owned } = itemProperties(boxes.get('iprp'))
  const itemOf = (id: number): HeicItem => ({
    type: types.get(id) ?? '',
    parts: places.get(id) ?? [],
    properties: owned.get(id) ?? [],
  })
  return {
    primary: itemOf(primaryId),
    thumbnails: thumbnailsOf(boxes.get('iref'), primaryId).map(itemOf),
    maxPixels: Math.max(0, ...properties.map(pixelsOf)),
  }
}

/** The pixels that a property says a picture has; 0 for another property. */
export function pixelsOf({ type, bytes }: Pick<HeicProperty, 'type' | 'bytes'>): number {
  if (type !== 'ispe') return 0
  const view = viewOf(bytes)
  return view.getUint32(12) * view.getUint32(16)
}

interface Box {
  readonly type: string
  /** With its header. */
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly content: Uint8Array<ArrayBuffer>
}

/** ISO/IEC 14496-12: it is among the first boxes of a file. */
async function metaBox(read: ReadPart): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (let [at, count] = [0, 0]; count < 8; count += 1) {
    const { size, type } = headerAt(viewOf(await read(at, at + 8)), 0)
    if (count === 0 && type !== 'ftyp') return undefined
    if (size < 8) return undefined
    if (type === 'meta') return size > maxMetaBytes ? undefined : read(at + 8, at + size)
    at += size
  }
  return undefined
}

function headerAt(view: DataView, at: number) {
  return { size: view.getUint32(at), type: textAt(view, at + 4) }
}

function boxesIn(content: Uint8Array<ArrayBuffer>, start: number): readonly Box[] {
  const view = viewOf(content)
  const boxes: Box[] = []
  for (let at = start; at + 8 <= content.length; ) {
    const { size, type } = headerAt(view, at)
    if (size < 8 || at + size > content.length) throw new RangeError('a box ends elsewhere')
    const bytes = content.subarray(at, at + size)
    boxes.push({ type, bytes, content: bytes.subarray(8) })
    at += size
  }
  return boxes
}

function idAt(box: Box | undefined, at: number): number {
  if (box === undefined) return 0
  const view = viewOf(box.content)
  return view.getUint8(0) === 0 ? view.getUint16(at) : view.getUint32(at)
}

function itemTypes(box: Box | undefined): ReadonlyMap<number, string> {
  const types = new Map<number, string>()
  if (box === undefined) return types
  const start = viewOf(box.content).getUint8(0) === 0 ? 6 : 8
  for (const { content } of boxesIn(box.content, start)) {
    const view = viewOf(content)
    // Version 2 has numbers of 16 bits, version 3 of 32. Older ones have no types.
    const version = view.getUint8(0)
    if (version < 2) continue
    const id = version === 2 ? view.getUint16(4) : view.getUint32(4)
    types.set(id, textAt(view, version === 2 ? 8 : 10))
  }
  return types
}

/** Where the bytes of items are. Those that are not in the file itself are left out. */
function itemPlaces(box: Box | undefined): ReadonlyMap<number, HeicItem['parts']> {
  const places = new Map<number, HeicItem['parts']>()
  if (box === undefined) return places
  const numbers = new Numbers(box.content)
  const version = numbers.next(1)
  numbers.next(3)
  const [sizes, more] = [numbers.next(1), numbers.next(1)]
  const count = numbers.next(version < 2 ? 2 : 4)
  if (count > maxItems) throw new RangeError('too many items')
  let left = maxItems
  for (let index = 0; index < count; index += 1) {
    const id = numbers.next(version < 2 ? 2 : 4)
    const method = version === 0 ? 0 : numbers.next(2) & 15
    numbers.next(2)
    const base = numbers.next(more >> 4)
    const length = numbers.next(2)
    left -= length
    if (left < 0) throw new RangeError('too many parts')
    const parts = Array.from({ length }, () => {
      if (version > 0) numbers.next(more & 15)
      return { at: base + numbers.next(sizes >> 4), length: numbers.next(sizes & 15) }
    })
    if (method === 0) places.set(id, parts)
  }
  return places
}

function itemProperties(box: Box | undefined) {
  const owned = new Map<number, readonly HeicProperty[]>()
  const parts = box === undefined ? [] : boxesIn(box.content, 0)
  const container = parts.find(({ type }) => type === 'ipco')
  const properties = container === undefined ? [] : boxesIn(container.content, 0)
  for (const { content } of parts.filter(({ type }) => type === 'ipma')) {
    const numbers = new Numbers(content)
    const version = numbers.next(1)
    const isWide = (numbers.next(3) & 1) === 1
    const count = numbers.next(4)
    if (count > maxItems) throw new RangeError('too many items')
    for (let index = 0; index < count; index += 1) {
      const id = numbers.next(version < 1 ? 2 : 4)
      const links = Array.from({ length: numbers.next(1) }, () => numbers.next(isWide ? 2 : 1))
      const mark = isWide ? 0x8000 : 0x80
      const found = links.flatMap((link) => {
        const property = properties[(link & (mark - 1)) - 1]
        return property === undefined ? [] : [{ ...property, isEssential: link >= mark }]
      })
      owned.set(id, found)
    }
  }
  return { properties, owned }
}

function thumbnailsOf(box: Box | undefined, primaryId: number): readonly number[] {
  if (box === undefined) return []
  const width = viewOf(box.content).getUint8(0) === 0 ? 2 : 4
  return boxesIn(box.content, 4).flatMap(({ type, content }) => {
    if (type !== 'thmb') return []
    const numbers = new Numbers(content)
    const from = numbers.next(width)
    const to = Array.from({ length: numbers.next(2) }, () => numbers.next(width))
    return to.includes(primaryId) ? [from] : []
  })
}

/** Reads one number after another. */
class Numbers {
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#view = viewOf(bytes)
  }

  /** @param width in bytes. 0: the number 0 */
  next(width: number): number {
    let value = 0
    for (let index = 0; index < width; index += 1) {
      value = value * 256 + this.#view.getUint8(this.#at)
      this.#at += 1
    }
    return value
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)))
}
