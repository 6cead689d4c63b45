import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectMetadata, ObjectName } from '../../drive.ts'
import type { DriveError, DriveErrorKind } from '../../drive-error.ts'
import { withDatabaseErrors } from '../../kit/drive-database.ts'
import { asciiJson } from '../../kit/stored-attributes.ts'
import type { DraftRecords } from '../../kit/uploads/drive-upload-table.ts'
import { newMark } from '../objects/conditional-write.ts'
import { withoutMark } from '../objects/heads.ts'
import type { StoreContext } from '../probe/probe.ts'
import { callMs } from '../requests/store.ts'
import { isUnclear } from '../requests/store-errors.ts'
import {
  abortStoreUpload,
  type Completion,
  completeStoreUpload,
  createUpload,
  type NewUpload,
  type StoreUpload,
  uploadsAt,
} from './upload-requests.ts'

/** Records that are looked at in a sweep. The others come with the next one. */
const pageSize = 1000

const refusals: ReadonlySet<DriveErrorKind> = new Set([
  ...(['denied', 'no-bucket', 'not-found', 'not-implemented', 'unsupported'] as const),
])
/** How inexact the difference between the clocks of the database and of the store is. */
const slackMs = 10_000

/** A record. Without the store's id: it was created, perhaps, and the reply did not arrive. */
interface Begun {
  readonly target: ObjectName
  readonly uploadId?: string | undefined
  /** When it was recorded, by the database's clock. */
  readonly atMs: number
}

/** What is left of uploads whose process was killed, or of whose creation the reply was lost. */
export class BegunUploads {
  readonly #context: StoreContext
  readonly #records: DraftRecords
  readonly #now: () => number

  constructor(context: StoreContext, records: DraftRecords, now: () => number) {
    this.#context = context
    this.#records = withDatabaseErrors(records, 'the uploads of the S3 store')
    this.#now = now
  }

  /** Creates an upload of the store. */
  async begin(upload: NewUpload): Promise<StoreUpload> {
    const { mark, target, attributes } = upload
    const { probe } = this.#context
    await probe.requireKey(target)
    await probe.requireTags(target.bucket, attributes.tags)
    // SeaweedFS gives the object another key.
    if (target.key.endsWith('/')) await probe.require(target.bucket, 'exactKeys')
    await this.#save(mark, { target })
    const created = await createUpload(this.#context, upload).catch(async (error: unknown) => {
      if (!isUnclear(error)) await this.#forget(mark)
      throw error
    })
    if (created.wasRepeated) await this.#save(newMark(), { target })
    await this.save(created.upload)
    return created.upload
  }

  async save({ mark, target, uploadId }: StoreUpload): Promise<void> {
    await this.#save(mark, { target, uploadId })
  }

  /** Makes it the object. Undefined if that has been overwritten since. */
  async complete(upload: StoreUpload, completion: Completion): Promise<ObjectMetadata | undefined> {
    const found = await completeStoreUpload(this.#context, upload, completion)
    await this.#forget(upload.mark)
    return found && withoutMark(found)
  }

  /** Aborts it in the store. */
  async abort(upload: StoreUpload): Promise<void> {
    await abortStoreUpload(this.#context, upload)
    await this.#forget(upload.mark)
  }

  /** As `abort`. If it fails, a sweep does it. */
  async discard(upload: StoreUpload): Promise<void> {
    await this.abort(upload).catch(() => undefined)
  }

  /** As UploadDrive.sweep, also for drafts in parts. */
  async sweep(isKnown: (id: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    const before = this.#now() - olderThanMs
    const failures: unknown[] = []
    for (const id of await this.#records.idle(before, pageSize)) {
      const begun = begunIn(await this.#records.find(id))
      if (begun === undefined) continue
      // Saved again, so that it is not the first of the next sweep.
      if (await isKnown(id)) await this.#save(id, begun)
      else await this.#end(id, begun).catch((error: unknown) => void failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
  }

  async #end(id: string, begun: Begun): Promise<void> {
    const { target, uploadId } = begun
    if (uploadId === undefined) await this.#abortLost(id, begun)
    else await this.abort({ mark: id, target, uploadId })
  }

  /** Aborts the uploads of this key that were created when the reply was lost, and that no record has. */
  async #abortLost(id: string, lost: Begun): Promise<void> {
    const { target, atMs } = lost
    const { found, storeNow } = await uploadsAt(this.#context, target).catch(noneIfRefused)
    const from = atMs + storeNow - this.#now() - slackMs
    const to = from + callMs + 2 * slackMs
    const recorded = found.length === 0 ? [] : await this.#recorded()
    // Not all were seen.
    if (recorded.length === pageSize) return await this.#save(id, lost)
    for (const { uploadId, atMs: begunAtMs } of found) {
      const isOfThen = from <= begunAtMs && begunAtMs <= to
      if (isOfThen && !recorded.includes(uploadId)) {
        await abortStoreUpload(this.#context, { target, uploadId })
      }
    }
    await this.#forget(id)
  }

  async #recorded(): Promise<(string | undefined)[]> {
    const ids = await this.#records.idle(Number.MAX_SAFE_INTEGER, pageSize)
    return await Promise.all(ids.map(async (id) => begunIn(await this.#records.find(id))?.uploadId))
  }

  /** It has ended. What can't be removed now is removed by a sweep. */
  async #forget(id: string): Promise<void> {
    await this.#records.remove(id).catch(() => undefined)
  }

  async #save(id: string, begun: Omit<Begun, 'atMs'> & Partial<Begun>): Promise<void> {
    const { target, uploadId, atMs = this.#now() } = begun
    const json = asciiJson({ ...target, uploadId, atMs })
    await this.#records.save(id, { json })
  }
}

/** A store that does not list them removes them by itself, or its operator does. */
function noneIfRefused(error: unknown): Awaited<ReturnType<typeof uploadsAt>> {
  if (!refusals.has((error as DriveError).kind)) throw error
  return { found: [], storeNow: 0 }
}

/** Undefined for a record of another drive. */
function begunIn(json: string | undefined): Begun | undefined {
  const record = (parsedJson(json ?? '') ?? {}) as Partial<ObjectName & Begun>
  const { bucket, key, uploadId, atMs = 0 } = record
  if (bucket === undefined || key === undefined) return undefined
  return uploadId || atMs > 0 ? { target: { bucket, key }, uploadId, atMs } : undefined
}
