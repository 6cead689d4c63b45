import type { AccessKeys } from '../../access/access-keys.ts'
import type { S3Settings } from '../context.ts'

/** What signatures are checked with. */
export interface SignatureSettings extends Pick<S3Settings, 'region' | 'regions' | 'publicUrl'> {
  readonly keys: Pick<AccessKeys, 'find'>
  /** The bucket, if the host names it. */
  readonly hostBucket?: string | undefined
  /** Whether Signature Version 2 is accepted. */
  readonly versionTwo?: boolean
  /** Whether the header Date may stand for x-amz-date. */
  readonly dateHeaders?: boolean
  /** Whether what a signature says of the body is kept, to be verified when the body is read. */
  readonly signedBodies?: boolean
}
