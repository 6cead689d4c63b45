import { parsedJson } from '../../../../platform/text/json-text.ts'
import type { ObjectMetadata, ObjectName } from '../../drive.ts'
import type { DriveError, DriveErrorKind } from '../../drive-error.ts'
import { withDatabaseErrors } from '../../kit/drive-database.ts'
import { metadataOf } from '../../kit/open-objects.ts'
import { asciiJson } from '../../kit/stored-attributes.ts'
import type { DraftRecords } from '../../kit/uploads/drive-upload-table.ts'
import { requireLocks } from '../objects/bucket-versions.ts'
import { newMark } from '../objects/conditional-write.ts'
import { areLocked } from '../objects/object-fields.ts'
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

/** The maximum number of records that one sweep checks. */
const pageSize = 1000

const refusals: ReadonlySet<DriveErrorKind> = new Set([
  ...(['denied', 'no-bucket', 'not-found', 'not-implemented', 'unsupported'] as const),
])
/** The tolerance for the difference between the database's clock and the store's. */
const slackMs = 10_000

/** A record. Without the store's ID, the upload may have been created although no reply arrived. */
interface Begun {
  readonly target: ObjectName
  readonly uploadId?: string | undefined
  /** When it was recorded, by the database's clock. */
  readonly atMs: number
}

/** Records the store's uploads, so that a sweep can abort those whose process was killed or whose creation had no reply. */
export class BegunUploads {
  readonly #context: StoreContext
  readonly #records: DraftRecords
  readonly #now: () => number

  constructor(context: StoreContext, records: DraftRecords, now: () => number) {
    this.#context = context
    this.#records = withDatabaseErrors(records, 'the uploads of the S3 store')
    this.#now = now
  }

  async begin(upload: NewUpload): Promise<StoreUpload> {
    const { mark, target, attributes } = upload
    const { probe } = this.#context
    await probe.requireKey(target)
    await probe.requireTags(target.bucket, attributes.tags)
    if (areLocked(attributes)) await requireLocks(this.#context, target.bucket)
    // SeaweedFS would change the object's key.
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

  /** Makes it the object. Undefined if the object has been overwritten since. */
  async complete(upload: StoreUpload, completion: Completion): Promise<ObjectMetadata | undefined> {
    const found = await completeStoreUpload(this.#context, upload, completion)
    await this.#forget(upload.mark)
    return found && metadataOf(found)
  }

  async abort(upload: StoreUpload): Promise<void> {
    await abortStoreUpload(this.#context, upload)
    await this.#forget(upload.mark)
  }

  /** As `abort`; if it fails, a sweep repeats it. */
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
      // Saved again, so that the next sweep begins with others.
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

  /** Aborts this key's uploads that were created when the reply was lost and that no record names. */
  async #abortLost(id: string, lost: Begun): Promise<void> {
    const { target, atMs } = lost
    const { found, storeNow } = await uploadsAt(this.#context, target).catch(noneIfRefused)
    const from = atMs + storeNow - this.#now() - slackMs
    const to = from + callMs + 2 * slackMs
    const recorded = found.length === 0 ? [] : await this.#recorded()
    // There may be more records.
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

  /** If the record can't be removed now, a sweep removes it. */
  async #forget(id: string): Promise<void> {
    await this.#records.remove(id).catch(() => undefined)
  }

  async #save(id: string, begun: Omit<Begun, 'atMs'> & Partial<Begun>): Promise<void> {
    const { target, uploadId, atMs = this.#now() } = begun
    const json = asciiJson({ ...target, uploadId, atMs })
    await this.#records.save(id, { json })
  }
}

/** A store that does not list uploads removes them by itself, or its operator does. */
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
