import type { IncomingHttpHeaders } from 'node:http'
import {
  type ChecksumAlgorithm,
  checksumAlgorithms,
  checksumBytes,
  checksumHeader,
  createChecksum,
} from '../../../platform/checksums/checksum.ts'
import { combineCrcs, type PartChecksum } from '../../../platform/checksums/combine-crcs.ts'
import type { HeaderFields } from '../../../platform/http/message.ts'
import type { StoredChecksum } from '../../drives/attributes.ts'
import { S3Error } from '../errors.ts'
import type { XmlChildren } from '../reply/xml.ts'

/** The digests that a request declares for its body. */
export interface ExpectedDigests {
  /** From Content-MD5, as lower-case hex. */
  readonly md5Hex: string | undefined
  readonly checksum: ExpectedChecksum | undefined
}

/** Without a value if it arrives as a trailer. */
type ExpectedChecksum = Pick<SentChecksum, 'algorithm'> & Partial<SentChecksum>

export interface SentChecksum {
  readonly algorithm: ChecksumAlgorithm
  /** Base64. */
  readonly value: string
}

const headerPrefix = 'x-amz-checksum-'
const otherHeaders = new Set(['algorithm', 'mode', 'type'].map((name) => headerPrefix + name))

/**
 * Reads Content-MD5, x-amz-checksum-*, x-amz-trailer and x-amz-sdk-checksum-algorithm.
 *
 * @throws S3Error InvalidDigest for a value that is not a digest; InvalidRequest for several checksums, an unknown
 *   algorithm, or an algorithm without its checksum
 */
export function expectedDigests(headers: IncomingHttpHeaders): ExpectedDigests {
  const checksum = expectedChecksum(headers)
  if (checksum === undefined && headers['x-amz-sdk-checksum-algorithm'] !== undefined) {
    // As AWS (API reference, PutObject): a lost checksum must not go unnoticed.
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  }
  const md5 = headers['content-md5']
  if (md5 === undefined) return { md5Hex: undefined, checksum }
  if (typeof md5 !== 'string' || !isDigest(md5, 16)) {
    throw new S3Error('InvalidDigest', 'The Content-MD5 you specified is not valid.')
  }
  return { md5Hex: Buffer.from(md5, 'base64').toString('hex'), checksum }
}

/**
 * The x-amz-checksum-* header of a request as received. Its form is not checked, because the checksum in a Complete may
 * end in `-` and the number of parts.
 *
 * @throws S3Error InvalidRequest for several headers or an unknown algorithm
 */
export function checksumHeaderOf(headers: IncomingHttpHeaders): SentChecksum | undefined {
  const name = onlyName(Object.keys(headers).filter(isChecksumName))
  const value = name === undefined ? undefined : headers[name]
  if (name === undefined || value === undefined) return undefined
  return { algorithm: algorithmOf(name.slice(headerPrefix.length)), value: String(value) }
}

/**
 * The algorithm and type that CreateMultipartUpload or CopyObject requests
 * (x-amz-checksum-algorithm and x-amz-checksum-type).
 *
 * @throws S3Error InvalidRequest if one is unknown or the two cannot be combined
 */
