import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import type { DriveAccess } from '../../drive.ts'
import { DriveError, notEmpty, PrivateDriveError } from '../../drive-error.ts'
import type { StoreContext } from '../probe/probe.ts'
import { secondOf } from '../requests/store.ts'
import { codeOf } from '../requests/store-errors.ts'
import type { StoreName } from '../requests/store-names.ts'
import { headAt } from './heads.ts'

/**
 * As Drive.check. Writing is tested with a multipart upload, which nobody sees.
 *
 * @param bucket an existing one, if the buckets are those of the store and one is known
 */
export async function checkAccess(
  context: StoreContext,
  bucket: string | undefined,
  access: DriveAccess | undefined,
): Promise<void> {
  const { store, names } = context
  if (bucket === undefined && !names.areFolders) return await checkStore(context)
  const name = names.ownName(bucket ?? '', 'check')
  await listOne(context, name)
  if (access !== 'writes') return
  const { UploadId } = await store.send(new CreateMultipartUploadCommand(name))
  await store.send(new AbortMultipartUploadCommand({ ...name, UploadId }))
}

/** Tests the credentials, which may lack the right to list all buckets. */
async function checkStore({ store }: StoreContext): Promise<void> {
  try {
    await store.send(new ListBucketsCommand({}))
  } catch (error) {
    if (codeOf(error) !== 'AccessDenied') throw error
  }
}

async function listOne({ store }: StoreContext, { Bucket, Key }: StoreName): Promise<void> {
  await store.send(new ListObjectsV2Command({ Bucket, Prefix: Key, MaxKeys: 1 }))
}

/** As Drive.addBucket. A bucket's folder is an empty object whose key ends in `/`, as other clients create it. */
export async function addBucket(context: StoreContext, bucket: string): Promise<void> {
  const { store, names } = context
  const { Bucket, prefix: Key } = names.placeOf(bucket)
  if (names.areFolders) {
    if ((await folderTime(context, bucket)) !== undefined) return
    await store.send(new PutObjectCommand({ Bucket, Key, Body: Buffer.alloc(0) }))
    return
  }
  try {
    await listOne(context, { Bucket, Key: '' })
  } catch (error) {
    if ((error as DriveError).kind !== 'no-bucket') throw error
    await create(context, Bucket)
  }
}

/** As Drive.removeBucket. */
export async function removeBucket(
  { store, names, lockedBuckets }: StoreContext,
  bucket: string,
): Promise<boolean> {
  const { Bucket } = names.placeOf(bucket)
  if (names.areFolders) {
    const message = `${bucket} is a folder in a bucket of an S3 store, which would also remove objects that are written to it meanwhile. Remove it there.`
    throw new DriveError('denied', message)
  }
  try {
    await store.send(new DeleteBucketCommand({ Bucket }))
    lockedBuckets.delete(Bucket)
    return true
  } catch (error) {
    const { kind } = error as DriveError
    if (kind === 'no-bucket') return false
    throw kind === 'not-empty' ? notEmpty(bucket) : error
  }
}

/** As Drive.bucketCreatedAtMs. 0 if the credentials may not list the store's buckets. */
export async function bucketCreatedAtMs(context: StoreContext, bucket: string): Promise<number> {
  const { store, names } = context
  if (names.areFolders) return (await folderTime(context, bucket)) ?? noBucket(bucket)
  const { Bucket } = names.placeOf(bucket)
  try {
    const { Buckets = [] } = await store.send(new ListBucketsCommand({}))
    const found = Buckets.find(({ Name }) => Name === Bucket)
    return found === undefined ? noBucket(bucket) : secondOf(found.CreationDate)
  } catch (error) {
    if ((error as DriveError).kind !== 'denied') throw error
    await listOne(context, { Bucket, Key: '' })
    return 0
  }
}

async function create({ store }: StoreContext, Bucket: string): Promise<void> {
  try {
    await store.send(new CreateBucketCommand({ Bucket }))
  } catch (error) {
    const name = codeOf(error)
    // Another gateway created it.
    if (name === 'BucketAlreadyOwnedByYou') return
    if (name !== 'BucketAlreadyExists') throw error
    const message = `The S3 store has a bucket ${Bucket} of another owner. Choose another name.`
    throw new PrivateDriveError('denied', message, { cause: error })
  }
}

async function folderTime(context: StoreContext, bucket: string): Promise<number | undefined> {
  const { Bucket, prefix } = context.names.placeOf(bucket)
  return (await headAt(context, { Bucket, Key: prefix }))?.modifiedAtMs
}

function noBucket(bucket: string): never {
  throw new DriveError('no-bucket', `The S3 store has no bucket ${bucket}.`)
}
