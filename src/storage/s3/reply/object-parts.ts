import type { Attributes, PartSizes, StoredChecksum } from '../../drives/attributes.ts'
import type { ObjectRange } from '../headers/range.ts'

/** How many parts an object was uploaded in. */
export function countParts(partSizes: PartSizes): number {
  let parts = 0
  for (const [count] of partSizes) parts += count
  return parts
}

/** The range of part `partNumber`, counted from 1; undefined when there are fewer parts. */
export function partRange(partSizes: PartSizes, partNumber: number): ObjectRange | undefined {
  let before = partNumber - 1
  let start = 0
  for (const [count, sizeBytes] of partSizes) {
    if (before < count) {
      start += before * sizeBytes
      return { start, end: start + sizeBytes }
    }
    before -= count
    start += count * sizeBytes
  }
  return undefined
}

/** The checksum of part `partNumber`, counted from 1; undefined when it was not stored. */
export function partChecksum(
  { checksum, partChecksums }: Attributes,
  partNumber: number,
): StoredChecksum | undefined {
  const value = partChecksums?.[partNumber - 1]
  return checksum && value !== undefined ? { ...checksum, value } : undefined
}
