/** Names in UTF-8. */
interface NameBytes {
  readonly bytes: Uint8Array
  /** The start of each name, then the end of the last one. */
  readonly starts: Uint32Array
}

/** A group of at most this many names is sorted by comparing two at a time. */
const smallGroup = 12
/** The maximum number of bytes of a name in one key. */
const maxKeyLength = 16
/** A double represents integers up to here exactly. */
const maxValues = 2 ** 53

/**
 * Sorts names by their bytes. Comparing two names reads memory at four random places, which takes most of the time of an
 * ordinary sort. So some bytes of each name are packed into a number, the engine sorts the numbers, and only names with
 * equal numbers are sorted further.
 */
export class NameOrder {
  readonly #bytes: Uint8Array
  readonly #starts: Uint32Array
  readonly #compareEqual: (a: number, b: number) => number
  /** Some bytes of a name as a number, times `#unit`, plus the name's index. */
  readonly #keys: Float64Array<ArrayBuffer>
  /** A power of two, greater than all indexes. */
  readonly #unit: number
  readonly #inverse: number
  /** The rank of each byte among those that occur, from 1; 0 is the end of a name. */
  readonly #ranks = new Uint16Array(256)

  /**
   * @param compareEqual decides the order of names with equal bytes. It is called at least once for each pair that become
   *   neighbors.
   */
  constructor(names: NameBytes, count: number, compareEqual: (a: number, b: number) => number) {
    this.#bytes = names.bytes
    this.#starts = names.starts
    this.#compareEqual = compareEqual
    this.#keys = new Float64Array(count)
    this.#unit = 2 ** Math.ceil(Math.log2(count + 1))
    this.#inverse = 1 / this.#unit
  }

  /** The names in order, each by its index in `starts`. Call it once. */
  sorted(): Uint32Array<ArrayBuffer> {
    const keys = this.#keys
    for (let name = 0; name < keys.length; name++) keys[name] = name
    this.#sort(0, keys.length, 0)
    // In the memory of the keys: each index is written where its key, or an earlier one, was.
    const order = new Uint32Array(keys.buffer, 0, keys.length)
    for (let position = 0; position < keys.length; position++) {
      order[position] = this.#nameAt(position)
    }
    return new Uint32Array(keys.buffer.transfer(order.byteLength))
  }

  /** Sorts names that have their first `depth` bytes in common. */
  #sort(from: number, to: number, depth: number): void {
    if (to - from <= smallGroup) {
      this.#sortSmall(from, to, depth)
      return
    }
    const start = this.#commonDepth(from, to, depth)
    const base = this.#rank(from, to, start)
    // All are equal.
    if (base === 1) this.#sortSmall(from, to, start)
    else this.#sortByKeys(from, to, start, base)
  }

  #sortByKeys(from: number, to: number, depth: number, base: number): void {
    let length = 0
    for (let values = this.#unit * base; values <= maxValues; values *= base) {
      if (++length === maxKeyLength) break
    }
    this.#setKeys(from, to, { depth, length, base })
    this.#keys.subarray(from, to).sort()
    let first = from
    let value = this.#valueAt(from)
    for (let position = from + 1; position < to; position++) {
      const next = this.#valueAt(position)
      if (next === value) continue
      if (position - first > 1) this.#sort(first, position, depth + length)
      first = position
      value = next
    }
    if (to - first > 1) this.#sort(first, to, depth + length)
  }

  #setKeys(from: number, to: number, { depth, length, base }: KeyForm): void {
    const bytes = this.#bytes
    const ranks = this.#ranks
    for (let position = from; position < to; position++) {
      const name = this.#nameAt(position)
      const start = (this.#starts[name] ?? 0) + depth
      const end = this.#starts[name + 1] ?? 0
      let value = 0
      for (let at = start; at < start + length; at++) {
        value = value * base + (at < end ? (ranks[bytes[at] ?? 0] ?? 0) : 0)
      }
      this.#keys[position] = value * this.#unit + name
    }
  }

  /** The number of bytes that all these names have in common. */
  #commonDepth(from: number, to: number, depth: number): number {
    const bytes = this.#bytes
    const first = this.#nameAt(from)
    const start = this.#starts[first] ?? 0
    let common = (this.#starts[first + 1] ?? 0) - start
    for (let position = from + 1; position < to && common > depth; position++) {
      const name = this.#nameAt(position)
      const other = this.#starts[name] ?? 0
      const end = Math.min(common, (this.#starts[name + 1] ?? 0) - other)
      let same = depth
      while (same < end && bytes[start + same] === bytes[other + same]) same++
      common = same
    }
    return common
  }

  /** Ranks the bytes at the places that a key may contain. Returns the number of ranks. */
  #rank(from: number, to: number, depth: number): number {
    const ranks = this.#ranks.fill(0)
    for (let position = from; position < to; position++) {
      const name = this.#nameAt(position)
      const start = (this.#starts[name] ?? 0) + depth
      const end = Math.min(start + maxKeyLength, this.#starts[name + 1] ?? 0)
      for (let at = start; at < end; at++) ranks[this.#bytes[at] ?? 0] = 1
    }
    let base = 1
    for (let byte = 0; byte < ranks.length; byte++) if (ranks[byte] === 1) ranks[byte] = base++
    return base
  }

  /** Insertion sort. */
  #sortSmall(from: number, to: number, depth: number): void {
    const keys = this.#keys
    for (let position = from + 1; position < to; position++) {
      const key = keys[position] ?? 0
      const name = this.#nameAt(position)
      let place = position
      while (place > from && this.#compare(this.#nameAt(place - 1), name, depth) > 0) {
        keys[place] = keys[--place] ?? 0
      }
      keys[place] = key
    }
  }

  #compare(a: number, b: number, depth: number): number {
    let left = (this.#starts[a] ?? 0) + depth
    let right = (this.#starts[b] ?? 0) + depth
    const leftEnd = this.#starts[a + 1] ?? 0
    const rightEnd = this.#starts[b + 1] ?? 0
    const end = left + Math.min(leftEnd - left, rightEnd - right)
    const bytes = this.#bytes
    while (left < end) {
      const difference = (bytes[left++] ?? 0) - (bytes[right++] ?? 0)
      if (difference !== 0) return difference
    }
    return leftEnd - left - (rightEnd - right) || this.#compareEqual(a, b)
  }

  #valueAt(position: number): number {
    return Math.floor((this.#keys[position] ?? 0) * this.#inverse)
  }

  #nameAt(position: number): number {
    const key = this.#keys[position] ?? 0
    return key - Math.floor(key * this.#inverse) * this.#unit
  }
}

interface KeyForm {
  /** The first byte of a name that is in its key. */
  readonly depth: number
  readonly length: number
  /** The number of ranks. */
  readonly base: number
}
