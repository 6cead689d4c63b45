import { Store } from '../../ui/store.ts'
import { abortUpload } from '../s3/bucket-client.ts'
import type { UploadOrder } from './upload-item.ts'
import {
  clearRecords,
  deleteRecord,
  fits,
  isRecent,
  readRecords,
  recordOf,
  saveRecord,
  type UploadRecord,
} from './upload-records.ts'

/** An upload that no other tab touches until it is released. */
export interface HeldUpload {
  readonly uploadId: string
  /** Called when the upload has ended: it is no longer remembered. */
  forget(): void
}

const silence = () => undefined

/**
 * Uploads in parts that a closed or reloaded page left unfinished. A tab holds a lock for each of its uploads: an
 * upload that is not locked belongs to no open tab (Web Locks API, section 3).
 * Browsers have locks only with HTTPS or at localhost; elsewhere, nothing is remembered.
 */
export class Leftovers extends Store<readonly UploadRecord[]> {
  constructor() {
    super([])
  }

  /** Finds the uploads that are left over. */
  async load(): Promise<void> {
    if (navigator.locks === undefined) return
    const [records, { held = [] }] = await Promise.all([readRecords(), navigator.locks.query()])
    const living = new Set(held.map(({ name }) => name))
    const idle = records.filter(({ uploadId }) => !living.has(lockOf(uploadId)))
    for (const record of idle) {
      if (!isRecent(record, Date.now())) await deleteRecord(record.uploadId)
    }
    this.publish(idle.filter((record) => isRecent(record, Date.now())))
  }

  /** Hides the uploads until the page is reloaded. */
  hide(): void {
    this.publish([])
  }

  /** Called after sign-out, so that the next user does not see the names. */
  async forgetAll(): Promise<void> {
    this.hide()
    await clearRecords()
  }

  /** Remembers an upload that has just begun. */
  remember(uploadId: string, order: UploadOrder): HeldUpload {
    return this.#held(
      uploadId,
      hold(uploadId).then(async (release) => {
        if (release !== undefined) await saveRecord(recordOf(uploadId, order, Date.now()))
        return release
      }),
    )
  }

  /** The unfinished upload that this file continues. If the file has changed, the upload is discarded. */
  async claim(order: UploadOrder): Promise<HeldUpload | undefined> {
    if (navigator.locks === undefined) return undefined
    const { bucket, key } = order
    const records = await readRecords()
    const candidates = records.filter((each) => each.bucket === bucket && each.key === key)
    let claimed: HeldUpload | undefined
    for (const { uploadId } of candidates) {
      const release = await hold(uploadId)
      if (release === undefined) continue
      // Another tab may have ended it before this one had the lock.
      const record = (await readRecords()).find((each) => each.uploadId === uploadId)
      this.#drop(uploadId)
      if (record !== undefined && fits(record, order) && claimed === undefined) {
        claimed = this.#held(uploadId, Promise.resolve(release))
        continue
      }
      // If this fails, the upload is offered again after the next load.
      if (record !== undefined) await end(record).catch(silence)
      release()
    }
    return claimed
  }

  /** Deletes its parts on the server. @throws Error */
  async discard(record: UploadRecord): Promise<void> {
    const release = await hold(record.uploadId)
    try {
      // Without the lock, another tab is continuing the upload.
      if (release !== undefined) await end(record)
      this.#drop(record.uploadId)
    } finally {
      release?.()
    }
  }

  #held(uploadId: string, holding: Promise<(() => void) | undefined>): HeldUpload {
    holding.catch(silence)
    return {
      uploadId,
      forget: () => {
        const release = holding.catch(silence)
        void release
          .then(() => deleteRecord(uploadId))
          .catch(silence)
          .then(async () => (await release)?.())
      },
    }
  }

  #drop(uploadId: string): void {
    this.publish(this.snapshot().filter((each) => each.uploadId !== uploadId))
  }
}

function lockOf(uploadId: string): string {
  return `bucketry.upload.${uploadId}`
}

/** Returns a function that releases the lock; undefined if another tab has it. */
function hold(uploadId: string): Promise<(() => void) | undefined> {
  const held = Promise.withResolvers<(() => void) | undefined>()
  const end = Promise.withResolvers<void>()
  if (navigator.locks === undefined) return Promise.resolve(undefined)
  navigator.locks
    .request(lockOf(uploadId), { ifAvailable: true }, (lock) => {
      held.resolve(lock === null ? undefined : end.resolve)
      return lock === null ? undefined : end.promise
    })
    .catch(held.reject)
  return held.promise
}

/** Aborts an upload and forgets it. */
async function end(record: UploadRecord): Promise<void> {
  await abortUpload(record, record.uploadId)
  await deleteRecord(record.uploadId)
}
