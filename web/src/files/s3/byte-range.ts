/** A part of an object: positions of its first and last byte. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}
