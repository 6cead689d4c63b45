import type { IncomingHttpHeaders } from 'node:http'
import { S3Error } from '../errors.ts'

/** Whether this value requests something that is not supported. */
type Refusal = (value: string, bucket: { readonly isPublic: boolean }) => boolean

const always: Refusal = () => true
const unless =
  (harmless: string): Refusal =>
  (value) =>
    value.toUpperCase() !== harmless

/** Everything belongs to the one owner, so these grant nothing new. */
const harmlessAcls: ReadonlySet<string> = new Set([
  'private',
  'bucket-owner-read',
  'bucket-owner-full-control',
])

/**
 * Header fields of writes that request what the drive cannot keep. They get 501: if they were
 * ignored, a client would believe that its data is encrypted, locked or private.
 */
const refusals: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
  [
    'x-amz-acl',
    (acl, bucket) => !harmlessAcls.has(acl) && !(acl === 'public-read' && bucket.isPublic),
  ],
  ['x-amz-grant-full-control', always],
  ['x-amz-grant-read', always],
  ['x-amz-grant-read-acp', always],
  ['x-amz-grant-write', always],
  ['x-amz-grant-write-acp', always],
  ['x-amz-object-lock-legal-hold', unless('OFF')],
  ['x-amz-object-lock-mode', always],
  ['x-amz-object-lock-retain-until-date', always],
  ['x-amz-server-side-encryption', always],
  ['x-amz-server-side-encryption-aws-kms-key-id', always],
  ['x-amz-server-side-encryption-bucket-key-enabled', unless('FALSE')],
  ['x-amz-server-side-encryption-context', always],
  ['x-amz-server-side-encryption-customer-algorithm', always],
  ['x-amz-server-side-encryption-customer-key', always],
  ['x-amz-server-side-encryption-customer-key-md5', always],
  ['x-amz-copy-source-server-side-encryption-customer-algorithm', always],
  ['x-amz-copy-source-server-side-encryption-customer-key', always],
  ['x-amz-copy-source-server-side-encryption-customer-key-md5', always],
  ['x-amz-storage-class', unless('STANDARD')],
  ['x-amz-tagging', always],
  ['x-amz-website-redirect-location', always],
  // An append to a directory bucket's object: treated as a PUT it would overwrite the object.
  ['x-amz-write-offset-bytes', always],
])

/**
 * Refuses a PutObject, CreateMultipartUpload, UploadPart or CopyObject that asks for what the drive
 * cannot keep. Call it before the body is read.
 *
 * @throws S3Error NotImplemented that names the header field.
 */
export function refuseWhatCannotBeKept(
  headers: IncomingHttpHeaders,
  isPublicBucket: boolean,
): void {
  for (const name in headers) {
    if (!name.startsWith('x-amz-')) continue
    const isRefused = refusals.get(name)
    if (isRefused?.(String(headers[name]), { isPublic: isPublicBucket })) {
      throw new S3Error(
        'NotImplemented',
        'A header you provided implies functionality that is not implemented.',
        { elements: { Header: name } },
      )
    }
  }
}
