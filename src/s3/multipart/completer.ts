import type { UploadRow } from '../../state/stores/uploads.ts'
import { type Completion, type CompletionRequest, planCompletion } from './completion.ts'
import { isAbandoned, type Lease } from './lease.ts'
import type { UploadContext } from './upload-context.ts'
import { leaseLost, noSuchUpload, slowDown, unlessGone } from './upload-errors.ts'
import {
  decodePart,
  decodeTarget,
  detailsOf,
  findUpload,
  type UploadName,
} from './upload-records.ts'
import { livenessCheckMs } from './upload-watch.ts'

/** As many as an upload can have. */
const allParts = 10_000

/**
 * Turns uploads into objects. What to publish is recorded first (`completing`), so that
 * `recover` knows the plan after a crash.
 */
export class Completer {
  readonly #context: UploadContext
  /** Pending writes that no reply waits for. */
  readonly #pendingWrites = new Set<Promise<void>>()

  constructor(context: UploadContext) {
    this.#context = context
  }

  /**
   * Publishes the upload, or repeats the reply of the earlier Complete that published it. Waits
   * `partWaitMs` for a part in progress to stop, or for another Complete.
   *
   * @throws S3Error NoSuchUpload, InvalidPart, InvalidPartOrder, InvalidRequest, BadDigest or
   *   SlowDown; DriveError as UploadDrive.complete. The upload is then open as before.
   */
  async complete(
    name: UploadName,
    request: CompletionRequest,
    signal: AbortSignal,
  ): Promise<Completion> {
    const { table, watch, now, partWaitMs } = this.#context
    const deadlineMs = now() + partWaitMs
    let plan = ''
    for (;;) {
      const upload = await findUpload(table, name)
      const { phase } = upload
      if (phase === 'completed') return completionOf(upload)
      if (phase === 'aborted') throw noSuchUpload(upload.id)
      if (phase === 'open') plan = await this.#plan(upload, request)
      const lease = await this.#acquire(upload, plan)
      if (lease !== undefined) return this.publish(lease)
      if (deadlineMs <= now() || signal.aborted) {
        throw slowDown('The upload is busy. Send the request again.')
      }
      // Wakes at once when the row has changed since it was read.
      const timeoutMs = Math.min(deadlineMs - now(), livenessCheckMs)
      await watch.wait(upload, { timeoutMs, signal })
    }
  }

