import type { Log } from '../../../platform/process/log.ts'
import { findRecovered, recoverUpload } from './complete.ts'
import type { Lease } from './lease.ts'
import type { UploadContext } from './upload-context.ts'
import { noSuchUpload, type UploadName, unlessGone } from './upload-records.ts'
import type { UploadPhase, UploadRow } from './upload-table.ts'

/** How long an abort waits for the request of a part in progress to release the bytes. */
const waitForOthersMs = 2_000

/**
 * Aborts an open upload. A part in progress fails; if parts come in any order, only once all of its bytes have arrived.
 * The bytes of all parts are deleted when this resolves, or by the next sweep if a part holds them for too long.
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

/** Returns the lease if it was free. */
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
    // False if a Complete has begun since the row was read.
    if (await table.abort(id, now())) return { id }
  }
}

/** Removes the bytes and then the row of an aborted upload under its lease, and ends the lease. */
async function removeAborted(context: UploadContext, lease: Lease): Promise<void> {
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

/** How long a Complete may be repeated (docs/contract/object-storage.md, "Complete"). */
const answerAgainMs = 15 * 60_000
/** Uploads read at a time. */
const pageSize = 100

/**
 * Cleans up after requests: expired uploads, interrupted completions and aborts, old replies,
 * orphaned bytes. Any number of processes may sweep at once, at any time.
 *
 * @param signal if it aborts, the next sweep does the rest
 * @throws Error after all steps if some failed
 */
export async function sweepUploads(context: UploadContext, signal?: AbortSignal): Promise<void> {
  const { drive, table, now, log, expiryMs } = context
  const failures = { count: 0, first: undefined }
  const attempt = attemptWith(log, failures)
  const sweepPhase = phaseSweep(table, attempt, signal)
  const nowMs = now()
  await sweepPhase('open', nowMs - expiryMs, (upload) =>
    underLease(context, upload, async (lease) => {
      if (await table.abort(upload.id, now())) await removeAborted(context, lease)
    }),
  )
  await sweepPhase('completing', nowMs, (upload) =>
    underLease(context, upload, (lease) => recoverUpload(context, lease)),
  )
  await sweepPhase('aborted', nowMs, (upload) =>
    underLease(context, upload, (lease) => removeAborted(context, lease)),
  )
  await sweepPhase('completed', nowMs - answerAgainMs, (upload) =>
    table.remove(upload.id, 'completed', upload.leaseOwner),
  )
  // Bytes of an unknown upload may belong to a lost database that may still be restored.
  await attempt({}, () =>
    drive.uploads.sweep(
      async (id) => signal?.aborted === true || (await table.find(id)) !== undefined,
      expiryMs,
    ),
  )
  const { count, first: cause } = failures
  if (count > 0) throw new Error(`${count} steps failed`, { cause })
}

/** Runs a step for each upload of a phase that was last touched at `untilMs` or before. */
function phaseSweep(
  table: UploadContext['table'],
  attempt: ReturnType<typeof attemptWith>,
  signal: AbortSignal | undefined,
) {
  return async (
    phase: UploadPhase,
    untilMs: number,
    step: (upload: UploadRow) => Promise<unknown>,
  ): Promise<void> => {
    let page = await table.idle(phase, { untilMs }, pageSize)
    for (;;) {
      for (const upload of page) {
        if (signal?.aborted) return
        await attempt({ uploadId: upload.id, phase }, () => step(upload))
      }
      const after = page.at(-1)
      if (after === undefined) return
      page = await table.idle(phase, { untilMs, after }, pageSize)
    }
  }
}

/** Runs `work` under the upload's lease, unless the upload has changed since the row was read. */
async function underLease(
  { leases }: UploadContext,
  upload: UploadRow,
  work: (lease: Lease) => Promise<unknown>,
): Promise<void> {
  const lease = await leases.take(upload)
  if (lease === undefined) return
  try {
    await work(lease)
  } finally {
    lease.end()
  }
}

/**
 * An upload that fails must not stop the sweep of the others. While a drive is unavailable, all of its uploads fail.
 */
function attemptWith(log: Log, failures: { count: number; first: unknown }) {
  return async (fields: object, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (err) {
      failures.first ??= err
      failures.count += 1
      log.debug({ ...fields, err }, 'upload sweep failed; will retry')
    }
  }
}
