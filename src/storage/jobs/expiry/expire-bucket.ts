import type { Log } from '../../../platform/process/log.ts'
import type { BucketConfiguration } from '../../buckets/buckets.ts'
import {
  abortsUploads,
  type LifecycleRule,
  mayExpire,
  uploadExpiry,
} from '../../buckets/lifecycle-rules.ts'
import type { LockRules } from '../../drives/attributes.ts'
import type { Drive } from '../../drives/drive.ts'
import { DriveError, type DriveErrorKind } from '../../drives/drive-error.ts'
import { versionsOf } from '../../drives/unversioned.ts'
import { removeVersion } from '../deleted-versions.ts'
import type { Run } from '../job-runner.ts'
import { pauseAfter, visitAll, whileBusy, withinDriveTime } from '../walk.ts'
import { expiredObjects } from './expired-objects.ts'
import { type Expired, isExpired, isFormerExpired } from './expired-versions.ts'

/** The maximum open uploads in memory. */
const pageUploads = 100

/** Concurrent removals: each waits for the disk, and requests take priority. */
const concurrency = 4

/** The maximum failures of a run that are logged: a read-only drive rejects every removal. */
const maxLoggedFailures = 10

/** An open upload. */
export interface OpenUploadOf {
  readonly uploadId: string
  readonly key: string
  readonly createdAtMs: number
}

interface ExpiryUploads {
  /** At most `limit` open uploads of the bucket, newest first, after this one. */
  listOpen(page: {
    readonly bucket: string
    readonly after: OpenUploadOf | undefined
    readonly limit: number
  }): Promise<readonly OpenUploadOf[]>
  /** False if the upload is no longer open. */
  abort(uploadId: string, signal: AbortSignal): Promise<boolean>
}

/** What expiry needs. */
export interface ExpiryWorld {
  readonly buckets: {
    find(name: string): BucketConfiguration | undefined
    all(): readonly BucketConfiguration[]
  }
  /** Rejects if the rules in memory may be outdated and the database does not respond. */
  readonly ensureCurrent: () => Promise<void>
  readonly drive: Pick<Drive, 'list' | 'head' | 'remove' | 'listVersions'>
  /** Whether the bucket has or had versions. */
  readonly hasVersions: (bucket: string) => boolean
  /** What Object Lock allows. Undefined: no version that has a retention may be removed. */
  readonly lockRules: (bucket: string) => Promise<LockRules | undefined>
  readonly uploads: ExpiryUploads
  readonly log: Log
}

/** The results of a run so far. */
export interface ExpiryFigures {
  phase: 'objects' | 'uploads'
  /** The last key that was checked. */
  position: string
  /** Removed so far. */
  objects: number
  uploads: number
  /** Former versions and delete markers that were removed. */
  versions: number
  /** Versions that stay because of Object Lock. The next run tries again. */
  locked: number
  /** Failed removals. The next run retries them. */
  failures: number
}

/** The rules of a bucket, as of the beginning of a run. */
export interface BucketExpiry {
  readonly bucket: string
  readonly rules: readonly LifecycleRule[]
  /** Everything that expires at this time or before is removed. */
  readonly cutoffMs: number
}

/**
 * Removes what the rules of a bucket expire, from the position in the figures. Stops as outdated if the rules change.
 *
 * @throws DriveError if the drive does not respond; DatabaseError; the reason of the run's signal
 */
export async function expireBucket(
  world: ExpiryWorld,
  expiry: BucketExpiry,
  figures: ExpiryFigures,
  run: Run,
): Promise<void> {
  const { signal } = run
  const assertMayGoOn = rulesCheck(world, expiry, run)
  const work = { ...world, ...expiry, figures, run, signal, assertMayGoOn }
  if (figures.phase === 'objects') {
    const hasVersions = world.hasVersions(expiry.bucket)
    if (expiry.rules.some((rule) => mayExpire(rule, hasVersions))) await removeObjects(work)
    figures.phase = 'uploads'
  }
  if (abortsUploads(expiry.rules)) await abortUploads(work)
}

interface Work extends ExpiryWorld, BucketExpiry {
  readonly figures: ExpiryFigures
  readonly run: Run
  readonly signal: AbortSignal
  /** Call before each step. */
  readonly assertMayGoOn: () => Promise<void>
}

function rulesCheck(
  { buckets, ensureCurrent }: ExpiryWorld,
  { bucket, rules }: BucketExpiry,
  run: Run,
): () => Promise<void> {
  let known = rules
  return async () => {
    run.assertMayGoOn()
    await ensureCurrent()
    const current = buckets.find(bucket)?.lifecycle ?? []
    // Another change of the bucket also creates a new object.
    if (current !== known && JSON.stringify(current) !== JSON.stringify(known)) {
      run.stop('outdated')
      run.assertMayGoOn()
    }
    known = current
  }
}

async function removeObjects(work: Work): Promise<void> {
  const { drive, hasVersions, bucket, rules, cutoffMs, figures, signal, assertMayGoOn } = work
  const pages = expiredObjects({
    ...{ drive, bucket, rules, cutoffMs, after: figures.position, signal, assertMayGoOn },
    hasVersions: hasVersions(bucket),
  })
  for await (const { expired, markers, lastKey } of pages) {
    await visitAll(expired, concurrency, (one) => remove(work, one, removeExpired))
    await visitAll(markers, concurrency, (one) => remove(work, one, removeMarker))
    if (lastKey !== '') figures.position = lastKey
  }
}