  /** The lease for publishing `plan`; undefined when it is taken or the upload has changed. */
  async #acquire(upload: UploadRow, plan: string): Promise<Lease | undefined> {
    if (upload.phase === 'open') return await this.#begin(upload, plan)
    const lease = await this.#context.leases.take(upload)
    if (lease === undefined || upload.completion === plan) return lease
    // An interrupted request may have had other parts or conditions than this one.
    await this.recover(lease)
    return undefined
  }

  /** The completion plan, as stored in the row. */
  async #plan(upload: UploadRow, request: CompletionRequest): Promise<string> {
    const { table, drive } = this.#context
    const rows = await table.parts(upload.id, 0, allParts)
    const plan = planCompletion(request, {
      details: detailsOf(upload),
      parts: rows.map(decodePart),
      canTruncate: drive.uploads.abilities(upload.driveState).truncate,
    })
    return JSON.stringify(plan)
  }

  /**
   * From open to completing, with the lease if it is free. A part in progress keeps it until it
   * sees the new phase; then it stops and releases the lease. Undefined also when the upload has
   * changed, so that the list must be checked against the current parts.
   */
  async #begin(upload: UploadRow, completion: string): Promise<Lease | undefined> {
    const { table, leases, watch, now } = this.#context
    const isFree = leases.isFree(upload)
    if (isFree && isAbandoned(upload)) {
      // Taken over before its bytes are published; the caller then sees the changed row.
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
   * Publishes an upload in `completing` under its lease, which ends. May be repeated after a crash:
   * the drive recognizes what it has already published.
   *
   * @throws what the drive throws; S3Error SlowDown or NoSuchUpload when the lease is lost. The upload
   *   is then recovered as after a crash, because the drive may have published it.
   */
  async publish(lease: Lease): Promise<Completion> {
    const { drive, log } = this.#context
    const { upload } = lease
    const completion = completionOf(upload)
    const { size, attributes, conditions, partCount } = completion
    const parts = async () => {
      const rows = await this.#context.table.parts(upload.id, 0, partCount)
      return rows.map((part) => ({ size: part.size, md5: part.etag }))
    }
    const assertHeld = () => lease.assertHeld()
    const options = { target: decodeTarget(upload.target), size, attributes, parts, assertHeld }
    try {
      lease.assertHeld()
      await drive.uploads.complete(
        upload.driveState,
        conditions === undefined ? options : { ...options, conditions },
      )
    } catch (error) {
      const answered = lease.reasonOf(error)
      await this.recover(lease).catch((err: unknown) => {
        log.warn(
          { err, uploadId: upload.id },
          'could not determine the result of a failed completion',
        )
      })
      throw answered
    }
    const { isHeld } = lease
    const isFinished = this.#finishAfterwards(lease)
    // A lease that was lost during the last step: another process may have recovered the upload.
    if (!isHeld && !(await isFinished)) throw leaseLost()
    return completion
  }

  /**
   * Recovers an interrupted completion under its lease, which ends. An upload that was published
   * becomes `completed`. One that was not is reopened: no client got a reply, and the key may have
   * been written since, so publishing now could replace acknowledged newer bytes.
   */
  async recover(lease: Lease): Promise<void> {
    const { upload } = lease
    let isPublished: boolean
    try {
      const { uploads } = this.#context.drive
      isPublished = await unlessGone(uploads.isPublished(upload.driveState), false)
      lease.assertHeld()
    } catch (error) {
      // Report the first error; a lease that can't be released expires.
      await lease.release().catch(() => undefined)
      throw error
    }
    await (isPublished ? this.#finish(lease) : this.#reopen(lease, completionOf(upload)))
  }

  /** Resolves when every write that no reply waited for has ended. */
  async idle(): Promise<void> {
    await Promise.all(this.#pendingWrites)
  }

  /**
   * The object exists and the row describes it, so the client need not wait: after a crash, the
   * next process that finds the row completes it. Resolves as `#finish`.
   */
  #finishAfterwards(lease: Lease): Promise<boolean> {
    const finished = this.#finish(lease)
    const write = finished.then(() => void this.#pendingWrites.delete(write))
    this.#pendingWrites.add(write)
    return finished
  }

  /** Records that the object is published. False when the row does not say so afterwards. */
  async #finish(lease: Lease): Promise<boolean> {
    const { table, watch, log, now } = this.#context
    const { id } = lease.upload
    lease.end()
    try {
      if (await table.finishCompletion(id, lease.owner, now())) return true
      return await this.#recoverAgain(lease.upload)
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
  async #recoverAgain({ id, completion }: UploadRow): Promise<boolean> {
    const { table, log } = this.#context
    const isCompleted = (row: UploadRow | undefined) =>
      row?.phase === 'completed' && row.completion === completion
    const row = await table.find(id)
    if (isCompleted(row)) return true
    const phase = row?.phase ?? 'gone'
    log.warn({ uploadId: id, phase }, 'upload was published after another process took it over')
    const lease = row?.phase === 'open' ? await this.#begin(row, completion) : undefined
    if (lease === undefined) return false
    await this.recover(lease)
    return isCompleted(await table.find(id))
  }

  /**
   * Nothing was published: the client may try again or abort. Parts that the list left out stay
   * out, since the drive may have cut them off.
   */
  async #reopen(lease: Lease, completion: Completion): Promise<void> {
    const { table, watch, log, now } = this.#context
    const { upload } = lease
    lease.end()
    const { partCount, size } = completion
    try {
      await table.reopen(upload.id, lease.owner, { partCount, size, nowMs: now() })
    } catch (error) {
      // Answer with the drive's error; the sweep finishes the upload.
      log.warn(
        { err: error, uploadId: upload.id },
        'could not reopen an upload after a failed completion',
      )
    }
    watch.notify(upload.id)
  }
}

function completionOf(upload: UploadRow): Completion {
  return JSON.parse(upload.completion) as Completion
}