export function uploadChecksum(
  headers: IncomingHttpHeaders,
): Pick<StoredChecksum, 'algorithm' | 'type'> | undefined {
  const name = headers['x-amz-checksum-algorithm']
  const type = headers['x-amz-checksum-type']
  if (name === undefined) {
    if (type === undefined) return undefined
    throw new S3Error(
      'InvalidRequest',
      'The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header.',
    )
  }
  const algorithm = algorithmOf(String(name))
  const types = checksumTypes(algorithm)
  const requested = type === undefined ? types[0] : types.find((known) => known === type)
  if (requested !== undefined) return { algorithm, type: requested }
  throw new S3Error(
    'InvalidRequest',
    `The ${String(type)} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
  )
}

/** Whether a text is the base64 form of that many bytes. */
export function isDigest(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64')
  return decoded.length === bytes && decoded.toString('base64') === text
}

function expectedChecksum(headers: IncomingHttpHeaders): ExpectedChecksum | undefined {
  const sent = checksumHeaderOf(headers)
  const trailing = onlyName(trailerNames(headers['x-amz-trailer']).filter(isChecksumName))
  if (trailing !== undefined) {
    if (sent !== undefined) throw several()
    return { algorithm: algorithmOf(trailing.slice(headerPrefix.length)) }
  }
  if (sent !== undefined && !isDigest(sent.value, checksumBytes(sent.algorithm))) {
    throw notAChecksum(`${headerPrefix}${sent.algorithm.toLowerCase()} header`)
  }
  return sent
}

/** @param what the header or trailer whose value does not have the form of its algorithm */
export function notAChecksum(what: string): S3Error {
  const message = `Value for ${what} is invalid.`
  return new S3Error('InvalidDigest', message, { inAws: { code: 'InvalidRequest' } })
}

function trailerNames(header: string | string[] | undefined): string[] {
  if (header === undefined) return []
  return String(header)
    .split(',')
    .map((name) => name.trim().toLowerCase())
}

function isChecksumName(name: string): boolean {
  return name.startsWith(headerPrefix) && !otherHeaders.has(name)
}

function onlyName(names: readonly string[]): string | undefined {
  if (names.length > 1) throw several()
  return names[0]
}

function several(): S3Error {
  return new S3Error(
    'InvalidRequest',
    'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  )
}

function algorithmOf(name: string): ChecksumAlgorithm {
  const algorithm = checksumAlgorithms.find((known) => known === name.toUpperCase())
  if (algorithm !== undefined) return algorithm
  throw new S3Error(
    'InvalidRequest',
    `The checksum algorithm ${JSON.stringify(name.slice(0, 32))} is not supported; expected one of ${checksumAlgorithms.join(', ')}.`,
  )
}

/**
 * The checksum types of a multipart upload, the default first
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html). Others are COMPOSITE only.
 */
const types: Partial<Record<ChecksumAlgorithm, readonly StoredChecksum['type'][]>> = {
  CRC32: ['COMPOSITE', 'FULL_OBJECT'],
  CRC32C: ['COMPOSITE', 'FULL_OBJECT'],
  CRC64NVME: ['FULL_OBJECT'],
}

/** The types that a multipart upload may have with an algorithm, the default first. */
export function checksumTypes(algorithm: ChecksumAlgorithm): readonly StoredChecksum['type'][] {
  return types[algorithm] ?? ['COMPOSITE']
}

/**
 * The checksum of an object from those of its parts, in order. FULL_OBJECT is the checksum of all bytes, which only CRCs
 * allow. COMPOSITE is the checksum of the parts' digests, `-` and the number of parts.
 *
 * @throws S3Error InvalidRequest if the algorithm does not have the type
 */
export function checksumOfParts(
  algorithm: ChecksumAlgorithm,
  type: StoredChecksum['type'],
  parts: readonly PartChecksum[],
): StoredChecksum {
  if (!checksumTypes(algorithm).includes(type)) {
    throw new S3Error(
      'InvalidRequest',
      `The ${type} checksum type cannot be used with the ${algorithm} checksum algorithm.`,
    )
  }
  const value = type === 'COMPOSITE' ? composite(algorithm, parts) : combineCrcs(algorithm, parts)
  return { algorithm, type, value }
}

function composite(algorithm: ChecksumAlgorithm, parts: readonly PartChecksum[]): string {
  const hasher = createChecksum(algorithm)
  for (const { value } of parts) hasher.update(Buffer.from(value, 'base64'))
  return `${hasher.digest().toString('base64')}-${parts.length}`
}

/** `x-amz-checksum-…: value`, and x-amz-checksum-type for an object. */
export function checksumHeaders(
  checksum: StoredChecksum | undefined,
  of: 'object' | 'part',
): HeaderFields {
  if (checksum === undefined) return []
  const { algorithm, value, type } = checksum
  const header = [checksumHeader(algorithm), value] as const
  return of === 'part' ? [header] : [header, ['x-amz-checksum-type', type]]
}

/** `<ChecksumCRC32>value</…>`, and ChecksumType for an object. */
export function checksumElements(
  checksum: StoredChecksum | undefined,
  of: 'object' | 'part',
): XmlChildren {
  if (checksum === undefined) return {}
  const { algorithm, value, type } = checksum
  const element = { [`Checksum${algorithm}`]: value }
  return of === 'part' ? element : { ...element, ChecksumType: type }
}
