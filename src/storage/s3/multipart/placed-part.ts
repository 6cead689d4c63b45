import type { ChecksumAlgorithm } from '../../../platform/checksums/checksum.ts'
import { isOwnerDeadHere, newLeaseOwner } from '../../../platform/process/lease-owner.ts'
import type { PartDraft } from '../../drives/drive.ts'
import { DriveError } from '../../drives/drive-error.ts'
import type { PlacedParts } from '../../drives/upload-abilities.ts'
import type { PayloadDigest, PayloadSink } from '../body/payload-writer.ts'
import type { S3Error } from '../errors.ts'
import { type Completion, etagOfParts } from './completion.ts'
import type { PartSource } from './early-part.ts'
import type { PartWriterName } from './placed-part-table.ts'
import type { UploadContext } from './upload-context.ts'
import {
  decodeTarget,
  detailsOf,
  encodePart,
  noSuchUpload,
  slowDown,
  type UploadedPart,
  uploadedPart,
} from './upload-records.ts'
import type { UploadRow, UploadTable } from './upload-table.ts'

/**
 * The maximum size of a part in S3. It bounds the offset of a slot, which depends on sizes and numbers that clients
 * choose.
 */
const maxSlotBytes = 5 * 1024 ** 3

/**
 * Writes a part of an upload in any order. Any number of requests may do so at the same time, in any process, even
 * for the same part: the last commit counts, as on AWS.
 *
 * @throws S3Error NoSuchUpload, SlowDown, and whatever the source throws
 */
export async function placePart(
  context: UploadContext,
  upload: UploadRow,
  { number, source }: { readonly number: number; readonly source: PartSource },
): Promise<UploadedPart> {
  const { drive, table } = context
  const { id: uploadId, driveState } = upload
  const name = { uploadId, number, writer: newLeaseOwner() }
  const offset = await claimSlot(context, upload, name, source.size)
  let written = 0
  try {
    const draft = await drive.uploads.place?.(driveState, {
      ...{ number, offset, size: source.size },
    })
    if (draft === undefined) throw new TypeError('the drive accepts parts only in order')
    const digest = await pour(draft, source, {
      algorithm: detailsOf(upload).checksum?.algorithm,
      onBytes: (count) => {
        written += count
      },
    })
    const place = await draft.commit()
    const part = uploadedPart(number, digest, context.now())
    const replaced = await table.placed.commit(name, { ...encodePart(part), place })
    if (replaced === undefined) {
      await removePlaces(context, upload, [place])
      throw await refusal(table, uploadId)
    }
    await removePlaces(context, upload, replaced)
    return part
  } catch (error) {
    // Nothing more is written. If that is not recorded, a Complete must assume that this process is still writing.
    if (offset !== undefined) {
      await table.placed.endClaim(name, written).catch(() => undefined)
      // Without this, other requests could use the quota of these bytes until the table is read again.
      context.onLostBytes?.(decodeTarget(upload.target).bucket, written)
    }
    const isGone = error instanceof DriveError && error.kind === 'upload-gone'
    throw isGone ? await refusal(table, uploadId) : error
  }
}

/** Returns the parts that a Complete lists. The upload is in `completing`, so no part can be added or replaced. */
export async function placedParts(
  { table }: UploadContext,
  upload: UploadRow,
  { completion, numbers }: { readonly completion: Completion; readonly numbers: readonly number[] },
): Promise<PlacedParts> {
  const rows = await table.placed.parts(upload.id)
  const isListed = new Set(numbers)
  const listed = rows.filter(({ number }) => isListed.has(number))
  // Another Complete may have begun and failed since the list was checked.
  if (etagOfParts(listed) !== completion.attributes.etag) {
    throw slowDown('The parts have changed. Send the request again.')
  }
  const writers = await table.placed.writers(upload.id)
  return {
    listed,
    others: rows.filter(({ number }) => !isListed.has(number)).map(({ place }) => place),
    isQuiet: writers.every(isOwnerDeadHere),
  }
}

/** Returns the offset of the slot that this request may write, if any. */
async function claimSlot(
  { drive, table }: UploadContext,
  { driveState, slotSize }: UploadRow,
  name: PartWriterName,
  size: number | undefined,
): Promise<number | undefined> {
  const { anyOrder } = drive.uploads.abilities(driveState)
  const maxBytes = anyOrder?.slots ? slotSize || maxSlotBytes : 0
  if (!size || size > maxBytes) return undefined
  const claim = await table.placed.claim(name, size)
  if (claim.kind === 'not open') throw await refusal(table, name.uploadId)
  return claim.kind === 'slot' ? claim.offset : undefined
}

async function pour(
  draft: PartDraft,
  source: PartSource,
  options: {
    readonly algorithm: ChecksumAlgorithm | undefined
    readonly onBytes: (count: number) => void
  },
): Promise<PayloadDigest> {
  const sink: PayloadSink = {
    write(chunk) {
      options.onBytes(chunk.length)
      return draft.write(chunk)
    },
  }
  try {
    return await source.pour(sink, options.algorithm)
  } catch (error) {
    await draft.discard()
    throw error
  }
}

/** Removes bytes that nothing refers to. Bytes that cannot be removed now are removed with the upload. */
async function removePlaces(
  { drive, log }: UploadContext,
  upload: UploadRow,
  places: readonly string[],
): Promise<void> {
  for (const place of places) {
    await drive.uploads.removePlace?.(upload.driveState, place).catch((err: unknown) => {
      log.warn({ err, uploadId: upload.id }, 'could not remove a replaced part')
    })
  }
}

/** Returns why the upload does not accept a part now. */
async function refusal(table: UploadTable, uploadId: string): Promise<S3Error> {
  const upload = await table.find(uploadId)
  return upload?.phase === 'open' || upload?.phase === 'completing'
    ? slowDown(
        'The upload is being completed, or another process took it over. Send the part again.',
      )
    : noSuchUpload(uploadId)
}
