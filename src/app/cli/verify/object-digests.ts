import { createHash, hash } from 'node:crypto'
import {
  type ChecksumHasher,
  checksumHeader,
  createChecksum,
} from '../../../platform/checksums/checksum.ts'
import type { Attributes, PartSizes, StoredChecksum } from '../../../storage/drives/attributes.ts'
import type { ObjectMetadata } from '../../../storage/drives/drive.ts'
import { checksumOfParts } from '../../../storage/s3/headers/checksum-headers.ts'
import { countParts } from '../../../storage/s3/headers/range.ts'

/** A stored value that differs from the value computed from the bytes. */
export interface Difference {
  /** `ETag`, `x-amz-checksum-crc32` … or `size`. */
  readonly what: string
  readonly expected: string
  readonly found: string
}

/** How one stored value is computed: from all bytes at once, or from the digests of the parts. */
interface Recipe {
  readonly what: string
  readonly expected: string
  readonly unit: 'object' | 'part'
  create(): ChecksumHasher
  /** @param digests the digests of the units, in order. */
  finish(digests: readonly Buffer[]): string
}

/** A recipe in progress: the digests of the units so far, and the hasher of the current unit. */
interface Computation extends Recipe {
  readonly digests: Buffer[]
  hasher: ChecksumHasher
}

const wholeMd5 = /^[0-9a-f]{32}$/
const md5OfParts = /^[0-9a-f]{32}-(\d+)$/

/**
 * Computes an object's ETag and checksum from its bytes and compares them with the stored ones.
 * The ETag of a file that was added to the drive by hand is not verified
 * (docs/contract/object-storage.md, "ETags").
 */
export class ObjectDigests {
  readonly #computations: readonly Computation[]
  readonly #parts: Iterator<number>
  readonly #expectedBytes: number
  #leftOfPart: number | undefined
  #bytes = 0

  constructor({ size, attributes }: ObjectMetadata) {
    const partSizes = attributes.partSizes ?? [[1, size]]
    this.#computations = recipesFor(attributes).map((recipe) => {
      return { ...recipe, digests: [], hasher: recipe.create() }
    })
    this.#expectedBytes = bytesOf(partSizes)
    this.#parts = sizesOf(partSizes)
    this.#nextPart()
  }

  /** Whether any stored value can be compared with the bytes. */
  get canVerify(): boolean {
    return this.#computations.length > 0
  }

  /** Takes the object's bytes, in order. */
  update(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    for (let rest = chunk; rest.length > 0; ) {
      // Bytes beyond the last part are reported as a difference in size.
      const piece = rest.subarray(0, this.#leftOfPart)
      for (const { hasher } of this.#computations) hasher.update(piece)
      rest = rest.subarray(piece.length)
      if (this.#leftOfPart === undefined) continue
      this.#leftOfPart -= piece.length
      if (this.#leftOfPart === 0) this.#endPart()
    }
  }

  /** The differences, after all bytes have been given to `update`. */
  differences(): Difference[] {
    if (this.#bytes !== this.#expectedBytes) {
      const [expected, found] = [String(this.#expectedBytes), String(this.#bytes)]
      return [{ what: 'size', expected, found }]
    }
    this.#endUnits('object')
    return this.#computations.flatMap(({ what, expected, digests, finish }) => {
      const found = finish(digests)
      return found === expected ? [] : [{ what, expected, found }]
    })
  }

  #endPart(): void {
    this.#endUnits('part')
    this.#nextPart()
  }

  /** Ends parts without bytes at once. */
  #nextPart(): void {
    const next = this.#parts.next()
    this.#leftOfPart = next.done ? undefined : next.value
    if (this.#leftOfPart === 0) this.#endPart()
  }

  #endUnits(unit: Recipe['unit']): void {
    for (const computation of this.#computations) {
      if (computation.unit !== unit) continue
      computation.digests.push(computation.hasher.digest())
      computation.hasher = computation.create()
    }
  }
}

function recipesFor({ etag, partSizes, checksum }: Attributes): Recipe[] {
  const recipes: Recipe[] = []
  if (wholeMd5.test(etag)) {
    recipes.push({
      ...{ what: 'ETag', expected: etag, unit: 'object' },
      create: () => createHash('md5'),
      finish: ([digest]) => digest?.toString('hex') ?? '',
    })
  } else if (
    partSizes !== undefined &&
    md5OfParts.exec(etag)?.[1] === String(countParts(partSizes))
  ) {
    recipes.push({
      ...{ what: 'ETag', expected: etag, unit: 'part' },
      create: () => createHash('md5'),
      finish: (digests) => `${hash('md5', Buffer.concat(digests))}-${digests.length}`,
    })
  }
  if (checksum?.type === 'FULL_OBJECT') recipes.push(fullChecksum(checksum))
  if (checksum?.type === 'COMPOSITE' && partSizes !== undefined) {
    recipes.push(compositeChecksum(checksum, partSizes))
  }
  return recipes
}

function fullChecksum({ algorithm, value }: StoredChecksum): Recipe {
  return {
    ...{ what: checksumHeader(algorithm), expected: value, unit: 'object' },
    create: () => createChecksum(algorithm),
    finish: ([digest]) => digest?.toString('base64') ?? '',
  }
}

function compositeChecksum({ algorithm, value }: StoredChecksum, partSizes: PartSizes): Recipe {
  return {
    ...{ what: checksumHeader(algorithm), expected: value, unit: 'part' },
    create: () => createChecksum(algorithm),
    finish(digests) {
      const sizes = [...sizesOf(partSizes)]
      const parts = digests.map((digest, index) => {
        return { value: digest.toString('base64'), sizeBytes: sizes[index] ?? 0 }
      })
      return checksumOfParts(algorithm, 'COMPOSITE', parts).value
    },
  }
}

function* sizesOf(partSizes: PartSizes): Generator<number> {
  for (const [count, sizeBytes] of partSizes) {
    for (let part = 0; part < count; part++) yield sizeBytes
  }
}

function bytesOf(partSizes: PartSizes): number {
  return partSizes.reduce((sum, [count, sizeBytes]) => sum + count * sizeBytes, 0)
}
