import assert from 'node:assert/strict'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { it } from 'node:test'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectAttributesCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { testBucket as Bucket } from '../support/gateway-process.ts'
import { md5Of, sha256OfFile, testBytes, writeTestFile } from '../support/test-bytes.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { trustAuthority } from './trust-authority.ts'

/** The defaults of the SDK, except for the options that every custom S3 endpoint needs. */
function clientOf({ gateway, caFile }: Endpoint): S3Client {
  trustAuthority(caFile)
  const { accessKey, secretKey, region } = gateway.credentials
  return new S3Client({
    endpoint: gateway.url,
    region,
    forcePathStyle: true,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  })
}

const largeBytes = 64 * 1024 * 1024 + 17

describeOverBoth('AWS SDK for JavaScript', { skip: false }, (endpoint) => {
  it('PutObject and GetObject keep bytes, metadata and headers', async () => {
    const client = clientOf(endpoint())
    const Body = testBytes('sdk small', 100_003)
    const put = await client.send(
      new PutObjectCommand({
        Bucket,
        Key: 'sdk/small é+&.bin',
        Body,
        ContentType: 'image/x-test',
        CacheControl: 'max-age=60',
        Metadata: { colour: 'blue', note: 'a\tb  c' },
      }),
    )
    assert.equal(put.ETag, `"${md5Of(Body)}"`)
    assert.deepEqual(await readFile(join(endpoint().bucketFolder, 'sdk/small é+&.bin')), Body)
    const got = await client.send(
      new GetObjectCommand({ Bucket, Key: 'sdk/small é+&.bin', ChecksumMode: 'ENABLED' }),
    )
    assert.deepEqual(Buffer.from((await got.Body?.transformToByteArray()) ?? []), Body)
    assert.equal(got.ContentType, 'image/x-test')
    assert.equal(got.CacheControl, 'max-age=60')
    assert.deepEqual(got.Metadata, { colour: 'blue', note: 'a\tb  c' })
    assert.equal(got.ChecksumCRC32, put.ChecksumCRC32)
  })

  it('PutObject streams 64 MiB from a file and GetObject streams them back', async () => {
    const client = clientOf(endpoint())
    const source = join(endpoint().workFolder, 'stream.bin')
    const bytes = await writeTestFile(source, largeBytes)
    await client.send(
      new PutObjectCommand({ Bucket, Key: 'sdk/stream.bin', Body: createReadStream(source) }),
    )
    const expected = await sha256OfFile(source)
    assert.equal(await sha256OfFile(join(endpoint().bucketFolder, 'sdk/stream.bin')), expected)
    const got = await client.send(new GetObjectCommand({ Bucket, Key: 'sdk/stream.bin' }))
    const copy = join(endpoint().workFolder, 'stream.copy')
    await pipeline(got.Body as NodeJS.ReadableStream, createWriteStream(copy))
    assert.equal(await sha256OfFile(copy), expected)
    const range = await client.send(
      new GetObjectCommand({ Bucket, Key: 'sdk/stream.bin', Range: 'bytes=67108860-' }),
    )
    assert.equal(range.ContentRange, `bytes 67108860-${largeBytes - 1}/${largeBytes}`)
    const tail = Buffer.from((await range.Body?.transformToByteArray()) ?? [])
    assert.deepEqual(tail, bytes.subarray(67108860))
  })

  it('lib-storage uploads two streams at once with its default parallelism', async () => {
    const client = clientOf(endpoint())
    const names = ['parallel-1.bin', 'parallel-2.bin']
    await Promise.all(
      names.map((name) => writeTestFile(join(endpoint().workFolder, name), largeBytes)),
    )
    await Promise.all(
      names.map((name) => {
        const Body = createReadStream(join(endpoint().workFolder, name))
        return new Upload({ client, params: { Bucket, Key: `sdk/${name}`, Body } }).done()
      }),
    )
    for (const name of names) {
      const expected = await sha256OfFile(join(endpoint().workFolder, name))
      assert.equal(await sha256OfFile(join(endpoint().bucketFolder, 'sdk', name)), expected)
      const head = await client.send(new HeadObjectCommand({ Bucket, Key: `sdk/${name}` }))
      assert.equal(head.ContentLength, largeBytes)
      assert.match(head.ETag ?? '', /^"[0-9a-f]{32}-13"$/)
    }
  })

  it('lib-storage abort leaves no object behind', async () => {
    const client = clientOf(endpoint())
    const Body = testBytes('aborted', 16 * 1024 * 1024)
    const upload = new Upload({ client, params: { Bucket, Key: 'sdk/aborted', Body } })
    upload.once('httpUploadProgress', () => void upload.abort())
    await assert.rejects(upload.done(), { name: 'AbortError' })
    assert.equal(existsSync(join(endpoint().bucketFolder, 'sdk/aborted')), false)
  })

  it('ListObjectsV2 pages through files that were added by hand', async () => {
    const client = clientOf(endpoint())
    const folder = join(endpoint().bucketFolder, 'by-hand')
    await mkdir(folder, { recursive: true })
    const names = Array.from(
      { length: 1100 },
      (_, index) => `file-${String(index).padStart(4, '0')}`,
    )
    await Promise.all(names.map((name) => writeFile(join(folder, name), name)))
    const keys: string[] = []
    for await (const page of paginateListObjectsV2({ client }, { Bucket, Prefix: 'by-hand/' })) {
      for (const { Key, Size } of page.Contents ?? []) {
        keys.push(Key ?? '')
        assert.equal(Size, 'file-0000'.length)
      }
    }
    assert.deepEqual(
      keys,
      names.map((name) => `by-hand/${name}`),
    )
  })

  it('CopyObject, GetObjectAttributes and DeleteObjects work on uploaded objects', async () => {
    const client = clientOf(endpoint())
    const Body = testBytes('original', 5000)
    await client.send(new PutObjectCommand({ Bucket, Key: 'copy/from', Body }))
    await client.send(
      new CopyObjectCommand({ Bucket, Key: 'copy/to', CopySource: `${Bucket}/copy/from` }),
    )
    assert.deepEqual(await readFile(join(endpoint().bucketFolder, 'copy/to')), Body)
    const attributes = await client.send(
      new GetObjectAttributesCommand({
        Bucket,
        Key: 'copy/to',
        ObjectAttributes: ['ETag', 'ObjectSize'],
      }),
    )
    assert.equal(attributes.ObjectSize, 5000)
    assert.equal(attributes.ETag, md5Of(Body))
    const Objects = [{ Key: 'copy/from' }, { Key: 'copy/to' }, { Key: 'copy/never-was' }]
    const deleted = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }))
    assert.equal(deleted.Deleted?.length, 3)
    // The folder existed for its objects only.
    await assert.rejects(stat(join(endpoint().bucketFolder, 'copy')), { code: 'ENOENT' })
  })

  it('presigned URLs upload and download without credentials', async () => {
    const client = clientOf(endpoint())
    const body = testBytes('presigned', 3000)
    const target = { Bucket, Key: 'presigned/file name.bin' }
    const upload = new PutObjectCommand({ ...target, Metadata: { colour: 'blue' } })
    const putUrl = await getSignedUrl(client, upload, { expiresIn: 60 })
    const put = await fetch(putUrl, { method: 'PUT', body: new Uint8Array(body) })
    assert.equal(put.status, 200, await put.text())
    const { Metadata } = await client.send(new HeadObjectCommand(target))
    assert.deepEqual(Metadata, { colour: 'blue' })
    const CopySource = `${Bucket}/presigned/file%20name.bin`
    const copy = new CopyObjectCommand({ Bucket, Key: 'presigned/copy', CopySource })
    const copied = await fetch(await getSignedUrl(client, copy), { method: 'PUT' })
    assert.equal(copied.status, 200, await copied.text())
    assert.deepEqual(await readFile(join(endpoint().bucketFolder, 'presigned/copy')), body)
    const getUrl = await getSignedUrl(client, new GetObjectCommand(target), { expiresIn: 60 })
    const got = await fetch(getUrl)
    assert.deepEqual(Buffer.from(await got.arrayBuffer()), body)
    const unsigned = await fetch(getUrl.split('?')[0] ?? '')
    assert.equal(unsigned.status, 403)
    await unsigned.body?.cancel()
  })

  it('HeadBucket and ListBuckets work, and a deleted object is NoSuchKey', async () => {
    const client = clientOf(endpoint())
    await client.send(new HeadBucketCommand({ Bucket }))
    const { Buckets } = await client.send(new ListBucketsCommand({}))
    assert.deepEqual(
      Buckets?.map(({ Name }) => Name),
      [Bucket],
    )
    await client.send(new PutObjectCommand({ Bucket, Key: 'gone', Body: 'x' }))
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'gone' }))
    await assert.rejects(client.send(new GetObjectCommand({ Bucket, Key: 'gone' })), NoSuchKey)
    await assert.rejects(client.send(new HeadObjectCommand({ Bucket, Key: 'gone' })), NotFound)
  })

  it('GetObject and HeadObject distinguish 304, 412 and 416', async () => {
    const client = clientOf(endpoint())
    const target = { Bucket, Key: 'conditions' }
    const { ETag = '' } = await client.send(new PutObjectCommand({ ...target, Body: 'x' }))
    for (const [status, name, asked] of [
      [304, 'Unknown', { IfNoneMatch: ETag }],
      [412, 'PreconditionFailed', { IfMatch: '"other"' }],
      [416, 'InvalidRange', { Range: 'bytes=1-' }],
    ] as const) {
      const input = { ...target, ...asked }
      const got = await refusalOf(client.send(new GetObjectCommand(input)))
      assert.deepEqual([got.$metadata.httpStatusCode, got.name], [status, name])
      const head = await refusalOf(client.send(new HeadObjectCommand(input)))
      assert.equal(head.$metadata.httpStatusCode, status)
    }
  })
})

/** The error with which the SDK rejects. */
async function refusalOf(sent: Promise<unknown>): Promise<S3ServiceException> {
  const error = await sent.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof S3ServiceException, String(error))
  return error
}
