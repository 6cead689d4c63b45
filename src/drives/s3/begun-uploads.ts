import { withDatabaseErrors } from '../database-errors.ts'
import type { ObjectName } from '../drive.ts'
import { parsedJson } from '../json-text.ts'
import { asciiJson } from '../stored-attributes.ts'
import type { DraftRecords } from './draft-records.ts'
import type { StoreContext } from './store-context.ts'
import { abortStoreUpload, type StoreUpload } from './upload-requests.ts'

/** Records that are looked at in a sweep. The others come with the next one. */
const pageSize = 1000

type Begun = Pick<StoreUpload, 'target' | 'uploadId'>

/** What is left of uploads whose process was killed. */
export class BegunUploads {
  readonly #context: StoreContext
  readonly #records: DraftRecords
  readonly #now: () => number

  constructor(context: StoreContext, records: DraftRecords, now: () => number) {
    this.#context = context
    this.#records = withDatabaseErrors(records, 'the uploads of the S3 store')
    this.#now = now
  }

  /** @param id of the upload with us */
  async save(id: string, { target, uploadId }: Begun): Promise<void> {
    const { bucket, key } = target
    const json = asciiJson({ bucket, key, uploadId })
    await this.#records.save(id, { json, fileIds: [] })
  }

  /** It has ended. What can't be removed now is removed by a sweep. */
  async forget(id: string): Promise<void> {
    await this.#records.remove(id).catch(() => undefined)
  }

  /** Aborts it in the store. */
  async abort(id: string, upload: Begun): Promise<void> {
    await abortStoreUpload(this.#context, upload)
    await this.forget(id)
  }

  /** As UploadDrive.sweep, also for drafts in parts. */
  async sweep(isKnown: (id: string) => Promise<boolean>, olderThanMs: number): Promise<void> {
    const before = this.#now() - olderThanMs
    for (const id of await this.#records.idle(before, pageSize)) {
      const upload = begunIn(await this.#records.find(id))
      if (upload === undefined) continue
      // Saved again, so that it is not the first of the next sweep.
      if (await isKnown(id)) await this.save(id, upload)
      else await this.abort(id, upload)
    }
  }
}

/** Undefined for a record of another drive. */
function begunIn(json: string | undefined): Begun | undefined {
  const { bucket, key, uploadId } = (parsedJson(json ?? '') ?? {}) as Partial<
    ObjectName & StoreUpload
  >
  if (bucket === undefined || key === undefined || uploadId === undefined) return undefined
  return { target: { bucket, key }, uploadId }
}
