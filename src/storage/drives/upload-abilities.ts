import type { StoredChecksum, WriterAttributes } from './attributes.ts'

/** What a drive can do with one upload. */
export interface UploadAbilities {
  /** Whether the last committed part can be replaced. */
  readonly replaceLast: boolean
  /** Whether the size of `complete` may be smaller than the committed size. */
  readonly truncate: boolean
  /**
   * Memory for early parts. Present if one append of several parts is faster than one append for
   * each: then the caller reads early parts while this memory lasts.
   */
  readonly partMemory?: PartMemory
  /** Present if the parts of this upload come in any order: see PlaceOptions. */
  readonly anyOrder?: AnyOrder
}

interface AnyOrder {
  /** Whether a part may be written to the common file, at an offset. */
  readonly slots: boolean
}

/** A limit for the bytes of early parts that one process holds. */
export interface PartMemory {
  /** Reserves bytes; false if they would exceed the limit. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export interface BeginOptions {
  /**
   * Whether parts should be accepted in any order. A drive that can't do that ignores it; see `UploadAbilities.anyOrder`.
   */
  readonly anyOrder?: boolean
  /** What `complete` will get, without the conditions, and the kind of checksum that the object will have. */
  readonly attributes?: WriterAttributes
  readonly checksum?: Pick<StoredChecksum, 'algorithm' | 'type'> | undefined
}

export interface AppendOptions {
  /** Where the part begins: the number of committed bytes. */
  readonly offset: number
  /** The expected number of bytes, if known. */
  readonly size?: number
  readonly signal?: AbortSignal
}

/**
 * A part of an upload in any order. Any number of parts are written at the same time, by any process, without the
 * upload's lease, and a part may be sent again. So no two writes share bytes: each part goes to a separate file, or to a
 * region of the upload's common file that was given to nobody else (its slot). The caller stores the place that the
 * draft's `commit` returns, and from then on these bytes never change.
 */
export interface PlaceOptions {
  /** The part's number, 1 to 10,000: places have no order, but a server behind the drive may order parts by it. */
  readonly number: number
  /**
   * Where the slot begins in the common file. The part goes to a separate file if this is absent, or if the file system
   * does not accept a file of that length.
   */
  readonly offset?: number | undefined
  /** The expected number of bytes, if known. */
  readonly size?: number | undefined
}

/** A committed part. */
export interface PlacedPart {
  /** As `commit` returned it. Opaque to callers. */
  readonly place: string
  readonly size: number
}

/** How an upload in any order is completed. */
export interface PlacedParts {
  /** The object's bytes, in order. */
  readonly listed: readonly PlacedPart[]
  /** The places of the committed parts that are left out. */
  readonly others: readonly string[]
  /** Whether it is certain that no process can write to the common file any more. */
  readonly isQuiet: boolean
}

export interface TakeOverOptions {
  /** Whether it is certain that the former process has ended and that none of its writes can still arrive. */
  readonly isDead: boolean
}

/** A part as it was received. */
export interface PartDigest {
  readonly size: number
  /** Lower-case hexadecimal. */
  readonly md5: string
  readonly checksum?: StoredChecksum | undefined
}
