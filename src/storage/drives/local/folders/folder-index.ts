import type { FolderNames } from '../../kit/folder-cursor.ts'
import { NameOrder } from './name-order.ts'

/**
 * The names in one folder, packed: a million names are a few arrays instead of a million strings. A
 * folder's name ends in `/`, so that bytes compare as keys do (`a-b` before `a/`). A name is a key's
 * segment; cut names are complete here (long-name.ts).
 */
export interface PackedNames {
  /** All names in UTF-8, concatenated in the order in which they were read. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The start of each name, then the end of the last one. */
  readonly starts: Uint32Array<ArrayBuffer>
  /** The kind of each name: bits of `nameFlags`. */
  readonly flags: Uint8Array<ArrayBuffer>
  /** The names in key order, each by its index in `starts`; only the first of equal names. */
  readonly order: Uint32Array<ArrayBuffer>
}

export const nameFlags = {
  folder: 1,
  /** The object's file is at its alternative path. */
  alternative: 2,
  /** The name on the disk differs: it is escaped or cut. */
  encoded: 4,
} as const

const slash = 0x2f
/** Up to this length, one call of Buffer.write takes longer than a loop. */
const shortText = 24

export class FolderIndex implements FolderNames {
  readonly count: number
  /** Its approximate size in memory. */
  readonly sizeBytes: number
  readonly #bytes: Buffer
  readonly #starts: Uint32Array
  readonly #flags: Uint8Array
  readonly #order: Uint32Array

  constructor({ bytes, starts, flags, order }: PackedNames) {
    this.count = order.length
    this.sizeBytes =
      bytes.byteLength + starts.byteLength + flags.byteLength + order.byteLength + 500
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#starts = starts
    this.#flags = flags
    this.#order = order
  }

  /** The segment, followed by `/` if it is a folder. */
  name(position: number): string {
    const name = this.#order[position] ?? 0
    return this.#bytes.toString('utf8', this.#starts[name], this.#starts[name + 1])
  }

  isFolder(position: number): boolean {
    return this.hasFlag(position, nameFlags.folder)
  }

  hasFlag(position: number, flag: number): boolean {
    return ((this.#flags[this.#order[position] ?? 0] ?? 0) & flag) !== 0
  }

  /** The position of the first name that is not less than `text`; `count` if there is none. */
  lowerBound(text: string): number {
    const wanted = Buffer.from(text)
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(middle, wanted) < 0) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The names without flags that contain this text, in no order. Faster than looking at each name. */
  including(text: string): string[] {
    const names: string[] = []
    let at = text === '' ? -1 : this.#bytes.indexOf(text)
    while (at >= 0) {
      const name = this.#nameAt(at)
      const end = this.#starts[name + 1] ?? 0
      const isInside = at + Buffer.byteLength(text) <= end
      if (isInside && this.#flags[name] === 0) {
        names.push(this.#bytes.toString('utf8', this.#starts[name], end))
      }
      at = this.#bytes.indexOf(text, isInside ? end : at + 1)
    }
    // Of several readings of a folder, each has added the name.
    return [...new Set(names)]
  }

  /** The name, by its index in `starts`, that has the byte at this place. */
  #nameAt(place: number): number {
    let low = 0
    let high = this.#flags.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if ((this.#starts[middle] ?? 0) <= place) low = middle
      else high = middle
    }
    return low
  }

  #compare(position: number, wanted: Buffer): number {
    const name = this.#order[position] ?? 0
    const start = this.#starts[name] ?? 0
    const end = this.#starts[name + 1] ?? 0
    return this.#bytes.compare(wanted, 0, wanted.length, start, end)
  }
}

/**
 * Collects names in any order, with repetitions, and returns each once in key order. `transfer` releases the memory of an
 * array that has become too small immediately, instead of at the next garbage collection.
 */
export class NamePacker {
  #bytes = Buffer.from(new ArrayBuffer(4096))
  #starts = new Uint32Array(256)
  #flags = new Uint8Array(256)
  #count = 0
  #end = 0

  add(segment: string, flags: number): void {
    this.#reserve(segment.length * 3 + 1)
    this.#starts[this.#count] = this.#end
    this.#flags[this.#count++] = flags
    this.#end += this.#writeShortAscii(segment) || this.#bytes.write(segment, this.#end)
    if ((flags & nameFlags.folder) !== 0) this.#bytes[this.#end++] = slash
  }

  /** Ends the packer. */
  pack(): PackedNames {
    this.#starts[this.#count] = this.#end
    // Before the sort, which also needs memory.
    const names = {
      bytes: new Uint8Array(this.#bytes.buffer.transfer(this.#end)),
      starts: new Uint32Array(this.#starts.buffer.transfer(4 * (this.#count + 1))),
      flags: new Uint8Array(this.#flags.buffer.transfer(this.#count)),
    }
    return { ...names, order: orderOf(names) }
  }

  /** Faster than Buffer.write. Returns 0 if the text is long or not ASCII. */
  #writeShortAscii(text: string): number {
    if (text.length > shortText) return 0
    const bytes = this.#bytes
    const start = this.#end
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      if (unit > 0x7f) return 0
      bytes[start + index] = unit
    }
    return text.length
  }

  #reserve(moreBytes: number): void {
    if (this.#end + moreBytes > this.#bytes.length) {
      this.#bytes = Buffer.from(this.#bytes.buffer.transfer(2 * (this.#bytes.length + moreBytes)))
    }
    if (this.#count + 1 < this.#flags.length) return
    this.#starts = new Uint32Array(this.#starts.buffer.transfer(2 * this.#starts.byteLength))
    this.#flags = new Uint8Array(this.#flags.buffer.transfer(2 * this.#flags.byteLength))
  }
}

type UnsortedNames = Omit<PackedNames, 'order'>

function orderOf(names: UnsortedNames): Uint32Array<ArrayBuffer> {
  const { flags } = names
  let hasEqual = false
  // A name was added twice, or at its alternative path beside the natural one, which sorts first.
  const compareEqual = (a: number, b: number): number => {
    hasEqual = true
    return (flags[a] ?? 0) - (flags[b] ?? 0)
  }
  const order = new NameOrder(names, flags.length, compareEqual).sorted()
  return hasEqual ? withoutEqual(names, order) : order
}

/** Keeps the first of equal names. */
function withoutEqual(
  { bytes, starts }: UnsortedNames,
  order: Uint32Array<ArrayBuffer>,
): Uint32Array<ArrayBuffer> {
  let kept = 0
  let last: Uint8Array | undefined
  for (const name of order) {
    const text = bytes.subarray(starts[name], starts[name + 1])
    if (last !== undefined && Buffer.compare(text, last) === 0) continue
    order[kept++] = name
    last = text
  }
  return new Uint32Array(order.buffer.transfer(4 * kept))
}
