/** Why a bucket was not made or removed. */
export type BucketErrorKind =
  | 'invalid-name'
  /** It is served already. */
  | 'exists'
  /** The drive has a folder of this name, with content, that is no bucket. */
  | 'folder-exists'
  | 'too-many'
  | 'no-bucket'
  /** Only the settings can change it. */
  | 'from-settings'
  /** Other buckets are being made or removed. */
  | 'busy'

/** The message is for people. */
export class BucketError extends Error {
  readonly kind: BucketErrorKind

  constructor(kind: BucketErrorKind, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.name = 'BucketError'
    this.kind = kind
  }
}
