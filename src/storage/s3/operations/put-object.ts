import type { HttpReply } from '../../../platform/http/message.ts'
import { DriveError } from '../../drives/drive-error.ts'
import { assertConditions } from '../../drives/write-conditions.ts'
import { readPayload, requiredSize } from '../body/payload.ts'
import type { PayloadDigest, PayloadSink } from '../body/payload-writer.ts'
import { type NewObject, writeObject } from '../body/write-object.ts'
import { withinQuota } from '../configuration/quota.ts'
import type { ObjectContext } from '../context.ts'
import { S3Error } from '../errors.ts'
import {
  checksumHeaders,
  type ExpectedDigests,
  expectedDigests,
} from '../headers/checksum-headers.ts'
import { lockAttributes } from '../headers/lock-headers.ts'
import { attributesFromHeaders } from '../headers/object-headers.ts'
import { quoteEtag } from '../headers/preconditions.ts'
import { refuseWhatCannotBeKept } from '../headers/unsupported-headers.ts'
import { expirationHeaders, expiringObject } from '../reply/object-reply.ts'
import { versionFields } from '../versions.ts'
import { conditionsOf, mayRepeat, storedBefore } from '../write-once.ts'

/**
 * From this size on, conditions are also checked before the body is read: a refusal then saves the transfer. A smaller
 * body arrives in less time than a remote drive takes to answer a `head`, and the drive checks when it publishes
 * anyway.
 */
const earlyCheckBytes = 1024 * 1024

/** https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html */
export async function putObject(context: ObjectContext): Promise<HttpReply> {
  const { service, request } = context
  const size = requiredSize(request, service.compatibility)
  const pour: PourObject = (sink, expected) => readPayload(request, sink, { size, expected })
  return await storeObject(context, { size, pour })
}

/** As NewObject.pour, for a payload that must have these digests. */
export type PourObject = (
  sink: PayloadSink,
  expected: ExpectedDigests,
) => ReturnType<NewObject['pour']>

/** Whether a write may have been refused before its conditions were checked: no space, or a store without conditions. */
function isRefusedUnchecked(error: unknown): boolean {
  if (error instanceof S3Error) return error.code === 'QuotaExceeded'
  return error instanceof DriveError && (error.kind === 'full' || error.kind === 'not-implemented')
}

/** Writes an object with the attributes and conditions in the headers of the request. */
export async function storeObject(
  context: ObjectContext,
  { size, pour }: { readonly size: number | undefined; readonly pour: PourObject },
): Promise<HttpReply> {
  const { service, request, bucket, key } = context
  refuseWhatCannotBeKept(context)
  const { headers } = request
  const lock = await lockAttributes(context)
  const sent = { ...attributesFromHeaders(headers), ...service.acls.ofObject(headers), ...lock }
  const conditions = conditionsOf(context)
  let received: PayloadDigest | undefined
  const checkConditions = async () => {
    const current = await service.drive.head(bucket, key)
    // The bytes show whether the object is the one that is sent again.
    if (current?.size === size && mayRepeat(context)) return
    assertConditions({ bucket, key }, current?.attributes.etag, conditions)
  }
  const isEarly = conditions !== undefined && (size ?? earlyCheckBytes) >= earlyCheckBytes
  if (isEarly) await checkConditions()
  const writing = withinQuota(context, size, async (counted) => {
    const expected = expectedDigests(request.headers)
    const written = await writeObject(context, {
      ...{ size, sent, conditions, algorithm: expected.checksum?.algorithm },
      pour: async (sink) => {
        received = await pour(counted(sink), expected)
        return received
      },
    })
    service.usage.wrote(bucket, written.size)
    return written
  })
  const object = await writing.catch(async (error: unknown) => {
    // A client that repeats a write whose reply was lost must learn that the object is there, also on a full drive.
    if (conditions !== undefined && !isEarly && isRefusedUnchecked(error)) await checkConditions()
    const stored = await storedBefore(context, { sent, received }, error)
    if (stored === undefined) throw error
    return stored
  })
  const { attributes } = object
  return {
    status: 200,
    headers: [
      ['ETag', quoteEtag(attributes.etag)],
      ...versionFields(object),
      ...checksumHeaders(attributes.checksum, 'object'),
      ...expirationHeaders(expiringObject(context), object),
    ],
  }
}
