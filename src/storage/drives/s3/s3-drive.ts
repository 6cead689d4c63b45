import { forEachLimited } from '../../../platform/process/limiter.ts'
import type { Drive } from '../drive.ts'
import { metadataOf } from '../kit/open-objects.ts'
import type { DraftRecords } from '../kit/uploads/drive-upload-table.ts'
import type { DriveVersions, VersioningOf, VersionOptions } from '../versions.ts'
import { enableLocks, restoreVersioning, setVersioning } from './objects/bucket-versions.ts'
import { addBucket, bucketCreatedAtMs, checkAccess, removeBucket } from './objects/buckets.ts'
import { copyObject } from './objects/copy.ts'
import { startDraft } from './objects/draft.ts'
import { headWithPart } from './objects/heads.ts'
import { listObjects, listVersions } from './objects/listing.ts'
import { openStoreObject } from './objects/open-object.ts'
import { removeObject, removeObjects } from './objects/removal.ts'
import { setObjectAttributes } from './objects/set-attributes.ts'
import { Probe, type StoreContext } from './probe/probe.ts'
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
  /** Absent: no bucket has versions. */
  readonly versioningOf?: VersioningOf | undefined
  /** For tests: objects above it are copied in parts. */
  readonly maxCopyBytes?: number
}

function contextOf(options: S3DriveOptions): StoreContext {
  const { address, versioningOf = () => undefined } = options
  const store = new Store({ ...options, endpoint: address.endpoint })
  const names = new StoreNames(address)
  const probe = new Probe(store, names)
  return { store, names, probe, versioningOf, lockedBuckets: new Set() }
}

function versionsOf(context: StoreContext): DriveVersions {
  return {
    listVersions: (bucket, query) => listVersions(context, bucket, query),
    async hidingMarker(bucket, key) {
      const [newest] = await listVersions(context, bucket, { prefix: key, after: '' }).next(1)
      if (newest?.kind === 'folder' || newest?.key !== key) return undefined
      return newest.isDeleteMarker ? newest.versionId : undefined
    },
    setVersioning: (bucket, versioning) => setVersioning(context, bucket, versioning),
    enableLocks: (bucket) => enableLocks(context, bucket),
  }
}

/** @throws DriveError with a user-facing message if the store does not respond or rejects the credentials */
export async function openS3Drive(options: S3DriveOptions): Promise<Drive> {
  const { records, now, maxCopyBytes } = options
  const context = contextOf(options)
  const { store, probe } = context
  const begun = new BegunUploads(context, records, now)
  const drafts = { ...context, begun, memory: new BodyMemory() }
  const copies = { ...context, begun, ...(maxCopyBytes !== undefined && { maxCopyBytes }) }
  /** An existing bucket, for checks. */
  let someBucket: string | undefined
  const prepare = async (buckets: readonly string[]): Promise<void> => {
    await forEachLimited(buckets, bucketsAtOnce, add)
    // Otherwise the first request that needs it would wait.
    if (someBucket !== undefined) await probe.abilities(someBucket)
    await forEachLimited(buckets, bucketsAtOnce, (one) => restoreVersioning(context, one))
  }
  const exact = async (bucket: string, key: string, { versionId }: VersionOptions = {}) => {
    await probe.requireKey({ bucket, key })
    return { bucket, key, versionId }
  }
  const add = async (bucket: string): Promise<void> => {
    await addBucket(context, bucket)
    someBucket ??= bucket
  }
  const drive: Drive = {
    ...{ kind: 's3', deletes: 'server', ownEtags: () => true, readsAlone: true },
    prepare,
    addBucket: add,
    removeBucket: (bucket) => removeBucket(context, bucket),
    check: (access) => checkAccess(context, someBucket, access),
    bucketCreatedAtMs: (bucket) => bucketCreatedAtMs(context, bucket),
    list: (bucket, query) => listObjects(context, bucket, query),
    ...versionsOf(context),
    async head(bucket, key, options) {
      const name = await exact(bucket, key, options)
      const found = await headWithPart(context, name, options?.partNumber)
      return found && metadataOf(found)
    },
    open: async (bucket, key, options) =>
      openStoreObject(context, await exact(bucket, key), options),
    draft: async (bucket, key, draft) => startDraft(drafts, await exact(bucket, key), draft),
    async copy(source, target, copy) {
      await exact(source.bucket, source.key)
      return await copyObject(copies, source, await exact(target.bucket, target.key), copy)
    },
    setAttributes: async (bucket, key, change, options) =>
      setObjectAttributes(context, await exact(bucket, key, options), change),
    removeAll: (bucket, keys) => removeObjects(context, bucket, keys),
    remove: async (bucket, key, conditions) =>
      removeObject(context, await exact(bucket, key), conditions),
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
