export interface HeadOptions {
  /**
   * Of this part the caller needs the range. A drive with `ownEtags` asks its server for it: then `partSizes` has the
   * right number of parts and this one, and of the parts before and after only the sum.
   */
  readonly partNumber?: number | undefined
  /** The caller accepts provisional attributes and does not store them. */
  readonly acceptsProvisional?: true
}

/**
 * `low`: may use only a part of the drive's concurrent reads, and is ended first in favour of
 * others. Has no effect on drives that do not limit concurrent reads.
 */
export type ReadPriority = 'normal' | 'low'

/** From `start`, below 0 from the end of the object, up to but not including `end`, which is infinite for all that follow. */
export interface WantedBytes {
  readonly start: number
  readonly end: number
}

export interface OpenOptions extends HeadOptions {
  /** What will be read, once, as far as the object has it: a drive on a server may ask for these bytes at once. */
  readonly wanted?: WantedBytes | undefined
  /**
   * Set for reads that are sent to a client. Absent for the gateway's own reads, such as for a
   * copy: they count as `normal` and are never ended for being slow.
   */
  readonly priority?: ReadPriority
}
