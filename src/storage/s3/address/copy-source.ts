import type { ChecksumAlgorithm } from '../../../platform/checksums/checksum.ts'
import type { HttpRequest } from '../../../platform/http/message.ts'
import { BodyReading } from '../../../platform/http/read-body.ts'
import { canSeeBucket, isAuthorized } from '../../access/authorize.ts'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import type { Attributes } from '../../drives/attributes.ts'
import type { ObjectMetadata, ObjectName, OpenObject } from '../../drives/drive.ts'
import { isLegalKey } from '../../drives/kit/names/key-path.ts'
import { lendRange } from '../../drives/lend-range.ts'
import type { VersionOptions } from '../../drives/versions.ts'
import { bodyFailure, hasBody } from '../body/payload.ts'
import { type PayloadDigest, PayloadDigester, type PayloadSink } from '../body/payload-writer.ts'
import { assertMayReadPrivate } from '../configuration/private-objects.ts'
import { concernsVersions, hasVersions, isOpenByPolicy } from '../configuration/public-access.ts'
import type { ObjectContext, S3Service } from '../context.ts'
import { absentBucket, invalidArgument, quoted, S3Error } from '../errors.ts'
import { evaluateReadConditions, readConditions } from '../headers/preconditions.ts'
import type { ObjectRange } from '../headers/range.ts'
import { versionToUse } from '../versions.ts'
import { percentDecode } from './query.ts'

/** Refuses a body, because a copy gets its bytes from its source. @throws S3Error UnexpectedContent, IncompleteBody, RequestTimeout */
export async function refuseBody(request: HttpRequest): Promise<void> {
  if (!hasBody(request.headers)) return
  request.acceptBody()
  const take = () => {
    throw new S3Error('UnexpectedContent')
  }
  await new BodyReading(request, { idleTimeoutMs: 60_000, take }).done.catch((error: unknown) => {
    throw bodyFailure(error)
  })
}

const versionPattern = /\?versionId=([^?]*)$/

export interface CopySource {
  readonly source: ObjectName & VersionOptions
  /** Whether the sender may read its tags, which a policy allows separately. */
  readonly showsTags: boolean
  /** @throws S3Error AccessDenied as assertMayReadObject */
  readonly assertMayRead: (attributes: Attributes) => void
}

/**
 * The object that x-amz-copy-source names: `bucket/key`, percent-encoded once, with an optional slash before it and
 * `?versionId=ID` after it (API reference, CopyObject). AWS also reads `+` as a space (compatibility.ts,
 * `copySourcePluses`), which s5cmd sends.
 *
 * @throws S3Error InvalidArgument if it names no object or version, AccessDenied if the source may not be read
 */
export function copySourceOf({ request, service, identity }: ObjectContext): CopySource {
  const header = String(request.headers['x-amz-copy-source'])
  // A signature covers several spaces or a tab as one space, which would be another key.
  if (/ {2}|\t/.test(header)) {
    throw invalidSource('Copy Source must be URL-encoded: write each space as %20.', header)
  }
  const version = versionPattern.exec(header)
  const encoded = version === null ? header : header.slice(0, version.index)
  const hasSpaces = service.compatibility.copySourcePluses
  const path = percentDecode(hasSpaces ? encoded.replaceAll('+', ' ') : encoded)
  const [, bucket = '', key = ''] = /^\/?([^/]+)\/(.+)$/s.exec(path) ?? []
  const configuration = service.buckets.find(bucket)
  const versionId = versionIn(service, configuration ?? { name: bucket, isPublic: false }, header)
  if (!isLegalKey(key)) {
    throw invalidSource(
      'Copy Source must mention the source bucket and key: sourcebucket/sourcekey',
      header,
    )
  }
  const asked = {
    policy: 's3:GetObject',
    key,
    prefix: undefined,
    hasVersion: version !== null,
  } as const
  const isPublic = configuration?.isPublic === true
  const isOfVersion = concernsVersions(configuration, version !== null)
  const mayRead = isAuthorized(identity, { action: 'read', bucket, key, isPublic, isOfVersion })
  if (!configuration || !(mayRead || isOpenByPolicy(configuration, asked))) {
    const maySee = configuration === undefined && canSeeBucket(identity, bucket)
    throw new S3Error('AccessDenied', `Access to the source ${quoted(path)} is not allowed.`, {
      inAws: maySee ? absentBucket(bucket) : undefined,
    })
  }
  const tagging = { ...asked, policy: 's3:GetObjectTagging' } as const
  return {
    source: { bucket, key, versionId },
    showsTags: mayRead || isOpenByPolicy(configuration, tagging),
    assertMayRead: (attributes) => {
      const hasVersion = version !== null
      const read = { service, identity, configuration, key, hasVersion }
      assertMayReadPrivate(read, attributes, 's3:GetObject')
    },
  }
}

function versionIn(service: S3Service, configuration: BucketConfiguration, header: string) {
  const [, id] = versionPattern.exec(header) ?? []
  const requested = id !== undefined && hasVersions(configuration) ? percentDecode(id) : id
  const sent = { name: 'x-amz-copy-source', value: header }
  return versionToUse(service, configuration, requested, sent)
}

function invalidSource(message: string, header: string): S3Error {
  return invalidArgument('x-amz-copy-source', header, message)
}

/**
 * Evaluates x-amz-copy-source-if-*. A copy whose source is not modified fails with 412 (API reference, CopyObject).
 *
 * @throws S3Error PreconditionFailed
 */
export function assertSourceConditions({ request }: ObjectContext, metadata: ObjectMetadata): void {
  const conditions = readConditions(request.headers, 'x-amz-copy-source-')
  if (conditions === undefined || evaluateReadConditions(conditions, metadata) === 'met') return
  throw new S3Error('PreconditionFailed')
}

export interface PourOptions {
  readonly range: ObjectRange
  /** A checksum to compute. */
  readonly algorithm: ChecksumAlgorithm | undefined
  /** Aborts if the client has disconnected. */
  readonly signal: AbortSignal
}

/** Writes a range of an open object to a sink, and hashes each chunk meanwhile. */
export async function pourObject(
  object: OpenObject,
  sink: PayloadSink,
  { range, algorithm, signal }: PourOptions,
): Promise<PayloadDigest> {
  const digester = new PayloadDigester(algorithm)
  if (range.start === range.end) return digester.digest()
  await lendRange(object, range, async (chunk) => {
    if (signal.aborted)
      throw new S3Error('IncompleteBody', 'The client closed the connection during the copy.')
    const writing = sink.write(chunk)
    digester.update(chunk)
    await writing
  })
  return digester.digest()
}
