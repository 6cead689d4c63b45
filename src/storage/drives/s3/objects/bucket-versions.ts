import {
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  PutBucketVersioningCommand,
  PutObjectLockConfigurationCommand,
} from '@aws-sdk/client-s3'
import { DriveError, type DriveErrorKind } from '../../drive-error.ts'
import { isEnabled, type Versioning } from '../../versions.ts'
import type { StoreContext } from '../probe/probe.ts'

const lacksVersions =
  'The S3 store behind this bucket has no versions of objects. Use a store that has them, or a folder.'

const keepsVersions =
  'The S3 store behind this bucket does not suspend its versions, for example because it has Object Lock.'

/** Answers of a store that has no versions or locks. */
const refusals: readonly DriveErrorKind[] = ['unsupported', 'not-implemented', 'not-found']

/** The store's state of versions for the bucket. */
async function statusOf({ store, names }: StoreContext, bucket: string) {
  const { Bucket } = names.placeOf(bucket)
  const command = new GetBucketVersioningCommand({ Bucket })
  return (await refusedAs(lacksVersions, () => store.send(command))).Status
}

/**
 * As Drive.setVersioning. A bucket of the store gets the same state as the bucket. If buckets are folders of one bucket of
 * the store, they share its state: nothing is changed, because that would change what the store keeps for the others.
 */
export async function setVersioning(
  context: StoreContext,
  bucket: string,
  versioning: Versioning,
): Promise<void> {
  const { store, names } = context
  const Status = isEnabled(versioning) ? 'Enabled' : 'Suspended'
  if ((await statusOf(context, bucket)) === Status) return
  const { Bucket } = names.placeOf(bucket)
  if (names.areFolders) {
    const message = `${bucket} is a folder of the bucket ${Bucket} of an S3 store, whose versions are not ${Status}. They would change for every folder in it: set ${Bucket} to ${Status} in the store, then repeat this.`
    throw new DriveError('unsupported', message)
  }
  const command = new PutBucketVersioningCommand({ Bucket, VersioningConfiguration: { Status } })
  const refusal = Status === 'Enabled' ? lacksVersions : keepsVersions
  await refusedAs(refusal, () => store.send(command))
  // A store may accept the request without having versions.
  if ((await statusOf(context, bucket)) === Status) return
  throw new DriveError('unsupported', lacksVersions)
}

/**
 * At the start: the store's state may have been changed by others since. @throws DriveError `denied` if it is shared and
 * not what the bucket needs
 */
export async function restoreVersioning(context: StoreContext, bucket: string): Promise<void> {
  const versioning = context.versioningOf(bucket)
  if (versioning === undefined) return
  try {
    await setVersioning(context, bucket, versioning)
  } catch (error) {
    if (!(error instanceof DriveError && error.kind === 'unsupported')) throw error
    throw new DriveError('denied', error.message, { cause: error })
  }
}

/** As Drive.enableLocks. */
export async function enableLocks(context: StoreContext, bucket: string): Promise<void> {
  const { store, names } = context
  if (await hasLocks(context, bucket)) return
  const { Bucket } = names.placeOf(bucket)
  const message = `The bucket ${Bucket} of the S3 store has no Object Lock. Turn it on there, which many stores allow only when the bucket is created, then repeat this.`
  if (names.areFolders) throw new DriveError('unsupported', message)
  const ObjectLockConfiguration = { ObjectLockEnabled: 'Enabled' as const }
  const command = new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration })
  await refusedAs(message, () => store.send(command))
  if (!(await hasLocks(context, bucket))) throw new DriveError('unsupported', message)
}

async function hasLocks(
  { store, names, lockedBuckets }: StoreContext,
  bucket: string,
): Promise<boolean> {
  const { Bucket } = names.placeOf(bucket)
  if (lockedBuckets.has(Bucket)) return true
  try {
    const found = await store.send(new GetObjectLockConfigurationCommand({ Bucket }))
    if (found.ObjectLockConfiguration?.ObjectLockEnabled !== 'Enabled') return false
    lockedBuckets.add(Bucket)
    return true
  } catch (error) {
    if (isRefused(error)) return false
    throw error
  }
}

/** @throws DriveError `unsupported` if versions of the bucket can't be locked: a store may ignore what it does not have */
export async function requireLocks(context: StoreContext, bucket: string): Promise<void> {
  if (context.versioningOf(bucket) !== undefined && (await hasLocks(context, bucket))) return
  const message = `The bucket of the S3 store behind ${bucket} has no Object Lock: no version can have a retention or a legal hold.`
  throw new DriveError('unsupported', message)
}

async function refusedAs<Output>(message: string, request: () => Promise<Output>): Promise<Output> {
  try {
    return await request()
  } catch (cause) {
    throw isRefused(cause) ? new DriveError('unsupported', message, { cause }) : cause
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof DriveError && refusals.includes(error.kind)
}
