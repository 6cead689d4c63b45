import type { ChecksumAlgorithm } from '../../platform/checksums/checksum.ts'

/** A stored checksum (API reference, "Checksum"). */
export interface StoredChecksum {
  readonly algorithm: ChecksumAlgorithm
  /** Base64 of the big-endian digest; a COMPOSITE one ends in `-` and the number of parts. */
  readonly value: string
  readonly type: 'FULL_OBJECT' | 'COMPOSITE'
}

/** Runs of equal part sizes: `[[3, 8388608], [1, 17]]` is three parts of 8 MiB and one of 17 bytes. */
export type PartSizes = readonly (readonly [count: number, sizeBytes: number])[]

/** The headers that S3 stores with an object and returns unchanged. */
export const keptHeaders = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
] as const
export type KeptHeader = (typeof keptHeaders)[number]

/** Key → value, in no order. */
export type Tags = Readonly<Record<string, string>>

/**
 * What is stored with an object beside its bytes. Only its tags change in place: otherwise a
 * changed object is a new file with new attributes.
 */
export interface Attributes {
  /** Without quotes: 32 hex digits, or 32 hex digits, `-` and the number of parts. */
  readonly etag: string
  readonly headers: Readonly<Partial<Record<KeptHeader, string>>>
  /** User metadata: name without `x-amz-meta-`, lower case; value as received (latin1). */
  readonly metadata: Readonly<Record<string, string>>
  /** Absent if there are none. */
  readonly tags?: Tags
  /** S3's name of the storage class. Absent: STANDARD. It has no effect. */
  readonly storageClass?: string
  readonly checksum?: StoredChecksum
  /** Present when the object was uploaded in parts. */
  readonly partSizes?: PartSizes
  /**
   * Base64 digest of each part, in order, by the algorithm of `checksum`. Absent if there is no
   * `checksum` or the list would be long.
   */
  readonly partChecksums?: readonly string[]
  /** The database does not respond: these are the attributes of a file without a record. Never stored. */
  readonly isProvisional?: true
}

/** The attributes that a writer sends. The others are computed from the bytes. */
export type WriterAttributes = Pick<Attributes, 'headers' | 'metadata' | 'tags' | 'storageClass'>

/** The same attributes with these tags only. */
export function withTags({ tags: _, ...attributes }: Attributes, tags: Tags): Attributes {
  return Object.keys(tags).length === 0 ? attributes : { ...attributes, tags }
}
