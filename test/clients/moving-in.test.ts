import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import {
  DeleteObjectCommand,
  GetObjectTaggingCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { codeBlockOf, codeBlocksOf, replaced } from '../support/code-blocks.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { describeOverBoth, type Endpoint } from './endpoint.ts'
import { absenceOf, absenceOfBoto3, runClient } from './run-client.ts'
import { trustAuthority } from './trust-authority.ts'

const page = 'docs/moving-in.md'
const large = Buffer.alloc(12 * 1024 * 1024, 'large')

const oldObjects = [
  {
    Key: 'notes/a letter.weird',
    Body: 'dear',
    ContentType: 'text/markdown; charset=utf-8',
    CacheControl: 'max-age=60',
    ContentDisposition: 'attachment; filename="letter.md"',
    ContentLanguage: 'de',
    Metadata: { author: 'me', 'reviewed-by': 'you' },
  },
  { Key: 'large', Body: large, ContentType: 'video/mp4', Metadata: { camera: 'x' } },
  { Key: 'empty', Body: Buffer.alloc(0), ContentType: 'application/x-empty' },
]

/** The commands of the page, run from another gateway that is the old service. */
describeOverBoth('Moving in', { skip: false }, (endpoint) => {
  function shell(text: string, environment: Readonly<Record<string, string>> = {}) {
    return runClient(endpoint(), { program: '/bin/bash', args: ['-ec', text], environment })
  }

  it('rclone keeps bytes, content types, metadata and headers', {
    skip: absenceOf('rclone'),
  }, async (t) => {
    const old = await startOld(endpoint())
    t.after(() => old.kill())
    const from = clientOf({ gateway: old, caFile: undefined })
    for (const object of oldObjects) {
      await from.send(new PutObjectCommand({ Bucket: testBucket, ...object }))
    }
    const ca = endpoint().caFile
    await shell(
      rcloneCommands(old, endpoint().gateway),
      ca === undefined ? {} : { RCLONE_CA_CERT: ca },
    )
    const to = clientOf(endpoint())
    for (const { Key, Body, Metadata = {}, ...headers } of oldObjects) {
      assert.equal(
        readFileSync(join(endpoint().bucketFolder, Key), 'latin1'),
        Buffer.from(Body).toString('latin1'),
      )
      const head = await to.send(new HeadObjectCommand({ Bucket: testBucket, Key }))
      assert.deepEqual({ ...head, ...headers }, head, Key)
      // rclone adds `mtime` and, for an upload in parts, `md5chksum`.
      assert.deepEqual({ ...head.Metadata, ...Metadata }, head.Metadata, Key)
    }
  })

  it('the script keeps Expires and folder markers, too', { skip: absenceOfBoto3() }, async (t) => {
    const old = await startOld(endpoint(), 'old-of-boto3')
    t.after(() => old.kill())
    const from = clientOf({ gateway: old, caFile: undefined })
    const to = clientOf(endpoint())
    const marker = { Key: 'folder/', Body: '', ContentType: 'application/x-directory' }
    const all = [...oldObjects, marker].map((object) => ({
      ...object,
      Expires: new Date('2030-01-02T03:04:05Z'),
    }))
    for (const object of all) {
      await from.send(new PutObjectCommand({ Bucket: testBucket, ...object }))
    }
    const { caFile } = endpoint()
    await runClient(endpoint(), {
      program: '/usr/bin/python3',
      args: ['-c', replacedKeys(codeBlockOf(page, 'boto3', 'python'), old, endpoint().gateway)],
      environment: caFile === undefined ? {} : { AWS_CA_BUNDLE: caFile },
    })
    const headersIn = async (client: S3Client, Key: string) => {
      const head = await client.send(new HeadObjectCommand({ Bucket: testBucket, Key }))
      const { Expires, ContentType, ContentLength, Metadata, CacheControl } = head
      return { Expires, ContentType, ContentLength, Metadata, CacheControl }
    }
    for (const { Key, Expires } of all) {
      const before = await headersIn(from, Key)
      assert.deepEqual(before.Expires, Expires)
      assert.deepEqual(await headersIn(to, Key), before, Key)
    }
    assert.equal(
      readFileSync(join(endpoint().bucketFolder, 'large'), 'latin1'),
      large.toString('latin1'),
    )
  })

  it('the other script copies versions and delete markers in their order', {
    skip: absenceOfBoto3(),
  }, async (t) => {
    const { caFile, workFolder } = endpoint()
    const [old, other] = await Promise.all(
      ['with-versions', 'copy-of-versions'].map(async (name) => {
        const folder = join(workFolder, '..', name)
        mkdirSync(folder)
        const gateway = await startGatewayProcess({
          folder,
          settings: { COMPATIBILITY: 'aws', ALLOWED_BUCKETS: 'docs' },
        })
        t.after(() => gateway.kill())
        await clientOf({ gateway, caFile: undefined }).send(versioningOn)
        return gateway
      }),
    )
    assert.ok(old !== undefined && other !== undefined)
    const from = clientOf({ gateway: old, caFile: undefined })
    const letter = { Bucket: 'docs', Key: 'letter' }
    await from.send(new PutObjectCommand({ ...letter, Body: 'first', Tagging: 'colour=blue' }))
    await from.send(new PutObjectCommand({ ...letter, Body: 'second', Metadata: { by: 'me' } }))
    await from.send(new DeleteObjectCommand(letter))
    await from.send(new PutObjectCommand({ ...letter, Key: 'kept', Body: 'third' }))
    await runClient(endpoint(), {
      program: '/usr/bin/python3',
      args: ['-c', versionsScript(old, other)],
      environment: caFile === undefined ? {} : { AWS_CA_BUNDLE: caFile },
    })
    const to = clientOf({ gateway: other, caFile: undefined })
    assert.deepEqual(await historyOf(to), await historyOf(from))
    assert.deepEqual(await historyOf(to), [
      { Key: 'kept', Size: 5, IsLatest: true, tags: [], Metadata: {} },
      { Key: 'letter', Size: 6, IsLatest: false, tags: [], Metadata: { by: 'me' } },
      {
        ...{ Key: 'letter', Size: 5, IsLatest: false, Metadata: {} },
        tags: [{ Key: 'colour', Value: 'blue' }],
      },
      { Key: 'letter', IsLatest: true },
    ])
  })

  it('aws-cli fills a bucket from a folder, with content types by name', {
    skip: absenceOf('/usr/bin/aws'),
  }, async () => {
    const { gateway, caFile, workFolder } = endpoint()
    const folder = join(workFolder, 'photos')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'page.html'), '<p>hello</p>')
    const { accessKey, secretKey, region } = gateway.credentials
    const environment = {
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_DEFAULT_REGION: region,
      ...(caFile !== undefined && { AWS_CA_BUNDLE: caFile }),
    }
    const [download, upload] = codeBlocksOf(page).filter(({ text }) => text.startsWith('aws '))
    await shell(replaced(upload?.text ?? '', { 'http://127.0.0.1:9000': gateway.url }), environment)
    const back = { 'https://old.example.com': gateway.url, '/srv/files': join(workFolder, 'back') }
    await shell(replaced(download?.text ?? '', back), environment)
    assert.equal(readFileSync(join(workFolder, 'back/photos/page.html'), 'utf8'), '<p>hello</p>')
    const to = clientOf(endpoint())
    const head = await to.send(new HeadObjectCommand({ Bucket: testBucket, Key: 'page.html' }))
    assert.equal(head.ContentType, 'text/html')
    assert.equal(head.ContentLanguage, 'en')
  })
})

