import type { HttpReply } from '../../../platform/http/message.ts'

/**
 * SERVER_SIDE_ENCRYPTION. Bucketry encrypts nothing.
 *
 * - `refuse`: a request for encryption is refused (docs/contract/object-storage.md, "Bucket operations")
 * - `claim`: AES256 is accepted and returned, because the operator encrypts the disk
 */
export type EncryptionMode = 'refuse' | 'claim'

/** For a client that insists on encryption, such as Terraform with `encrypt = true`. */
export const claimHint =
  'To accept AES256 for a disk that is encrypted, set SERVER_SIDE_ENCRYPTION=claim on the gateway.'

const name = 'x-amz-server-side-encryption'

/** Operations whose replies have the field on AWS (API reference, each operation, "Response Elements"). */
const operations: ReadonlySet<string | undefined> = new Set([
  'CompleteMultipartUpload',
  'CopyObject',
  'CreateMultipartUpload',
  'GetObject',
  'HeadObject',
  'PostObject',
  'PutObject',
  'UploadPart',
  'UploadPartCopy',
])

/** Adds the claimed encryption to a reply. */
export function withEncryption(
  reply: HttpReply,
  mode: EncryptionMode,
  operation: string | undefined,
): HttpReply {
  if (mode !== 'claim' || reply.status >= 300 || !operations.has(operation)) return reply
  return { ...reply, headers: [...reply.headers, [name, 'AES256']] }
}

/** Whether this header field requests the claimed encryption. */
export function isClaimedEncryption(mode: EncryptionMode, header: string, value: string): boolean {
  return mode === 'claim' && header === name && value === 'AES256'
}
