import {
  AbortMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  ListBucketsCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { forEachLimited } from '../../../src/platform/process/limiter.ts'

/** Where a store is, and the key that may do everything there. */
export interface StoreLogin {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly accessKey: string
  readonly secretKey: string
  /** `us-east-1` if absent. */
  readonly region?: string | undefined
}

/** An S3 store for a test. */
export interface S3Store extends StoreLogin {
  /** Removes all buckets. */
  reset(): Promise<void>
}

const removedAtOnce = 16

/** A client of the store. */
export function clientOf({ url, accessKey, secretKey, region }: StoreLogin): S3Client {
  return new S3Client({
    ...{ endpoint: url, region: region ?? 'us-east-1', forcePathStyle: true },
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  })
}

/** Removes all buckets of a store that has no request for that. */
export async function removeBuckets(login: StoreLogin): Promise<void> {
  const client = clientOf(login)
  try {
    const { Buckets = [] } = await client.send(new ListBucketsCommand({}))
    for (const { Name: Bucket } of Buckets) {
      await abortUploads(client, Bucket)
      await removeObjects(client, Bucket)
      await removeVersions(client, Bucket)
      await client.send(new DeleteBucketCommand({ Bucket }))
    }
  } finally {
    client.destroy()
  }
}

async function abortUploads(client: S3Client, Bucket: string | undefined): Promise<void> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  for (const { Key, UploadId } of Uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
}

/** Also of a store that has no versions. */
async function removeVersions(client: S3Client, Bucket: string | undefined): Promise<void> {
  for (;;) {
    const command = new ListObjectVersionsCommand({ Bucket, EncodingType: 'url' })
    const page = await client.send(command).catch(() => undefined)
    const found = [...(page?.Versions ?? []), ...(page?.DeleteMarkers ?? [])]
    if (found.length === 0) return
    await forEachLimited(found, removedAtOnce, async ({ Key = '', VersionId }) => {
      const key = page?.EncodingType === 'url' ? decodeURIComponent(Key.replaceAll('+', ' ')) : Key
      const version = { Key: key, VersionId }
      // MinIO removes a marker `null` only in this way while versions are enabled.
      if (VersionId === 'null') {
        const Delete = { Objects: [version] }
        await client.send(new DeleteObjectsCommand({ Bucket, Delete }))
      } else {
        const removal = { Bucket, ...version, BypassGovernanceRetention: true }
        await client.send(new DeleteObjectCommand(removal))
      }
    })
  }
}

async function removeObjects(client: S3Client, Bucket: string | undefined): Promise<void> {
  for (;;) {
    // XML does not have all characters of keys.
    const command = new ListObjectsV2Command({ Bucket, EncodingType: 'url' })
    const { Contents = [], EncodingType } = await client.send(command)
    if (Contents.length === 0) return
    await forEachLimited(Contents, removedAtOnce, async ({ Key = '' }) => {
      const key = EncodingType === 'url' ? decodeURIComponent(Key.replaceAll('+', ' ')) : Key
      await client.send(new DeleteObjectCommand({ Bucket, Key: key }))
    })
  }
}
