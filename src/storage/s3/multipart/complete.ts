import type { ObjectMetadata } from '../../drives/drive.ts'
import { type Completion, type CompletionRequest, planCompletion } from './completion.ts'
import { isAbandoned, type Lease } from './lease.ts'
import { placedParts } from './placed-part.ts'
import type { UploadContext } from './upload-context.ts'
import {
  decodePart,
  decodeTarget,
  detailsOf,
  findUpload,
  leaseLost,
  noSuchUpload,
  slowDown,
  type UploadName,
  unlessGone,
} from './upload-records.ts'
import type { UploadRow } from './upload-table.ts'
import { livenessCheckMs } from './upload-watch.ts'

/** The maximum number of parts of an upload. */
const allParts = 10_000

/** What to publish, and its JSON in the upload's row. */
interface Plan {
  readonly completion: Completion
  readonly text: string
  /** The numbers of the parts. */
  readonly numbers: readonly number[]
}

/** A Complete that may publish its plan. */
interface Completing {
  readonly lease: Lease
  readonly completion: Completion
}

interface Publishing extends Completing {
  readonly numbers: readonly number[]
}

/**
 * Publishes the upload, or repeats the reply of the earlier Complete that published it. What to publish
 * is recorded first (`completing`), so that `recoverUpload` knows it after a crash. Waits `partWaitMs` for
 * a part in progress to stop, or for another Complete.
 *
 * @throws S3Error NoSuchUpload, InvalidPart, InvalidPartOrder, InvalidRequest, BadDigest or
 *   SlowDown; DriveError as UploadDrive.complete. The upload is then open as before.
 */
export async function completeUpload(
  context: UploadContext,
  name: UploadName,
  { request, signal }: { readonly request: CompletionRequest; readonly signal: AbortSignal },
): Promise<Completion> {
  const { table, watch, now, partWaitMs } = context
  const deadlineMs = now() + partWaitMs
  let plan: Plan | undefined
  for (;;) {
    const upload = await findUpload(table, name)
    const { phase } = upload
    if (phase === 'completed') return completionOf(upload)
    if (phase === 'aborted') throw noSuchUpload(upload.id)
    if (phase === 'open') plan = await planOf(context, upload, request)
    const lease = await acquire(context, upload, plan)
    if (lease !== undefined && plan !== undefined) {
      return await publish(context, { lease, ...plan })
    }
    if (deadlineMs <= now() || signal.aborted) {
      throw slowDown('The upload is busy. Send the request again.')
    }
    // Wakes at once when the row has changed since it was read.
    const timeoutMs = Math.min(deadlineMs - now(), livenessCheckMs)
    await watch.wait(upload, { timeoutMs, signal })
  }
}

/**
 * Recovers an interrupted completion under its lease, and ends the lease. An upload that was published becomes
 * `completed`. One that was not is reopened: no client got a reply, and the key may have been written since, so
 * publishing now could replace acknowledged newer bytes.
 *
 * @param completion what was to be published, if the caller knows it
 */
export async function recoverUpload(
  context: UploadContext,
  lease: Lease,
  completion?: Completion,
): Promise<void> {
  const { upload } = lease
  let isPublished: boolean
  let own: ObjectMetadata | undefined
  try {
    const { uploads } = context.drive
    // Read first: if the upload turns out to be published, the object that was read is its own.
    own = await ownObject(context, upload)
    isPublished = await unlessGone(uploads.isPublished(upload.driveState), false)
    lease.assertHeld()
  } catch (error) {
    // Report the first error.
    await lease.release()
    throw error
  }
  const planned = completion ?? completionOf(upload)
  if (isPublished) await finish(context, { lease, completion: asPublished(planned, own) })
  else await reopen(context, { lease, completion: planned })
}

/**
 * The current upload, as requests name it; in `completing` only while a Complete is in progress. If a
 * Complete was interrupted, the upload is recovered first (docs/contract/object-storage.md, "Interrupted
 * Complete"). The lease shows whether a Complete was interrupted or is still running.
 *
 * @throws S3Error NoSuchUpload.
 */
export async function findCurrent(context: UploadContext, name: UploadName): Promise<UploadRow> {
  const { table, leases, now, partWaitMs } = context
  const upload = await findUpload(table, name)
  if (upload.phase !== 'completing') return upload
  // A Complete may be waiting for the lease, which the part that it stopped has just released.
  const isAwaited = upload.leaseOwner === '' && now() < upload.touchedAtMs + partWaitMs
  if (isAwaited) return upload
  const lease = await leases.take(upload)
  if (lease !== undefined) await recoverUpload(context, lease)
  return await findUpload(table, name)
}

