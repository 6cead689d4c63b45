import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it, type TestContext } from 'node:test'
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3'
import { recordedStores } from '../../scripts/recorded-stores.ts'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import type { Drive } from '../../src/storage/drives/drive.ts'
import { DatabaseDriveUploads } from '../../src/storage/drives/kit/uploads/drive-upload-table.ts'
import { parseStoreAddress } from '../../src/storage/drives/s3/requests/store-names.ts'
import { openS3Drive, type S3DriveOptions } from '../../src/storage/drives/s3/s3-drive.ts'
import { probeStore } from '../support/s3/probe-store.ts'
import type { StoreLogin } from '../support/s3/s3-store.ts'
import { buckets, type DriveUnderTest, type MakeOptions } from './drive/drive-suite.ts'

/** What no S3 store can do. */
export const s3DriveLacks = {
  byHand: 'what other clients put there are objects like all others',
  capacity: 'the store decides',
  keptVersions: 'a store without versions keeps no overwritten bytes',
  removeFolder: 'S3 has no folders',
  givenEtags: 'they are those of the store',
  publishedTimes: 'the reply to a PUT has no time of the object',
  pastCompletes: 'the store forgets an upload that was completed',
  fullMetadata: 'what is not ASCII is longer in the store',
  cutParts: 'a part of the store is whole',
} as const

const noPin = 'CopyObject ignores If-Match of its source: the caller reads and writes'

/** The cases of copies that a store does not make that ignores If-Match of their source. */
export const copiesWithoutPin = Object.fromEntries(
  [
    ...[0, 1_000, 3_000_000].map((size) => `creates another object with the same ${size} bytes`),
    'onto itself changes only the attributes',
    'works to and from keys beside folders of the same name',
    'copies one version while the source is overwritten',
  ].map((title) => [title, noPin]),
)

/** A case: a store does what docs/s3-drive.md says. */
export function itDoesAsRecorded(name: string, store: () => StoreLogin): void {
  it('does what docs/s3-drive.md says', async () => {
    const recorded = recordedStores().find((one) => one.store === name)
    assert.deepEqual(await probeStore(store()), recorded?.abilities, 'run npm run docs:store')
  })
}

interface StoreUnderTest extends StoreLogin {
  /** The bucket and folder of a drive whose buckets are folders, with `/` before them. */
  readonly path?: string
}

/** Options of a drive on the store, with a database of its own that ends with the test. */
export async function s3DriveOptions(
  t: Pick<TestContext, 'after'>,
  { url, accessKey, secretKey, region, path = '' }: StoreUnderTest,
): Promise<S3DriveOptions> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-s3-'))
  const database = await openDatabase(
    { kind: 'sqlite', path: join(folder, 'state.db') },
    { migrate: true },
  )
  t.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    address: parseStoreAddress(`s3+${url}${path}`),
    records: new DatabaseDriveUploads(database),
    now: Date.now,
    addressing: 'path',
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  }
}

/** A drive on the store, which is empty. */
export async function s3DriveUnderTest(
  t: TestContext,
  store: StoreUnderTest,
  { versioningOf }: MakeOptions = {},
): Promise<DriveUnderTest> {
  const options = { ...(await s3DriveOptions(t, store)), versioningOf }
  const open = async (): Promise<Drive> => {
    const drive = await openS3Drive(options)
    t.after(() => drive.close())
    await drive.prepare(buckets)
    return drive
  }
  return { drive: await open(), reopen: open, leftovers: () => openUploads(options) }
}

/** A folder of a bucket that no other test uses. */
export function newFolder(bucket: string): string {
  return `/${bucket}/${randomBytes(6).toString('hex')}`
}

/** The keys of the store's uploads that have not ended. */
export async function openUploads({
  address,
  region,
  credentials,
}: S3DriveOptions): Promise<string[]> {
  const { endpoint, bucket, prefix } = address
  const client = new S3Client({
    ...{ endpoint, region: region ?? 'us-east-1', forcePathStyle: true },
    ...(credentials && { credentials }),
  })
  try {
    const found: string[] = []
    for (const Bucket of bucket === undefined ? buckets : [bucket]) {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix })
      const { Uploads = [] } = await client.send(command)
      found.push(...Uploads.map(({ Key = '' }) => Key).filter((key) => key.startsWith(prefix)))
    }
    return found
  } finally {
    client.destroy()
  }
}
