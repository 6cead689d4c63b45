import { findRecovered } from './complete.ts'
import type { Lease } from './lease.ts'
import type { UploadContext } from './upload-context.ts'
import { noSuchUpload, unlessGone } from './upload-errors.ts'
import type { UploadName } from './upload-records.ts'

/** How long an abort waits for a part in progress to release the bytes. */
const waitForOthersMs = 2_000

/**
 * Aborts an open upload. A part in progress fails, that of an upload in any order when all of its bytes have come. The
 * bytes of all parts are deleted when this resolves or, if a part keeps them for long, with the next sweep.
 *
 * @throws S3Error NoSuchUpload; SlowDown while a Complete is in progress.
 */
export async function abortUpload(
  context: UploadContext,
  name: UploadName,
  signal: AbortSignal,
): Promise<void> {
  const { table, leases, watch, now } = context
  const { id, lease: held } = await markAborted(context, name, signal)
  watch.notify(id)
  if (held !== undefined) return await removeAborted(context, held)
  const deadlineMs = now() + waitForOthersMs
  for (;;) {
    const aborted = await table.find(id)
    if (aborted === undefined) return
    const lease = await leases.take(aborted)
    if (lease !== undefined) return await removeAborted(context, lease)
    const leftMs = deadlineMs - now()
    if (leftMs <= 0 || signal.aborted) return
    await watch.wait(aborted, { timeoutMs: leftMs, signal })
  }
}

/** With the lease if it was free. */
async function markAborted(
  context: UploadContext,
  name: UploadName,
  signal: AbortSignal,
): Promise<{ readonly id: string; readonly lease?: Lease }> {
  const { table, leases, now } = context
  for (;;) {
    const upload = await findRecovered(context, name, signal)
    const { id, phase } = upload
    if (phase !== 'open') throw noSuchUpload(id)
    if (leases.isFree(upload)) {
      const nowMs = now()
      const { owner, untilMs } = leases.columns()
      if (await table.abortAndHold(upload, { nowMs, lease: { owner, untilMs } })) {
        const held = { phase: 'aborted', leaseOwner: owner, leaseUntilMs: untilMs } as const
        return { id, lease: leases.hold({ ...upload, ...held, touchedAtMs: nowMs }) }
      }
    }
    // False when a Complete has begun since the row was read.
    if (await table.abort(id, now())) return { id }
  }
}

/** Removes the bytes, then the row, of an aborted upload under its lease, which ends. */
export async function removeAborted(context: UploadContext, lease: Lease): Promise<void> {
  const { drive, table, watch } = context
  const { upload, owner } = lease
  try {
    await unlessGone(drive.uploads.abort(upload.driveState), undefined)
    lease.end()
    await table.remove(upload.id, 'aborted', owner)
    watch.notify(upload.id)
  } catch (error) {
    // Report the drive's error.
    await lease.release()
    throw error
  }
}
