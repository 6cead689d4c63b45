import type { Log } from '../../../platform/process/log.ts'
import { removeAborted } from './abort.ts'
import { recoverUpload } from './complete.ts'
import type { Lease } from './lease.ts'
import type { UploadContext } from './upload-context.ts'
import type { UploadPhase, UploadRow } from './upload-table.ts'

/** How long a Complete may be repeated (docs/contract/object-storage.md, "Complete"). */
const answerAgainMs = 15 * 60_000
/** Uploads that are read at a time. */
const pageSize = 100

/**
 * Cleans up after requests: expired uploads, interrupted completions and aborts, old replies,
 * orphaned bytes. Any number of processes may sweep at once, at any time.
 *
 * @param signal aborts to leave the rest to the next sweep
 * @throws Error if some steps failed, when the others are done
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

/** Does a step for each upload of a phase that was last touched at `untilMs` or before. */
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

/** Takes the lease of the row as it was read: an upload that changed since is left alone. */
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

/** One upload that fails must not stop the sweep of the others. While a drive is away, all of its uploads fail. */
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
