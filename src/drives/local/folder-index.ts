/**
 * The names in one folder in key order, packed: a million of them are one array of bytes and not a
 * million strings. A folder's name ends in `/`, so that bytes compare as keys do (`a-b` before `a/`).
 * A name is a key's segment; names that were cut are whole here (long-name.ts).
 */
export interface PackedNames {
  /** All names, one behind the other, UTF-8. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each begins, and at last where the last one ends. */
  readonly starts: Uint32Array<ArrayBuffer>
  /** What each is: bits of `nameFlags`. */
  readonly flags: Uint8Array<ArrayBuffer>
}

export const nameFlags = {
  folder: 1,
  /** The object's file is at its alternative path. */
  alternative: 2,
  /** The name on the disk is another: escaped or cut. */
  encoded: 4,
} as const

const slash = 0x2f

export class FolderIndex {
  readonly count: number
  /** What it takes in memory, about. */
  readonly sizeBytes: number
  readonly #bytes: Buffer
  readonly #starts: Uint32Array
  readonly #flags: Uint8Array

  constructor({ bytes, starts, flags }: PackedNames) {
    this.count = flags.length
    this.sizeBytes = bytes.byteLength + starts.byteLength + flags.byteLength + 500
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#starts = starts
    this.#flags = flags
  }

  /** The segment, with a `/` behind it when it is a folder. */
  name(position: number): string {
    return this.#bytes.toString('utf8', this.#starts[position], this.#starts[position + 1])
  }

  hasFlag(position: number, flag: number): boolean {
    return ((this.#flags[position] ?? 0) & flag) !== 0
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
    const start = this.#starts[position] ?? 0
    const end = this.#starts[position + 1] ?? 0
    return this.#bytes.compare(wanted, 0, wanted.length, start, end)
  }
}

/** Collects names in any order, also several times, and packs each once, in key order. */
export class NamePacker {
  #bytes = Buffer.allocUnsafeSlow(4096)
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

  pack(): PackedNames {
    const order = Uint32Array.from({ length: this.#count }, (_, index) => index)
    this.#starts[this.#count] = this.#end
    order.sort((a, b) => this.#compare(a, b))
    return this.#copy(order.filter((name, position) => !this.#isHidden(name, order[position - 1])))
  }

  /** Added twice, or left at its alternative path beside the natural one, which sorts first. */
  #isHidden(name: number, before: number | undefined): boolean {
    return before !== undefined && this.#compareBytes(name, before) === 0
  }

  #copy(order: Uint32Array): PackedNames {
    const lengthOf = (name: number) => (this.#starts[name + 1] ?? 0) - (this.#starts[name] ?? 0)
    const bytes = new Uint8Array(order.reduce((sum, name) => sum + lengthOf(name), 0))
    const starts = new Uint32Array(order.length + 1)
    const flags = new Uint8Array(order.length)
    let end = 0
    order.forEach((name, position) => {
      const start = this.#starts[name] ?? 0
      bytes.set(this.#bytes.subarray(start, start + lengthOf(name)), end)
      starts[position] = end
      flags[position] = this.#flags[name] ?? 0
      end += lengthOf(name)
    })
    starts[order.length] = end
    return { bytes, starts, flags }
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
      const larger = Buffer.allocUnsafeSlow(2 * (this.#bytes.length + moreBytes))
      larger.set(this.#bytes.subarray(0, this.#end))
      this.#bytes = larger
    }
    if (this.#count + 1 < this.#flags.length) return
    const starts = new Uint32Array(2 * this.#starts.length)
    starts.set(this.#starts)
    this.#starts = starts
    const flags = new Uint8Array(2 * this.#flags.length)
    flags.set(this.#flags)
    this.#flags = flags
  }
}
