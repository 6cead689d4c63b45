import { forEachLimited } from '../../../platform/process/limiter.ts'
import type { Drive, ObjectName } from '../drive.ts'
import type { DraftRecords } from '../kit/uploads/drive-upload-table.ts'
import { plainRemoval } from '../versions.ts'
import { addBucket, bucketCreatedAtMs, checkAccess, removeBucket } from './objects/buckets.ts'
import { copyObject } from './objects/copy.ts'
import { startDraft } from './objects/draft.ts'
import { headWithPart, setObjectAttributes, withoutMark } from './objects/heads.ts'
import { StoreCursor } from './objects/listing.ts'
import { openStoreObject } from './objects/open-object.ts'
import { removeObject, removeObjects } from './objects/removal.ts'
import { Probe } from './probe/probe.ts'
import { BodyMemory } from './requests/collected-body.ts'
import { Store, type StoreOptions } from './requests/store.ts'
import { type StoreAddress, StoreNames } from './requests/store-names.ts'
import { BegunUploads } from './uploads/begun-uploads.ts'
import { StoreUploads } from './uploads/uploads.ts'

const bucketsAtOnce = 8

export interface S3DriveOptions extends Omit<StoreOptions, 'endpoint'> {
  readonly address: StoreAddress
  readonly records: DraftRecords
  /** The database's time, milliseconds since the epoch. */
  readonly now: () => number
  /** For tests: objects above it are copied in parts. */
  readonly maxCopyBytes?: number
}

/** @throws DriveError with a user-facing message if the store does not respond or rejects the credentials */
export async function openS3Drive(options: S3DriveOptions): Promise<Drive> {
  const { address, records, now, maxCopyBytes } = options
  const store = new Store({ ...options, endpoint: address.endpoint })
  const names = new StoreNames(address)
  const context = { store, names, probe: new Probe(store, names) }
  const begun = new BegunUploads(context, records, now)
  const drafts = { ...context, begun, memory: new BodyMemory() }
  const copies = { ...context, begun, ...(maxCopyBytes !== undefined && { maxCopyBytes }) }
  /** An existing bucket, for checks. */
  let someBucket: string | undefined
  const exact = async (bucket: string, key: string): Promise<ObjectName> => {
    await context.probe.requireKey({ bucket, key })
    return { bucket, key }
  }
  const add = async (bucket: string): Promise<void> => {
    await addBucket(context, bucket)
    someBucket ??= bucket
  }
  const drive: Drive = {
    ...{ kind: 's3', deletes: 'server', ownEtags: () => true, readsAlone: true },
    async prepare(buckets) {
      await forEachLimited(buckets, bucketsAtOnce, add)
      // Otherwise the first request that needs it would wait.
      if (someBucket !== undefined) await context.probe.abilities(someBucket)
    },
    addBucket: add,
    removeBucket: (bucket) => removeBucket(context, bucket),
    check: (access) => checkAccess(context, someBucket, access),
    bucketCreatedAtMs: (bucket) => bucketCreatedAtMs(context, bucket),
    list: (bucket, query) => new StoreCursor(context, bucket, query),
    async head(bucket, key, options) {
      const found = await headWithPart(context, await exact(bucket, key), options?.partNumber)
      return found && withoutMark(found)
    },
    open: async (bucket, key, options) =>
      openStoreObject(context, await exact(bucket, key), options),
    draft: async (bucket, key, draft) => startDraft(drafts, await exact(bucket, key), draft),
    async copy(source, target, copy) {
      await exact(source.bucket, source.key)
      return await copyObject(copies, source, await exact(target.bucket, target.key), copy)
    },
    setAttributes: async (bucket, key, change) =>
      setObjectAttributes(context, await exact(bucket, key), change),
    removeAll: (bucket, keys) => removeObjects(context, bucket, keys),
    remove: async (bucket, key, conditions) =>
      plainRemoval(await removeObject(context, await exact(bucket, key), conditions)),
    uploads: new StoreUploads(drafts),
    statistics: () => ({ retries: { store: store.retries } }),
    async close() {
      store.close()
    },
  }
  try {
    await drive.check()
  } catch (error) {
    store.close()
    throw error
  }
  return drive
}