/** Failures that would affect every other removal as well. */
const stopping: readonly DriveErrorKind[] = ['unavailable', 'no-bucket']
/** The object has been written or removed in the meantime. */
const meanwhile: readonly DriveErrorKind[] = ['condition', 'not-found']

/** Counts what `removeOnce` has removed. */
async function remove<Removed extends { readonly key: string }>(
  work: Work,
  one: Removed,
  removeOnce: (work: Work, one: Removed) => Promise<'objects' | 'versions' | undefined>,
): Promise<void> {
  const { figures, run, signal, assertMayGoOn } = work
  try {
    const removed = await whileBusy(async () => {
      await assertMayGoOn()
      return withinDriveTime(removeOnce(work, one), run.late)
    }, signal)
    if (removed !== undefined) figures[removed] += 1
  } catch (error) {
    if (!(error instanceof DriveError) || stopping.includes(error.kind)) throw error
    if (meanwhile.includes(error.kind)) return
    if (error.kind === 'locked') figures.locked += 1
    else countFailure(work, { key: one.key, err: error }, 'could not remove an expired object')
  }
}

/** Keeps an object that is written in the meantime, even if its bytes are the same. */
async function removeExpired(work: Work, expired: Expired) {
  const { drive, bucket, run } = work
  const { key, former } = expired
  // A listing may be older than the object.
  const current = await drive.head(bucket, key)
  if (former !== undefined) {
    // A former version is the newest again if a newer one was removed, as when a deletion is undone.
    if (current?.versionId === former.versionId) return undefined
    return (await isStillExpired(work, { ...expired, former }))
      ? await removeFormer(work, key, former.versionId, current?.attributes.etag)
      : undefined
  }
  if (current === undefined) return undefined
  const { size, modifiedAtMs, attributes } = current
  if (!isExpired(work, { key, size, modifiedAtMs, tags: attributes.tags })) return undefined
  const assertMayGoOn = () => run.assertMayEnd()
  const same = { ifMatch: [attributes.etag], ifModifiedAtMs: modifiedAtMs }
  const removal = await drive.remove(bucket, key, { ...same, assertMayGoOn })
  return removal && ('objects' as const)
}

/** Bytes of a version never change, but its tags may. */
async function isStillExpired(
  { drive, bucket, rules, cutoffMs }: Work,
  expired: Expired & Required<Pick<Expired, 'former'>>,
): Promise<boolean> {
  const { key, former } = expired
  if (former.isDeleteMarker || rules.every(({ tags }) => tags === undefined)) return true
  const version = await drive.head(bucket, key, { versionId: former.versionId })
  return isFormerExpired({ rules, cutoffMs }, expired, version?.attributes.tags)
}

/** Removes a delete marker if it is the only version of its key. */
async function removeMarker(work: Work, { key, versionId }: { key: string; versionId: string }) {
  const cursor = versionsOf(work.drive, work.bucket, { prefix: key, after: '' })
  const [first, second] = await cursor.next(2)
  const isOnly = first?.key === key && second?.key !== key
  if (!isOnly || first.kind !== 'object' || first.versionId !== versionId) return undefined
  return await removeFormer(work, key, versionId, undefined)
}

/** @param etag of the current object, which must still be there; undefined: there is none */
async function removeFormer(
  { drive, bucket, lockRules, run }: Work,
  key: string,
  versionId: string,
  etag: string | undefined,
) {
  const lock = await lockRules(bucket)
  const assertMayGoOn = () => run.assertMayEnd()
  const conditions = { versionId, ...(lock && { lock }), assertMayGoOn }
  // Otherwise the version may be the newest one again, or a new version `null`.
  const current = etag === undefined ? ({ ifNoneMatch: '*' } as const) : { ifMatch: [etag] }
  const removal = await removeVersion(drive, { bucket, key }, conditions, current)
  return removal && ('versions' as const)
}

async function abortUploads(work: Work): Promise<void> {
  const { uploads, bucket, signal, assertMayGoOn } = work
  let after: OpenUploadOf | undefined
  for (;;) {
    const pageBegan = performance.now()
    await assertMayGoOn()
    const page = await uploads.listOpen({ bucket, after, limit: pageUploads })
    for (const upload of page) await abortIfExpired(work, upload)
    after = page.at(-1)
    if (after === undefined) return
    await pauseAfter(pageBegan, signal)
  }
}

async function abortIfExpired(work: Work, { uploadId, key, createdAtMs }: OpenUploadOf) {
  const { uploads, rules, cutoffMs, figures, signal, assertMayGoOn } = work
  const expiry = uploadExpiry(rules, key, createdAtMs)
  if (expiry === undefined || expiry.atMs > cutoffMs) return
  await assertMayGoOn()
  try {
    if (await uploads.abort(uploadId, signal)) figures.uploads += 1
  } catch (error) {
    signal.throwIfAborted()
    const fields = { key, uploadId, err: error }
    countFailure(work, fields, 'could not abort an upload by the rules of its bucket')
  }
}

function countFailure({ figures, bucket, log }: Work, fields: object, message: string): void {
  figures.failures += 1
  if (figures.failures <= maxLoggedFailures) log.warn({ bucket, ...fields }, message)
}
