/**
 * CRC-32C and CRC-64/NVME, eight to sixteen bytes at a time ("slicing-by-N"). Both keep up with the MD5 that every object
 * needs. Packages in plain JavaScript are two to twenty times slower, the native one has no CRC-64, and the WebAssembly
 * one starts asynchronously.
 */

const sliceTables = 16

/** Reflected (RFC 3720 section 12.1). */
export const polynomial32c = 0x82f63b78
/** Reflected (NVM Express, NVM Command Set Specification, "64b CRC"). */
export const polynomial64nvme = { high: 0x9a6c9329, low: 0xac4bc9b5 }

// Computed at their first use: at the start of a process, they would take longer than all other constants.
let table32c: Int32Array | undefined
let tables64: ReturnType<typeof makeTables64> | undefined

/** The unsigned CRC-32C of `bytes`, continued from `crc`, which is 0 at the beginning. */
export function crc32c(bytes: Uint8Array, crc: number): number {
  table32c ??= makeTable32(polynomial32c)
  const t = table32c
  const sliced = bytes.length - (bytes.length % 16)
  let c = ~crc
  let i = 0
  for (; i < sliced; i += 16) {
    c ^= word(bytes, i)
    c =
      at(t, 0xf00 | (c & 0xff)) ^
      at(t, 0xe00 | ((c >>> 8) & 0xff)) ^
      at(t, 0xd00 | ((c >>> 16) & 0xff)) ^
      at(t, 0xc00 | (c >>> 24)) ^
      at(t, 0xb00 | byte(bytes, i + 4)) ^
      at(t, 0xa00 | byte(bytes, i + 5)) ^
      at(t, 0x900 | byte(bytes, i + 6)) ^
      at(t, 0x800 | byte(bytes, i + 7)) ^
      at(t, 0x700 | byte(bytes, i + 8)) ^
      at(t, 0x600 | byte(bytes, i + 9)) ^
      at(t, 0x500 | byte(bytes, i + 10)) ^
      at(t, 0x400 | byte(bytes, i + 11)) ^
      at(t, 0x300 | byte(bytes, i + 12)) ^
      at(t, 0x200 | byte(bytes, i + 13)) ^
      at(t, 0x100 | byte(bytes, i + 14)) ^
      at(t, byte(bytes, i + 15))
  }
  for (; i < bytes.length; i++) c = at(t, (c ^ byte(bytes, i)) & 0xff) ^ (c >>> 8)
  return ~c >>> 0
}

/** A CRC-64/NVME in two halves, because JavaScript's bit operators have 32 bits. */
export class Crc64Nvme {
  #high = 0
  #low = 0

  update(bytes: Uint8Array): void {
    tables64 ??= makeTables64()
    const { high, low } = tables64
    const sliced = bytes.length - (bytes.length % 8)
    let h = ~this.#high
    let l = ~this.#low
    let i = 0
    for (; i < sliced; i += 8) {
      l ^= word(bytes, i)
      h ^= word(bytes, i + 4)
      const a = 0x700 | (l & 0xff)
      const b = 0x600 | ((l >>> 8) & 0xff)
      const c = 0x500 | ((l >>> 16) & 0xff)
      const d = 0x400 | (l >>> 24)
      const e = 0x300 | (h & 0xff)
      const f = 0x200 | ((h >>> 8) & 0xff)
      const g = 0x100 | ((h >>> 16) & 0xff)
      const k = h >>> 24
      l = at(low, a) ^ at(low, b) ^ at(low, c) ^ at(low, d)
      l ^= at(low, e) ^ at(low, f) ^ at(low, g) ^ at(low, k)
      h = at(high, a) ^ at(high, b) ^ at(high, c) ^ at(high, d)
      h ^= at(high, e) ^ at(high, f) ^ at(high, g) ^ at(high, k)
    }
    for (; i < bytes.length; i++) {
      const index = (l ^ byte(bytes, i)) & 0xff
      l = at(low, index) ^ ((l >>> 8) | (h << 24))
      h = at(high, index) ^ (h >>> 8)
    }
    this.#high = ~h
    this.#low = ~l
  }

  /** Eight bytes, big-endian. */
  digest(): Buffer {
    const bytes = Buffer.allocUnsafe(8)
    bytes.writeInt32BE(this.#high, 0)
    bytes.writeInt32BE(this.#low, 4)
    return bytes
  }
}

function word(bytes: Uint8Array, i: number): number {
  return (
    byte(bytes, i) |
    (byte(bytes, i + 1) << 8) |
    (byte(bytes, i + 2) << 16) |
    (byte(bytes, i + 3) << 24)
  )
}

// Indexes are always in bounds, so the casts are safe; a `?? 0` would cost a branch for each byte. One function for both
// kinds of array would be four times slower.
function byte(bytes: Uint8Array, index: number): number {
  return bytes[index] as number
}

function at(table: Int32Array, index: number): number {
  return table[index] as number
}

function makeTable32(polynomial: number): Int32Array {
  const table = new Int32Array(sliceTables * 256)
  for (let i = 0; i < 256; i++) {
    let c = i
    for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ polynomial : c >>> 1
    table[i] = c
  }
  for (let i = 256; i < table.length; i++) {
    const before = at(table, i - 256)
    table[i] = (before >>> 8) ^ at(table, before & 0xff)
  }
  return table
}

function makeTables64(): { readonly high: Int32Array; readonly low: Int32Array } {
  const high = new Int32Array(8 * 256)
  const low = new Int32Array(8 * 256)
  for (let i = 0; i < 256; i++) {
    let h = 0
    let l = i
    for (let bit = 0; bit < 8; bit++) {
      const carry = l & 1
      l = (l >>> 1) | (h << 31)
      h >>>= 1
      if (carry === 1) {
        h ^= polynomial64nvme.high
        l ^= polynomial64nvme.low
      }
    }
    high[i] = h
    low[i] = l
  }
  for (let i = 256; i < low.length; i++) {
    const l = at(low, i - 256)
    const h = at(high, i - 256)
    low[i] = ((l >>> 8) | (h << 24)) ^ at(low, l & 0xff)
    high[i] = (h >>> 8) ^ at(high, l & 0xff)
  }
  return { high, low }
}
