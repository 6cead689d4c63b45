/**
 * Computes the CRC of a concatenation from the CRCs of its pieces, as zlib's crc32_combine does: a CRC is a remainder, so
 * crc(AB) = crc(A) · x^(8·|B|) + crc(B) modulo the polynomial. Polynomials are reflected, so the highest bit is x^0. A
 * 32-bit CRC is in the high word.
 */

import type { ChecksumAlgorithm } from './checksum.ts'
import { polynomial32c, polynomial64nvme } from './crc.ts'

interface Word {
  readonly high: number
  readonly low: number
}

interface Field {
  readonly bits: 32 | 64
  readonly polynomial: Word
  /** x^1, x^2, x^4, x^8 …, computed on demand. */
  readonly squares: Word[]
}

const fields: Partial<Record<ChecksumAlgorithm, Field>> = {
  CRC32: field(32, { high: 0xedb88320, low: 0 }),
  CRC32C: field(32, { high: polynomial32c, low: 0 }),
  CRC64NVME: field(64, polynomial64nvme),
}

/** A part of a completed upload: its checksum (base64) and size. */
export interface PartChecksum {
  readonly value: string
  readonly sizeBytes: number
}

/**
 * The CRC (base64) of all parts in order.
 *
 * @throws TypeError when the algorithm is not a CRC.
 */
export function combineCrcs(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const field = fields[algorithm]
  if (field === undefined) throw new TypeError(`${algorithm} is not a CRC`)
  let crc: Word = { high: 0, low: 0 }
  let shift: { readonly sizeBytes: number; readonly factor: Word } | undefined
  for (const { value, sizeBytes } of parts) {
    const digest = Buffer.from(value, 'base64')
    // Nearly all parts of an upload have the same size.
    if (shift?.sizeBytes !== sizeBytes) shift = { sizeBytes, factor: shiftBy(sizeBytes, field) }
    const { high, low } = multiply(crc, shift.factor, field)
    crc = {
      high: high ^ digest.readInt32BE(0),
      low: low ^ (field.bits === 64 ? digest.readInt32BE(4) : 0),
    }
  }
  const bytes = Buffer.alloc(8)
  bytes.writeInt32BE(crc.high, 0)
  bytes.writeInt32BE(crc.low, 4)
  return bytes.toString('base64', 0, field.bits / 8)
}

function field(bits: 32 | 64, polynomial: Word): Field {
  return { bits, polynomial, squares: [{ high: 1 << 30, low: 0 }] }
}

/** x^(8·sizeBytes). */
function shiftBy(sizeBytes: number, field: Field): Word {
  let result: Word = { high: 1 << 31, low: 0 }
  let rest = sizeBytes // above 32 bits, so no bit operators
  for (let power = 3; rest > 0; power++) {
    if (rest % 2 === 1) result = multiply(result, square(power, field), field)
    rest = Math.floor(rest / 2)
  }
  return result
}

/** x^(2^power). */
function square(power: number, field: Field): Word {
  const known = field.squares[power]
  if (known !== undefined) return known
  const root = square(power - 1, field)
  const next = multiply(root, root, field)
  field.squares[power] = next
  return next
}

function multiply(a: Word, b: Word, { bits, polynomial }: Field): Word {
  let high = 0
  let low = 0
  let h = b.high
  let l = b.low
  for (let bit = 0; bit < bits; bit++) {
    const factor = bit < 32 ? a.high >>> (31 - bit) : a.low >>> (63 - bit)
    if (factor & 1) {
      high ^= h
      low ^= l
    }
    const carry = bits === 64 ? l & 1 : h & 1
    l = bits === 64 ? (l >>> 1) | (h << 31) : 0
    h >>>= 1
    if (carry === 1) {
      h ^= polynomial.high
      l ^= polynomial.low
    }
  }
  return { high, low }
}
