import type { FolderNames } from '../../folder-cursor.ts'

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

  /** The position of the first name that is not less than `text`; `count` when there is none. */
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

  #compare(position: number, wanted: Buffer): number {
    const name = this.#order[position] ?? 0
    const start = this.#starts[name] ?? 0
    const end = this.#starts[name + 1] ?? 0
    return this.#bytes.compare(wanted, 0, wanted.length, start, end)
  }
}

/**
 * Collects names in any order, also repeatedly, and returns each once in key order. The memory of an
 * array that became too small is released immediately, not at the next garbage collection: `transfer`
 * detaches it.
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
    this.#end += this.#bytes.write(segment, this.#end)
    if ((flags & nameFlags.folder) !== 0) this.#bytes[this.#end++] = slash
  }

  /** Ends the packer. */
  pack(): PackedNames {
    this.#starts[this.#count] = this.#end
    const order = this.#inOrder()
    return {
      bytes: new Uint8Array(this.#bytes.buffer.transfer(this.#end)),
      starts: new Uint32Array(this.#starts.buffer.transfer(4 * (this.#count + 1))),
      flags: new Uint8Array(this.#flags.buffer.transfer(this.#count)),
      order,
    }
  }

  #inOrder(): Uint32Array<ArrayBuffer> {
    const all = Uint32Array.from({ length: this.#count }, (_, index) => index)
    const sorted = mergeSorted(all, (a, b) => this.#compare(a, b))
    let kept = 0
    for (const name of sorted) {
      // Added twice, or at its alternative path beside the natural one, which sorts first.
      const isHidden = kept > 0 && this.#compareBytes(name, sorted[kept - 1] ?? 0) === 0
      if (!isHidden) sorted[kept++] = name
    }
    return new Uint32Array(sorted.buffer.transfer(4 * kept))
  }

  #compare(a: number, b: number): number {
    return this.#compareBytes(a, b) || (this.#flags[a] ?? 0) - (this.#flags[b] ?? 0)
  }

  #compareBytes(a: number, b: number): number {
    let left = this.#starts[a] ?? 0
    let right = this.#starts[b] ?? 0
    const leftEnd = this.#starts[a + 1] ?? 0
    const rightEnd = this.#starts[b + 1] ?? 0
    const end = left + Math.min(leftEnd - left, rightEnd - right)
    const bytes = this.#bytes
    while (left < end) {
      const difference = (bytes[left++] ?? 0) - (bytes[right++] ?? 0)
      if (difference !== 0) return difference
    }
    return leftEnd - left - (rightEnd - right)
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

/** TypedArray.prototype.sort with a comparison creates two temporary arrays of boxed values. */
function mergeSorted(
  values: Uint32Array<ArrayBuffer>,
  compare: (a: number, b: number) => number,
): Uint32Array<ArrayBuffer> {
  let from = values
  let to = new Uint32Array(values.length)
  for (let width = 1; width < values.length; width *= 2) {
    for (let start = 0; start < values.length; start += 2 * width) {
      mergeRuns(from, to, { start, width, compare })
    }
    ;[from, to] = [to, from]
  }
  return from
}

interface Runs {
  /** The start of the first run. The second starts `width` later, and may be short or empty. */
  readonly start: number
  readonly width: number
  readonly compare: (a: number, b: number) => number
}

/** Stable: of equal values, the one from the first run comes first. */
function mergeRuns(from: Uint32Array, to: Uint32Array, { start, width, compare }: Runs): void {
  const middle = Math.min(start + width, from.length)
  const end = Math.min(middle + width, from.length)
  let left = start
  let right = middle
  for (let next = start; next < end; next++) {
    const a = from[left] ?? 0
    const b = from[right] ?? 0
    const takesLeft = right >= end || (left < middle && compare(a, b) <= 0)
    to[next] = takesLeft ? a : b
    if (takesLeft) left++
    else right++
  }
}
