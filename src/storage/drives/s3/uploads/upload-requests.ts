import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { ChecksumAlgorithm } from '../../../../platform/checksums/checksum.ts'
import type { StoredChecksum, WriterAttributes } from '../../attributes.ts'
import type { ObjectName, WriteConditions } from '../../drive.ts'
import { DriveError } from '../../drive-error.ts'
import { conditionalWrite } from '../objects/conditional-write.ts'
import { headOf, type StoreObject } from '../objects/heads.ts'
import { fieldsOf } from '../objects/object-fields.ts'
import type { StoreContext } from '../probe/probe.ts'
import { answeredAtMs, bareEtag, longCallMs, withTrailer } from '../requests/store.ts'

/** A multipart upload of the store. */
export interface StoreUpload {
  readonly target: ObjectName
  /** The store's ID. */
  readonly uploadId: string
  /** The mark of the object that it becomes. */
  readonly mark: string
  /** The checksum algorithm of its parts. */
  readonly algorithm?: ChecksumAlgorithm | undefined
}

export interface NewUpload extends Pick<StoreUpload, 'target' | 'mark'> {
  readonly attributes: WriterAttributes
  readonly checksum?: Pick<StoredChecksum, 'algorithm' | 'type'> | undefined
}

/** @returns also whether it was sent again, so that another upload may have been created */
export async function createUpload(
  { store, names }: StoreContext,
  { target, mark, attributes, checksum }: NewUpload,
): Promise<{ readonly upload: StoreUpload; readonly wasRepeated: boolean }> {
  const command = new CreateMultipartUploadCommand({
    ...names.nameOf(target),
    ...fieldsOf(attributes, mark),
    ...(checksum && { ChecksumAlgorithm: checksum.algorithm, ChecksumType: checksum.type }),
  })
  const { UploadId = '', $metadata } = await store.send(command)
  const upload = { target, mark, uploadId: UploadId, algorithm: checksum?.algorithm }
  return { upload, wasRepeated: ($metadata.attempts ?? 1) > 1 }
}

export interface NewPart {
  readonly number: number
  readonly body: Uint8Array | Readable
  readonly size: number
  readonly trailer?: ChecksumAlgorithm | undefined
  readonly signal?: AbortSignal | undefined
}

/** @returns what Complete needs of the part */
export async function sendPart(
  { store, names }: StoreContext,
  { target, uploadId, algorithm }: StoreUpload,
  { number, body, size, trailer, signal }: NewPart,
): Promise<CompletedPart> {
  const isWhole = body instanceof Uint8Array
  const command = new UploadPartCommand({
    ...names.nameOf(target),
    ...{ UploadId: uploadId, PartNumber: number, Body: body, ContentLength: size },
    ...(isWhole ? algorithm && { ChecksumAlgorithm: algorithm } : withTrailer(trailer)),
  })
  // The sender of a stream has its own bounds.
  const limitMs = isWhole ? longCallMs : Number.POSITIVE_INFINITY
  const sent = await store.send(command, { signal, limitMs })
  const name = algorithm && (`Checksum${algorithm}` as const)
  return { PartNumber: number, ETag: bareEtag(sent.ETag), ...(name && { [name]: sent[name] }) }
}

export interface Completion {
  readonly parts: readonly CompletedPart[]
  readonly conditions: WriteConditions | undefined
  /**
   * Absent if no other process can complete it. Otherwise another process may have taken it over while this one was
   * suspended, and the key may have been written since: a late request must not overwrite that.
   */
  readonly assertHeld?: (() => void) | undefined
}

/** S3 requires at least one part. */
const emptyPart = { number: 10_000, body: Buffer.alloc(0), size: 0 }

/**
 * Makes the upload the object. May be repeated: the object's mark shows whether it is this upload.
 *
 * @throws DriveError `upload-gone` if the upload does not exist and has not become the object
 */
export async function completeStoreUpload(
  context: StoreContext,
  upload: StoreUpload,
  { parts, conditions, assertHeld }: Completion,
): Promise<StoreObject | undefined> {
  const { store, names } = context
  const { target, uploadId, mark } = upload
  const ofUpload = (found: StoreObject | undefined) => (found?.mark === mark ? found : undefined)
  return await conditionalWrite<StoreObject | undefined>(context, {
    ...{ target, conditions, resultOf: ofUpload },
    needs: { create: 'createUpload', replace: 'replaceUpload' },
    isPinned: assertHeld !== undefined,
    async send(native) {
      const Parts = parts.length > 0 ? [...parts] : [await sendPart(context, upload, emptyPart)]
      assertHeld?.()
      const command = new CompleteMultipartUploadCommand({
        ...names.nameOf(target),
        ...{ UploadId: uploadId, MultipartUpload: { Parts } },
        ...native,
      })
      const { VersionId } = await store.send(command, { limitMs: longCallMs })
      const isVersioned = context.versioningOf(target.bucket) !== undefined
      const versionId = isVersioned && VersionId ? VersionId : undefined
      return ofUpload(await headOf(context, { ...target, versionId }))
    },
  })
}

/** Succeeds if there is no such upload. */
export async function abortStoreUpload(
  { store, names }: StoreContext,
  { target, uploadId }: Pick<StoreUpload, 'target' | 'uploadId'>,
): Promise<void> {
  const command = new AbortMultipartUploadCommand({ ...names.nameOf(target), UploadId: uploadId })
  try {
    await store.send(command)
  } catch (error) {
    const isGone =
      error instanceof DriveError && ['upload-gone', 'no-bucket', 'not-found'].includes(error.kind)
    if (!isGone) throw error
  }
}

/** The store's uploads for this key with their start times, and the current time, all by the store's clock. */
export async function uploadsAt({ store, names }: StoreContext, target: ObjectName) {
  const { Bucket, Key } = names.nameOf(target)
  const command = new ListMultipartUploadsCommand({ Bucket, Prefix: Key })
  const output = await store.send(command)
  const uploads = (output.Uploads ?? []).filter((upload) => upload.Key === Key)
  const found = uploads.map(({ UploadId: uploadId = '', Initiated }) => {
    return { uploadId, atMs: Initiated?.getTime() ?? 0 }
  })
  return { found, storeNow: answeredAtMs(output) }
}
