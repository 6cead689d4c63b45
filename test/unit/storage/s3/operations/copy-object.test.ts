import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { copyObject } from '../../../../../src/storage/s3/operations/copy-object.ts'
import { putObject } from '../../../../../src/storage/s3/operations/put-object.ts'
import { isS3Error } from '../read-fixture.ts'
import {
  elementOf,
  listOf,
  makeWorld,
  md5,
  never,
  OperationRunner,
  partOf,
  textOf,
  type World,
} from '../write-fixture.ts'

async function prepare(t: Parameters<typeof makeWorld>[0]) {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  const headers = { 'content-type': 'text/x', 'x-amz-meta-a': 'b' }
  await runner.run(putObject, { key: 'source', body: 'hello', headers })
  const copy = (source: string, more: Record<string, string> = {}, key = 'k') =>
    runner.run(copyObject, { key, headers: { 'x-amz-copy-source': source, ...more } })
  return { ...world, runner, copy }
}

const attributesOf = async ({ drive }: Pick<World, 'drive'>, key = 'k') =>
  (await drive.head('b', key))?.attributes

test('CopyObject refuses a source with raw white space that a signature covers as one space', async (t) => {
  const { copy, runner } = await prepare(t)
  for (const key of ['a  b', 'a\tb', 'a b']) await runner.run(putObject, { key, body: key })
  await assert.rejects(copy('b/a  b'), isS3Error('InvalidArgument'))
  await assert.rejects(copy('b/a\tb'), isS3Error('InvalidArgument'))
  await copy('b/a%20%20b')
  await copy('b/a%09b')
  await copy('b/a b')
})

test('CopyObject opens its source at the default priority', async (t) => {
  const { drive, copy } = await prepare(t)
  const open = t.mock.method(drive as Drive, 'open')
  await copy('b/source')
  const priorities = open.mock.calls.map(({ arguments: [, , options] }) => options?.priority)
  assert.deepEqual(priorities, [undefined])
})

test('CopyObject decodes its source once', async (t) => {
  const { runner, copy, drive } = await prepare(t)
  const keys = ['a b', 'a+b', 'a%20b', 'ü', 'a?versionId=null', '/a//b', 'a/../b']
  for (const key of keys) await runner.run(putObject, { key, body: `this is ${key}` })
  for (const key of keys) {
    const encoded = encodeURIComponent(key)
    for (const source of [
      `b/${encoded}`,
      `/b/${encoded}`,
      `b%2F${encoded}`,
      `b/${encoded}?versionId=null`,
    ]) {
      await copy(source)
      assert.equal(await textOf(drive), `this is ${key}`, source)
    }
  }
  await copy('b/a+b')
  assert.equal(await textOf(drive), 'this is a+b')
  await copy(`b/${Buffer.from('ü').toString('latin1')}`)
  assert.equal(await textOf(drive), 'this is ü')
})

test('CopyObject evaluates the conditions on source and target', async (t) => {
  const { copy, drive } = await prepare(t)
  const etag = `"${md5('hello')}"`
  const failing = [
    { 'x-amz-copy-source-if-match': '"other"' },
    { 'x-amz-copy-source-if-none-match': etag },
    { 'x-amz-copy-source-if-modified-since': new Date(Date.now() + 10_000).toUTCString() },
    { 'x-amz-copy-source-if-unmodified-since': 'Sun, 06 Nov 1994 08:49:37 GMT' },
  ]
  for (const headers of failing) {
    await assert.rejects(copy('b/source', headers), isS3Error('PreconditionFailed'))
  }
  await copy('b/source', {
    'x-amz-copy-source-if-match': etag,
    'x-amz-copy-source-if-unmodified-since': 'Sun, 06 Nov 1994 08:49:37 GMT',
  })
  await assert.rejects(
    copy('b/source', { 'if-none-match': '*' }),
    (error) => error instanceof DriveError && error.kind === 'condition',
  )
  await copy('b/source', { 'if-none-match': '*' }, 'new')
  assert.equal(await textOf(drive, 'new'), 'hello')
})

test('CopyObject of an object uploaded in parts reads it and gives the copy an MD5 as ETag', async (t) => {
  const world = await prepare(t)
  const name = { bucket: 'b', key: 'parts', uploadId: '' }
  const { uploads } = world.runner.service
  const checksum = { algorithm: 'SHA256', type: 'COMPOSITE' } as const
  const uploadId = await uploads.create(name, { headers: {}, metadata: {}, checksum })
  const { pour, ...source } = partOf('in parts')
  await uploads.writePart({ ...name, uploadId }, 1, {
    ...source,
    pour: async (sink, algorithm) => ({
      ...(await pour(sink, algorithm)),
      checksum: { algorithm: 'SHA256', type: 'FULL_OBJECT', value: 'AAAA' },
    }),
  })
  await uploads.complete({ ...name, uploadId }, listOf(['in parts']), never)
  const reply = await world.copy('b/parts')
  assert.equal(elementOf(reply, 'ETag'), `"${md5('in parts')}"`)
  const attributes = await attributesOf(world)
  assert.equal(attributes?.partSizes, undefined)
  assert.deepEqual(attributes?.checksum, {
    algorithm: 'SHA256',
    type: 'FULL_OBJECT',
    value: 'blQJcayvpfU4JvZikFA+i6dHge+J445yhLY8RTa9U2Q=',
  })
})

test('CopyObject retries when its source changes meanwhile, and gives up eventually', async (t) => {
  const { copy, drive } = await prepare(t)
  let changes = 0
  const copyOnDrive = drive.copy?.bind(drive)
  assert.ok(copyOnDrive)
  drive.copy = (...args) => {
    changes += 1
    if (changes < 3) throw new DriveError('changed', 'gone')
    return copyOnDrive(...args)
  }
  await copy('b/source')
  assert.equal(await textOf(drive), 'hello')
  drive.copy = () => Promise.reject(new DriveError('changed', 'gone'))
  await assert.rejects(copy('b/source'), (error) => error instanceof DriveError)
})

test('CopyObject streams when the drive cannot copy', async (t) => {
  const world = await prepare(t)
  world.drive.copy = async () => undefined
  await world.copy('b/source')
  assert.equal(await textOf(world.drive), 'hello')
  assert.deepEqual((await attributesOf(world))?.metadata, { a: 'b' })
})