function clientOf({ gateway, caFile }: Pick<Endpoint, 'gateway' | 'caFile'>): S3Client {
  trustAuthority(caFile)
  const { accessKey, secretKey, region } = gateway.credentials
  return new S3Client({
    ...{ endpoint: gateway.url, region, forcePathStyle: true },
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
  })
}

const versioningOn = new PutBucketVersioningCommand({
  ...{ Bucket: 'docs', VersioningConfiguration: { Status: 'Enabled' } },
})

/** The versions of the bucket, then its delete markers. */
async function historyOf(client: S3Client) {
  const listed = await client.send(new ListObjectVersionsCommand({ Bucket: 'docs' }))
  const { Versions = [], DeleteMarkers = [] } = listed
  const versions = Versions.map(async ({ Key, Size, IsLatest, VersionId }) => {
    const place = { Bucket: 'docs', Key, VersionId }
    const { Metadata } = await client.send(new HeadObjectCommand(place))
    const { TagSet: tags } = await client.send(new GetObjectTaggingCommand(place))
    return { Key, Size, IsLatest, tags, Metadata }
  })
  return [
    ...(await Promise.all(versions)),
    ...DeleteMarkers.map(({ Key, IsLatest }) => ({ Key, IsLatest })),
  ]
}

function versionsScript(old: GatewayProcess, gateway: GatewayProcess): string {
  return replaced(codeBlockOf(page, 'Data of MinIO', 'python'), {
    'http://127.0.0.1:9100': old.url,
    'OLD-KEY': old.credentials.accessKey,
    'OLD-SECRET': old.credentials.secretKey,
    'http://127.0.0.1:9000': gateway.url,
    '"KEY"': `"${gateway.credentials.accessKey}"`,
    '"SECRET"': `"${gateway.credentials.secretKey}"`,
  })
}

function startOld({ workFolder }: Endpoint, name = 'old'): Promise<GatewayProcess> {
  const folder = join(workFolder, '..', name)
  mkdirSync(folder)
  return startGatewayProcess({ folder })
}

function rcloneCommands(old: GatewayProcess, gateway: GatewayProcess): string {
  return replaced(codeBlockOf(page, 'rclone', 'sh'), {
    ...oldAndNew(old, gateway),
    '=KEY': `=${gateway.credentials.accessKey}`,
    '=SECRET': `=${gateway.credentials.secretKey}`,
  })
}

function replacedKeys(script: string, old: GatewayProcess, gateway: GatewayProcess): string {
  return replaced(script, {
    ...oldAndNew(old, gateway),
    '"KEY"': `"${gateway.credentials.accessKey}"`,
    '"SECRET"': `"${gateway.credentials.secretKey}"`,
  })
}

function oldAndNew(old: GatewayProcess, gateway: GatewayProcess) {
  return {
    'https://old.example.com': old.url,
    'OLD-KEY': old.credentials.accessKey,
    'OLD-SECRET': old.credentials.secretKey,
    'http://127.0.0.1:9000': gateway.url,
  }
}
