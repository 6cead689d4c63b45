import type { IncomingHttpHeaders } from 'node:http'
import type { Compatibility } from '../compatibility.ts'
import { keepsTags } from '../configuration/tagging-document.ts'
import type { ObjectContext } from '../context.ts'
import { headerNotImplemented, type S3ErrorOptions, withoutLock } from '../errors.ts'
import { claimHint, type EncryptionMode, isClaimedEncryption } from './encryption.ts'
import { lockFields } from './lock-headers.ts'

/** Whether this value requests something unsupported. */
type Refusal = (value: string) => boolean

const always: Refusal = () => true
const unless =
  (harmless: string): Refusal =>
  (value) =>
    value.toUpperCase() !== harmless

/**
 * Header fields of writes that request what the drive cannot store. They get 501, because a client would otherwise
 * believe that its data is encrypted or locked. ACLs are in configuration/acls.ts.
 */
const refusals: ReadonlyMap<string, Refusal> = new Map<string, Refusal>([
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
  // Appends to an object of a directory bucket, and would overwrite the object here.
  ['x-amz-write-offset-bytes', always],
])

/** The fields of the table that some settings store with the object. */
const keptInAws: Readonly<Record<string, (compatibility: Compatibility) => boolean>> = {
  'x-amz-storage-class': (compatibility) => compatibility.storageClasses,
  'x-amz-tagging': keepsTags,
}

/**
 * Refuses a PutObject, CreateMultipartUpload, UploadPart or CopyObject that requests what cannot be stored. Call it before
 * reading the body.
 *
 * @throws S3Error NotImplemented, which names the header field; for an ACL as Acls.checkHeaders
 */
export function refuseWhatCannotBeKept(context: ObjectContext): void {
  const { service, request, query, configuration } = context
  service.acls.checkHeaders(request.headers, configuration)
  // Parts have no locks: those of an upload are sent when it is created.
  const isLockable = configuration.objectLock !== undefined && !query.has('uploadId')
  const isKept = (name: string) =>
    lockFields.has(name) ? isLockable : keptInAws[name]?.(service.compatibility) === true
  const inAws = configuration.objectLock === undefined ? withoutLock : undefined
  const { serverSideEncryption } = service.settings
  refuseUnsupportedHeaders(request.headers, serverSideEncryption, { isKept, ofLock: { inAws } })
}

interface RefusalOptions {
  readonly isKept?: (name: string) => boolean
  /** Of the error for a header of Object Lock. */
  readonly ofLock?: Pick<S3ErrorOptions, 'inAws'>
}

/** As `refuseWhatCannotBeKept`, without ACLs. */
export function refuseUnsupportedHeaders(
  headers: IncomingHttpHeaders,
  encryption: EncryptionMode,
  { isKept = () => false, ofLock = {} }: RefusalOptions = {},
): void {
  for (const name in headers) {
    if (!name.startsWith('x-amz-') || isKept(name)) continue
    const value = String(headers[name])
    if (!refusals.get(name)?.(value) || isClaimedEncryption(encryption, name, value)) continue
    const hint = isClaimedEncryption('claim', name, value) ? claimHint : ''
    throw headerNotImplemented(name, hint, lockFields.has(name) ? ofLock : {})
  }
}
