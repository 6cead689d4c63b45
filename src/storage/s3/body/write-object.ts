import type { ChecksumAlgorithm } from '../../../platform/checksums/checksum.ts'
import type { ObjectMetadata, WriteConditions } from '../../drives/drive.ts'
import type { ObjectContext } from '../context.ts'
import { type SentAttributes, sentAttributes } from '../headers/object-headers.ts'
import type { PayloadDigest, PayloadSink } from './payload-writer.ts'

export interface NewObject {
  /** Number of bytes, if known. */
  readonly size: number | undefined
  readonly sent: SentAttributes
  readonly conditions: WriteConditions | undefined
  /** The algorithm of the checksum that `pour` will compute, if it is known. */
  readonly algorithm?: ChecksumAlgorithm | undefined
  /** Writes all bytes into the sink. If it rejects, the key stays as it was. */
  pour(sink: PayloadSink): Promise<PayloadDigest>
}

/** Makes bytes the object of the request's key, with their digests as its attributes. Resolves with what was written. */
export async function writeObject(
  { service, bucket, key }: ObjectContext,
  { size, sent, conditions, algorithm, pour }: NewObject,
): Promise<ObjectMetadata> {
  const draft = await service.drive.draft(bucket, key, {
    ...(size !== undefined && { size }),
    announced: { attributes: sentAttributes(sent), conditions, checksum: algorithm },
  })
  let digest: PayloadDigest
  try {
    digest = await pour(draft)
  } catch (error) {
    await draft.discard()
    throw error
  }
  const { md5Hex: etag, checksum } = digest
  const attributes = {
    ...sentAttributes(sent),
    etag,
    ...(checksum === undefined ? {} : { checksum }),
  }
  const published = await draft.publish(attributes, conditions)
  const { modifiedAtMs, versionId } = published
  const written = { ...attributes, etag: published.attributes.etag }
  return {
    ...{ size: digest.size, modifiedAtMs, attributes: written },
    ...(versionId !== undefined && { versionId }),
  }
}