/**
 * As `findCurrent`, in any phase but `completing`. Waits `partWaitMs` for a Complete in progress.
 *
 * @throws S3Error SlowDown when a Complete is still in progress after the wait.
 */
export async function findRecovered(
  context: UploadContext,
  name: UploadName,
  signal: AbortSignal,
): Promise<UploadRow> {
  const { watch, now, partWaitMs } = context
  const deadlineMs = now() + partWaitMs
  for (;;) {
    const upload = await findCurrent(context, name)
    if (upload.phase !== 'completing') return upload
    const leftMs = deadlineMs - now()
    if (leftMs <= 0 || signal.aborted) {
      throw slowDown('The upload is being completed. Send the request again.')
    }
    await watch.wait(upload, { timeoutMs: Math.min(leftMs, livenessCheckMs), signal })
  }
}

/** Plans the completion of an open upload. */
async function planOf(
  { table, drive }: UploadContext,
  upload: UploadRow,
  request: CompletionRequest,
): Promise<Plan> {
  const rows = await table.parts(upload.id, 0, allParts)
  const abilities = drive.uploads.abilities(upload.driveState)
  const completion = planCompletion(request, {
    details: detailsOf(upload),
    parts: rows.map(decodePart),
    canTruncate: abilities.truncate,
    anyOrder: abilities.anyOrder !== undefined,
  })
  const numbers = request.parts.map(({ number }) => number)
  return { completion, text: JSON.stringify(completion), numbers }
}

/** Returns the lease for publishing `plan`, or undefined if it is taken or the upload has changed. */
async function acquire(
  context: UploadContext,
  upload: UploadRow,
  plan: Plan | undefined,
): Promise<Lease | undefined> {
  if (upload.phase === 'open' && plan !== undefined) return await begin(context, upload, plan.text)
  const lease = await context.leases.take(upload)
  if (lease === undefined || upload.completion === plan?.text) return lease
  // An interrupted request may have had other parts or conditions than this one.
  await recoverUpload(context, lease)
  return undefined
}

/**
 * From open to completing, with the lease if it is free. A part in progress keeps it until it sees the new phase;
 * then it stops and releases the lease. Also undefined when the upload has changed, because the list must then be
 * checked against the current parts.
 */
async function begin(
  { table, leases, watch, now }: UploadContext,
  upload: UploadRow,
  completion: string,
): Promise<Lease | undefined> {
  const isFree = leases.isFree(upload)
  if (isFree && isAbandoned(upload)) {
    // The upload is taken over before its bytes are published. The caller then sees the changed row.
    await (await leases.take(upload))?.release()
    return undefined
  }
  const { owner, untilMs } = isFree
    ? leases.columns()
    : { owner: upload.leaseOwner, untilMs: upload.leaseUntilMs }
  const change = { completion, nowMs: now(), lease: { owner, untilMs } }
  if (!(await table.beginCompletion(upload, change))) return undefined
  watch.notify(upload.id)
  const begun = { ...upload, phase: 'completing', completion } as const
  return isFree ? leases.hold({ ...begun, leaseOwner: owner, leaseUntilMs: untilMs }) : undefined
}

/**
 * Publishes an upload in `completing` under its lease, and ends the lease. May be repeated after a crash: the drive
 * recognizes what it has already published.
 *
 * @throws the drive's errors; S3Error SlowDown or NoSuchUpload when the lease is lost. The upload   is then
 *   recovered as after a crash, because the drive may have published it.
 */
async function publish(context: UploadContext, completing: Publishing): Promise<Completion> {
  const { lease, completion } = completing
  let published: Completion
  try {
    await lease.confirm()
    const object = await publishOnDrive(context, completing)
    published = asPublished(completion, object)
  } catch (error) {
    const answered = lease.reasonOf(error)
    await recoverUpload(context, lease, completion).catch((err: unknown) => {
      const fields = { err, uploadId: lease.upload.id }
      context.log.warn(fields, 'could not determine the result of a failed completion')
    })
    throw answered
  }
  const { isHeld } = lease
  const isFinished = finishAfterwards(context, { lease, completion: published })
  // The lease was lost during the last step, so another process may have recovered the upload.
  if (!isHeld && !(await isFinished)) throw leaseLost()
  return published
}

