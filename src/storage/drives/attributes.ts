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

/** Object Lock: a version can't be removed before this time (AWS, "Object Lock retention modes"). */
export interface Retention {
  readonly mode: 'GOVERNANCE' | 'COMPLIANCE'
  /** Milliseconds since the epoch. */
  readonly untilMs: number
}

/** What may be removed although it has a retention. Absent: no version that has one. A legal hold always prevents a removal. */
export interface LockRules {
  /** Retentions up to this time have ended. */
  readonly nowMs: number
  /** Whether a retention in mode GOVERNANCE has no effect. */
  readonly bypassesGovernance?: boolean
}

/**
 * What is stored with an object beside its bytes. Only what `AttributeChange` names changes in place: otherwise a changed
 * object is a new file with new attributes.
 */
export interface Attributes {
  /** Without quotes: 32 hex digits, or 32 hex digits, `-` and the number of parts. */
  readonly etag: string
  readonly headers: Readonly<Partial<Record<KeptHeader, string>>>
  /** User metadata: name without `x-amz-meta-`, lower case; value as received (latin1). */
  readonly metadata: Readonly<Record<string, string>>
  /** Absent if there are none. */
  readonly tags?: Tags
  /** Object Lock. */
  readonly retention?: Retention
  /** Object Lock: while true, the version can't be removed. False: it had a hold. Absent: it never had one. */
  readonly legalHold?: boolean
  /** Its ACL is private: that its bucket is public does not let everyone read it. */
  readonly isPrivate?: true
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
export type WriterAttributes = Pick<
  Attributes,
  'headers' | 'metadata' | 'tags' | 'retention' | 'legalHold' | 'isPrivate' | 'storageClass'
>

/** A change of attributes in place. What is absent stays. */
export interface AttributeChange {
  /** Replaces all tags. */
  readonly tags?: Tags
  /**
   * Null: removes it. Rejects with `locked` if the present retention has not ended by `lock` and the new one is shorter or
   * has another mode.
   */
  readonly retention?: Retention | null
  readonly legalHold?: boolean
  readonly isPrivate?: boolean
  readonly lock?: LockRules
}
