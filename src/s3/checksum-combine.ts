/**
 * CRC of a concatenation from the CRCs of its pieces: crc(AB) = crc(A) · x^(8·|B|) + crc(B) modulo the
 * polynomial, since a CRC is a remainder (the method of zlib's crc32_combine). Polynomials are
 * reflected: the highest bit is x^0.
 */

import type { ChecksumAlgorithm } from '../drives/attributes.ts'
import { polynomial64nvme } from './checksum-crc.ts'

interface Field {
  readonly bytes: number
  readonly polynomial: bigint
  /** x^0. */
  readonly one: bigint
}

const fields: Partial<Record<ChecksumAlgorithm, Field>> = {
  CRC32: { bytes: 4, polynomial: 0xedb88320n, one: 1n << 31n },
  CRC32C: { bytes: 4, polynomial: 0x82f63b78n, one: 1n << 31n },
  CRC64NVME: { bytes: 8, polynomial: polynomial64nvme, one: 1n << 63n },
}

/** A piece: the big-endian digest and how many bytes it is of. */
export interface CrcPiece {
  readonly digest: Buffer
  readonly sizeBytes: number
}

/**
 * The CRC of all pieces in order.
 *
 * @throws TypeError when the algorithm is no CRC.
 */
export function combineCrcs(algorithm: ChecksumAlgorithm, pieces: readonly CrcPiece[]): Buffer {
  const field = fields[algorithm]
  if (field === undefined) throw new TypeError(`${algorithm} is no CRC`)
  // Nearly all parts of an upload have one size, so their shift is computed once.
  const shifts = new Map<number, bigint>()
  let crc = 0n
  for (const { digest, sizeBytes } of pieces) {
    let shift = shifts.get(sizeBytes)
    if (shift === undefined) {
      shift = powerOfX(8n * BigInt(sizeBytes), field)
      shifts.clear()
      shifts.set(sizeBytes, shift)
    }
    crc = multiply(crc, shift, field) ^ BigInt(`0x${digest.toString('hex')}`)
  }
  return Buffer.from(crc.toString(16).padStart(field.bytes * 2, '0'), 'hex')
}

/** x to a power, by squaring. */
function powerOfX(exponent: bigint, field: Field): bigint {
  let result = field.one
  let square = field.one >> 1n
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = multiply(result, square, field)
    square = multiply(square, square, field)
  }
  return result
}

function multiply(a: bigint, b: bigint, { polynomial, one }: Field): bigint {
  let product = 0n
  let shifted = b
  for (let bit = one; bit > 0n; bit >>= 1n) {
    if (a & bit) product ^= shifted
    shifted = shifted & 1n ? (shifted >> 1n) ^ polynomial : shifted >> 1n
  }
  return product
}
