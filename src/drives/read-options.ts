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

export interface OpenOptions extends HeadOptions {
  /** All bytes will be read, once: a drive on a server may ask for them at once. */
  readonly isWhole?: boolean
  /**
   * Set for reads that are sent to a client. Absent for the gateway's own reads, such as for a
   * copy: they count as `normal` and are never ended for being slow.
   */
  readonly priority?: ReadPriority
}
