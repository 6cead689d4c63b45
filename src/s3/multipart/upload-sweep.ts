import type { UploadPhase, UploadRow } from '../../state/stores/uploads.ts'
import type { S3Log } from '../log.ts'
import type { Aborter } from './aborter.ts'
import type { Completer } from './completer.ts'
import type { Lease } from './lease.ts'
import type { UploadContext } from './upload-context.ts'

/** How long a Complete may be repeated (docs/contract/object-storage.md, "Complete"). */
const answerAgainMs = 15 * 60_000
/** Uploads that are read at a time. */
const pageSize = 100

export interface UploadSweepOptions extends UploadContext {
  readonly completer: Completer
  readonly aborter: Aborter
  /** Aborts to leave the rest to the next sweep. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Cleans up after requests: expired uploads, interrupted completions and aborts, old replies,
 * orphaned bytes. Any number of processes may sweep at once, at any time.
 */
export async function sweepUploads(options: UploadSweepOptions): Promise<void> {
  const { drive, table, completer, aborter, now, log, signal } = options
  const nowMs = now()
  await sweepPhase(options, { phase: 'open', untilMs: nowMs - options.expiryMs }, (upload) =>
    underLease(options, upload, async (lease) => {
      if (await table.abort(upload.id, now())) await aborter.cleanUp(lease)
    }),
  )
  await sweepPhase(options, { phase: 'completing', untilMs: nowMs }, (upload) =>
    underLease(options, upload, (lease) => completer.recover(lease)),
  )
  await sweepPhase(options, { phase: 'aborted', untilMs: nowMs }, (upload) =>
    underLease(options, upload, (lease) => aborter.cleanUp(lease)),
  )
  await sweepPhase(options, { phase: 'completed', untilMs: nowMs - answerAgainMs }, (upload) =>
    table.remove(upload.id, 'completed', upload.leaseOwner),
  )
  // Bytes of an unknown upload may belong to a lost database that may still be restored.
  await attempt(log, {}, () =>
    drive.uploads.sweep(
      async (id) => signal?.aborted === true || (await table.find(id)) !== undefined,
      options.expiryMs,
    ),
  )
}

async function sweepPhase(
  options: UploadSweepOptions,
  idle: { readonly phase: UploadPhase; readonly untilMs: number },
  step: (upload: UploadRow) => Promise<unknown>,
): Promise<void> {
  const { table, log, signal } = options
  const { phase, untilMs } = idle
  let page = await table.idle(phase, { untilMs }, pageSize)
  for (;;) {
    for (const upload of page) {
      if (signal?.aborted) return
      await attempt(log, { uploadId: upload.id, phase }, () => step(upload))
    }
    const after = page.at(-1)
    if (after === undefined) return
    page = await table.idle(phase, { untilMs, after }, pageSize)
  }
}

/** Takes the lease of the row as it was read: an upload that changed since is left alone. */
async function underLease(
  options: UploadSweepOptions,
  upload: UploadRow,
  work: (lease: Lease) => Promise<unknown>,
): Promise<void> {
  const lease = await options.leases.take(upload)
  if (lease === undefined) return
  try {
    await work(lease)
  } finally {
    lease.end()
  }
}

/** One upload that fails must not stop the sweep of the others. */
async function attempt(log: S3Log, fields: object, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn({ ...fields, err: error }, 'upload sweep failed; will retry')
  }
}
