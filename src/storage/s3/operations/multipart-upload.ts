import type { HttpReply } from '../../../platform/http/message.ts'
import type { CopySource, Drive } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import {
  assertSourceConditions,
  copySourceOf,
  type PourOptions,
  pourObject,
  type CopySource as ReadableSource,
  refuseBody,
} from '../address/copy-source.ts'
import { readPayload, requiredSize } from '../body/payload.ts'
import type { PayloadDigest, PayloadSink } from '../body/payload-writer.ts'
import { bytesToGiveBack, partWithinQuota } from '../configuration/quota.ts'
import type { ObjectContext } from '../context.ts'
import { invalidArgument } from '../errors.ts'
import { checksumElements, checksumHeaders, uploadChecksum } from '../headers/checksum-headers.ts'
import { sentLockAttributes } from '../headers/lock-headers.ts'
import { attributesFromHeaders } from '../headers/object-headers.ts'
import { quoteEtag } from '../headers/preconditions.ts'
import type { ObjectRange } from '../headers/range.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'
import { partNumberOf, uploadNameOf } from '../multipart/part-request.ts'
import { xmlReply, xmlTimestamp } from '../reply/xml.ts'
import { missingSource, sourceVersionFields } from '../versions.ts'

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html */
export async function createMultipartUpload(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket, key, identity } = context
  const { headers } = request
  refuseWhatCannotBeKept(context)
  const checksum = uploadChecksum(headers)
  const startedBy = identity.kind === 'key' ? { startedBy: identity.accessKeyId } : {}
  const lock = await sentLockAttributes(context)
  const sent = { ...attributesFromHeaders(headers), ...service.acls.ofObject(headers), ...lock }
  const details = { ...sent, checksum, ...startedBy }
  const uploadId = await service.uploads.create({ bucket, key }, details)
  return xmlReply(
    'InitiateMultipartUploadResult',
    { Bucket: bucket, Key: key, UploadId: uploadId },
    checksum === undefined
      ? []
      : [
          ['x-amz-checksum-algorithm', checksum.algorithm],
          ['x-amz-checksum-type', checksum.type],
        ],
  )
}

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html. Unlike AWS, parts come in
 * order (docs/contract/object-storage.md, "Part order"): the body is not read, and `100 Continue`
 * not sent, before it is the part's turn or there is memory to hold it until then. Uploads in any order
 * (compatibility.ts, `unorderedParts`) have no turns.
 */
export async function uploadPart(context: ObjectContext): Promise<HttpReply> {
  const { service, request } = context
  const number = partNumberOf(context)
  refuseWhatCannotBeKept(context)
  const size = requiredSize(request, service.compatibility)
  const name = uploadNameOf(context)
  const added = { uploadId: name.uploadId, number, size }
  const part = await partWithinQuota(context, added, (counted) =>
    service.uploads.writePart(name, number, {
      size,
      signal: request.signal,
      pour: (sink, algorithm) => readPayload(request, counted(sink), { size, algorithm }),
    }),
  )
  return {
    status: 200,
    headers: [['ETag', quoteEtag(part.etag)], ...checksumHeaders(part.checksum, 'part')],
  }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPartCopy.html */
export async function uploadPartCopy(context: ObjectContext): Promise<HttpReply> {
  const { service, request } = context
  const { drive, uploads } = service
  const number = partNumberOf(context)
  refuseWhatCannotBeKept(context)
  const copied = copySourceOf(context)
  const { source, assertMayRead } = copied
  await refuseBody(request)
  const metadata = await drive.head(source.bucket, source.key, { versionId: source.versionId })
  if (metadata === undefined || metadata.isDeleteMarker) throw missingSource(source, metadata)
  assertMayRead(metadata.attributes)
  assertSourceConditions(context, metadata)
  const range = copyRange(request.headers['x-amz-copy-source-range'], metadata.size)
  const name = uploadNameOf(context)
  const size = range.end - range.start
  const { signal } = request
  const pinned = { ...copied, source: { ...source, etag: metadata.attributes.etag } }
  const part = await partWithinQuota(context, { uploadId: name.uploadId, number, size }, () =>
    uploads.writePart(name, number, {
      ...{ size, signal },
      pour: (sink, algorithm) => pourVersion(drive, pinned, sink, { range, algorithm, signal }),
    }),
  )
  const content = {
    LastModified: xmlTimestamp(part.modifiedAtMs),
    ETag: quoteEtag(part.etag),
    ...checksumElements(part.checksum, 'part'),
  }
  return xmlReply('CopyPartResult', content, sourceVersionFields(metadata))
}

/**
 * The source is opened only when it is the part's turn, so that waiting parts keep no file open. Its ACL may have changed
 * meanwhile, which changes no ETag.
 */
async function pourVersion(
  drive: Drive,
  {
    source,
    assertMayRead,
  }: Pick<ReadableSource, 'assertMayRead'> & { readonly source: CopySource },
  sink: PayloadSink,
  options: PourOptions,
): Promise<PayloadDigest> {
  const object = await drive.open(source.bucket, source.key, { versionId: source.versionId })
  try {
    if (object?.attributes.etag !== source.etag) {
      throw new DriveError('changed', `${source.bucket}/${source.key} changed during the copy`)
    }
    assertMayRead(object.attributes)
    return await pourObject(object, sink, options)
  } finally {
    await object?.close()
  }
}

/**
 * `bytes=first-last`, zero-based, both required and within the source. Unlike the Range of a read,
 * it is never ignored (API reference, UploadPartCopy).
 *
 * @throws S3Error InvalidArgument.
 */
function copyRange(header: string | string[] | undefined, size: number): ObjectRange {
  if (header === undefined) return { start: 0, end: size }
  const text = String(header)
  const [, first = '', last = ''] = /^bytes=(\d{1,15})-(\d{1,15})$/.exec(text) ?? []
  const refusal = (message: string) => invalidArgument('x-amz-copy-source-range', text, message)
  if (first === '' || Number(first) > Number(last)) {
    throw refusal(
      'The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy',
    )
  }
  if (Number(last) >= size) {
    throw refusal(`Range specified is not valid for source object of size: ${size}`)
  }
  return { start: Number(first), end: Number(last) + 1 }
}

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_AbortMultipartUpload.html */
export async function abortMultipartUpload(context: ObjectContext): Promise<HttpReply> {
  const { service, request, bucket } = context
  const name = uploadNameOf(context)
  const bytes = await bytesToGiveBack(context, name.uploadId)
  await service.uploads.abort(name, request.signal)
  service.usage.addedParts(bucket, -bytes)
  return { status: 204, headers: [] }
}