async function publishOnDrive(
  context: UploadContext,
  { lease, completion, numbers }: Publishing,
): Promise<ObjectMetadata | undefined> {
  const { drive, table } = context
  const { id, target, driveState } = lease.upload
  const { partCount, anyOrder, ...object } = completion
  const listed = { completion, numbers }
  const placed = anyOrder && (await placedParts(context, lease.upload, listed))
  return await drive.uploads.complete(driveState, {
    ...object,
    target: decodeTarget(target),
    async parts() {
      const rows = await table.parts(id, 0, partCount)
      return rows.map(decodePart).map(({ size, etag, checksum }) => ({ size, md5: etag, checksum }))
    },
    ...(placed && { placed }),
    assertHeld: () => lease.assertHeld(),
  })
}

/**
 * The object exists and the row describes it, so the client need not wait: after a crash, the
 * next process that finds the row completes it. Resolves as `finish`.
 */
function finishAfterwards(context: UploadContext, completed: Completing): Promise<boolean> {
  const { pendingWrites } = context
  const finished = finish(context, completed)
  const write = finished.then(() => void pendingWrites.delete(write))
  pendingWrites.add(write)
  return finished
}

/** Records that the object is published. Resolves with false if the row does not record it afterwards. */
async function finish(context: UploadContext, { lease, ...published }: Completing) {
  const { table, watch, log, now } = context
  const { id } = lease.upload
  lease.end()
  const completion = JSON.stringify(published.completion)
  try {
    if (await table.finishCompletion(id, lease.owner, { completion, nowMs: now() })) return true
    return await recoverAgain(context, lease.upload, completion)
  } catch (error) {
    log.warn({ err: error, uploadId: id }, 'could not record a completed upload')
    return false
  } finally {
    watch.notify(id)
  }
}

/**
 * Another process took the lease and may have recovered the upload before the drive published it.
 * Returns whether the row is finally completed with this list.
 */
async function recoverAgain(
  context: UploadContext,
  { id, completion }: UploadRow,
  published: string,
): Promise<boolean> {
  const { table, log } = context
  const isCompleted = (row: UploadRow | undefined) =>
    row?.phase === 'completed' && [completion, published].includes(row.completion)
  const row = await table.find(id)
  if (isCompleted(row)) return true
  const phase = row?.phase ?? 'gone'
  log.warn({ uploadId: id, phase }, 'upload was published after another process took it over')
  const lease = row?.phase === 'open' ? await begin(context, row, completion) : undefined
  if (lease === undefined) return false
  await recoverUpload(context, lease)
  return isCompleted(await table.find(id))
}

/**
 * Nothing was published: the client may try again or abort. Parts that the list left out are removed, because the
 * drive may have cut them off; parts that come in any order stay.
 */
async function reopen(
  { table, watch, log, now }: UploadContext,
  { lease, completion }: Completing,
): Promise<void> {
  const { id } = lease.upload
  lease.end()
  const { anyOrder } = completion
  const { partCount, size } = anyOrder ? lease.upload : completion
  const state = { partCount, size, nowMs: now(), ...(anyOrder && { last: allParts }) }
  try {
    await table.reopen(id, lease.owner, state)
  } catch (error) {
    // Answer with the drive's error; the sweep finishes the upload.
    const fields = { err: error, uploadId: id }
    log.warn(fields, 'could not reopen an upload after a failed completion')
  }
  watch.notify(id)
}

/** Adds the version, and replaces the ETag with that of a drive that has its own: clients compare both with those of HEAD. */
function asPublished(completion: Completion, object: ObjectMetadata | undefined): Completion {
  if (object === undefined) return completion
  const { versionId } = object
  const attributes = { ...completion.attributes, etag: object.attributes.etag }
  return { ...completion, attributes, ...(versionId !== undefined && { versionId }) }
}

/** Returns the object at the upload's key if the drive has its own ETags. */
async function ownObject({ drive }: UploadContext, { target }: UploadRow) {
  const { bucket, key } = decodeTarget(target)
  if (!drive.ownEtags?.(bucket)) return undefined
  return await Promise.resolve(drive.head(bucket, key)).catch(() => undefined)
}

function completionOf(upload: UploadRow): Completion {
  return JSON.parse(upload.completion) as Completion
}
