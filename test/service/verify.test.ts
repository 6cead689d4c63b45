import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { BucketClient } from '../support/bucket-client.ts'
import { flipByte } from '../support/flip-byte.ts'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { linesOf, runVerify, startVerify } from '../support/run-verify.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'

const large = testBytes('large', 700_001)
const inParts = { partSize: 300_000, parallel: 1 }

/** A gateway on a local folder with a small object, a large one, one in parts and a file put there by hand. */
async function filledGateway(t: TestContext, settings: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-verify-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const gateway = await startGatewayProcess({ folder, settings: { WORKERS: '1', ...settings } })
  t.after(() => gateway.kill())
  const client = new BucketClient(gateway.url)
  t.after(() => client.close())
  await client.put('small', Buffer.from('small'))
  await client.put('in/large', large)
  await client.upload('in/parts', large, inParts)
  const { environment } = gateway
  const fileOf = (key: string) => join(gateway.driveFolder, testBucket, key)
  writeFileSync(fileOf('by hand'), 'by hand')
  return { gateway, folder, fileOf, verify: runVerify.bind(undefined, { folder, environment }) }
}

test('verify finds nothing wrong beside a running gateway and after it has stopped', async (t) => {
  const { gateway, verify } = await filledGateway(t)
  for (const isRunning of [true, false]) {
    if (!isRunning) await gateway.stop()
    const run = await verify(testBucket)
    assert.equal(
      run.stdout,
      'photos: 3 verified, 1 not verifiable, 0 different, 0 not readable (1.3 MiB read)\n',
    )
    assert.deepEqual([run.status, run.stderr], [0, ''])
  }
})

test('verify finds a byte that changed on the disk while size and times stayed', async (t) => {
  const { fileOf, verify } = await filledGateway(t)
  for (const key of ['small', 'in/large', 'in/parts', 'by hand']) flipByte(fileOf(key))
  const run = await verify(testBucket, '--json')
  const lines = linesOf(run)
  const summary = lines.pop()
  // The SDK's CRC32 is stored beside the ETag, for parts as that of the parts.
  const found = lines.map(({ key, what }) => `${key} ${what}`).sort()
  assert.deepEqual(found, [
    ...['in/large ETag', 'in/large x-amz-checksum-crc32', 'in/parts ETag'],
    ...['small ETag', 'small x-amz-checksum-crc32'],
  ])
  const etag = lines.find(({ key, what }) => key === 'in/large' && what === 'ETag')
  const bytes = Buffer.from(large)
  const middle = Math.floor(large.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  assert.deepEqual(etag, {
    ...{ kind: 'mismatch', bucket: testBucket, key: 'in/large', what: 'ETag' },
    ...{ expected: md5Of(large), found: md5Of(bytes) },
  })
  assert.equal(summary?.mismatch, 3)
  assert.equal(summary?.unverifiable, 1)
  assert.equal(run.status, 1)
  const text = await verify(testBucket)
  assert.ok(text.stdout.includes(`"photos/in/large": ETag: expected ${md5Of(large)}, found `))
  assert.equal(text.status, 1)
})

test('verify finds a byte that changed in a backup that was restored', async (t) => {
  const { gateway, fileOf, verify } = await filledGateway(t)
  await gateway.stop()
  flipByte(fileOf('in/parts'))
  execFileSync('cp', ['--archive', fileOf('in'), `${fileOf('in')}.backup`])
  rmSync(fileOf('in'), { recursive: true })
  execFileSync('mv', [`${fileOf('in')}.backup`, fileOf('in')])
  const [mismatch, summary] = linesOf(await verify(testBucket, '--json'))
  assert.deepEqual([mismatch?.key, mismatch?.what], ['in/parts', 'ETag'])
  assert.deepEqual([summary?.verified, summary?.mismatch], [2, 1])
})

test('verify treats a file edited by hand as one without a known MD5', async (t) => {
  const { fileOf, verify } = await filledGateway(t)
  writeFileSync(fileOf('small'), 'SMALL')
  const [summary] = linesOf(await verify(testBucket, '--json'))
  assert.deepEqual([summary?.verified, summary?.unverifiable, summary?.mismatch], [2, 2, 0])
})

test('verify reads only keys with the prefix', async (t) => {
  const { fileOf, verify } = await filledGateway(t)
  flipByte(fileOf('small'))
  const run = await verify(testBucket, '--prefix', 'in/', '--json')
  assert.equal(run.status, 0)
  assert.equal(linesOf(run)[0]?.verified, 2)
})

test('verify reports that the drive does not answer', async (t) => {
  const { gateway, folder } = await filledGateway(t)
  const environment = { ...gateway.environment, DRIVE: 'webdav+http://me:word@127.0.0.1:1/dav' }
  const run = await runVerify({ folder, environment }, testBucket)
  assert.match(run.stderr, /WebDAV server/)
  assert.deepEqual([run.status, run.stdout], [2, ''])
})

test('verify creates no folder for a bucket without one', async (t) => {
  const { gateway, verify } = await filledGateway(t)
  await gateway.stop()
  const folder = join(gateway.driveFolder, testBucket)
  rmSync(folder, { recursive: true })
  const run = await verify(testBucket)
  assert.match(run.stdout, /^photos: 0 verified, 0 not verifiable, 0 different, 0 not readable /)
  assert.equal(existsSync(folder), false)
})

test('verify does not end as if an object differed when its reader has gone', async (t) => {
  const { gateway, folder } = await filledGateway(t)
  const child = startVerify({ folder, environment: gateway.environment }, testBucket)
  child.stdout.destroy()
  const [status] = await once(child, 'close')
  assert.equal(status, 2)
})

test('verify uses the settings of the first start and creates nothing', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-verify-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const nothing = await runVerify({ folder, environment: {} }, 'files')
  assert.match(
    nothing.stderr,
    /data\/bucketry\.env does not exist: run this in the folder of the gateway/,
  )
  assert.equal(nothing.status, 2)
  const environment = {
    ACCESS_KEY: 'key',
    SECRET_KEY: '0123456789abcdef',
    ALLOWED_BUCKETS: 'files',
  }
  const fresh = await runVerify({ folder, environment }, 'files')
  assert.match(fresh.stderr, /bucketry\.db does not exist/)
  assert.equal(fresh.status, 2)
  assert.deepEqual(readdirSync(folder), [])
})

test('verify reports mistakes in its command line and in the bucket', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-verify-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const environment = {
    ...{
      ACCESS_KEY: 'key',
      SECRET_KEY: '0123456789abcdef',
      ALLOWED_BUCKETS: 'files,photos',
    },
  }
  for (const args of [[], ['files', 'photos'], ['files', '--fast']]) {
    const run = await runVerify({ folder, environment }, ...args)
    assert.match(run.stderr, /^bucketry: .*\n/)
    assert.equal(run.status, 2)
  }
  const stranger = await runVerify({ folder, environment }, 'others')
  assert.match(
    stranger.stderr,
    /ALLOWED_BUCKETS does not list the bucket others: expected one of files, photos/,
  )
  const memory = await runVerify(
    { folder, environment: { ...environment, DRIVE: 'memory:' } },
    'files',
  )
  assert.match(memory.stderr, /DRIVE is memory:/)
  assert.deepEqual([stranger.status, memory.status], [2, 2])
  assert.equal(existsSync(join(folder, 'data')), false)
})
