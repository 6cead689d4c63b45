import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { compatibilityOf } from '../../../../../src/storage/s3/compatibility.ts'
import type { ObjectContext } from '../../../../../src/storage/s3/context.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { deleteObjects } from '../../../../../src/storage/s3/operations/delete-objects.ts'
import { putObject } from '../../../../../src/storage/s3/operations/put-object.ts'
import { makeWorld, md5, OperationRunner, textOf } from '../write-fixture.ts'

const deleteMany = (context: ObjectContext) => deleteObjects(context)

function deleteDocument(keys: readonly string[], options = ''): string {
  const objects = keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')
  return `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${objects}${options}</Delete>`
}

test('DeleteObjects reports objects and absent keys as deleted, in order', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  for (const key of ['a', 'b&<"', 'kept']) await runner.run(putObject, { key, body: key })
  const keys = ['absent', 'a', 'b&amp;&lt;&quot;', 'a']
  const reply = await runner.run(deleteMany, { body: deleteDocument(keys) })
  const answered = ['absent', 'a', 'b&amp;&lt;"', 'a']
  const deleted = answered.map((key) => `<Deleted><Key>${key}</Key></Deleted>`).join('')
  assert.ok(String(reply.body).endsWith(`>${deleted}</DeleteResult>`), String(reply.body))
  assert.equal(await textOf(world.drive, 'a'), undefined)
  assert.equal(await textOf(world.drive, 'b&<"'), undefined)
  assert.equal(await textOf(world.drive, 'kept'), 'kept')
})

test('DeleteObjects logs one failure of each kind, also if the drive removes several together', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  world.drive.removeAll = async (_, keys) =>
    keys.map((key) => new DriveError(key === 'c' ? 'no-bucket' : 'unavailable', `${key} is away.`))
  world.drive.remove = async () => {
    throw new TypeError('secret detail')
  }
  const body = deleteDocument(['a', 'b', 'c'], '<Object><Key>d</Key><ETag>*</ETag></Object>')
  const text = String((await runner.run(deleteMany, { body })).body)
  assert.deepEqual(
    [...text.matchAll(/<Code>(\w+)/g)].map(([, code]) => code),
    ['ServiceUnavailable', 'ServiceUnavailable', 'ServiceUnavailable', 'InternalError'],
  )
  const keys = world.complaints.map((fields) => (fields as { key: string }).key)
  assert.deepEqual(keys, ['a', 'd'])
})

test('DeleteObjects words the error of an object as other errors of its mode', async (t) => {
  const world = await makeWorld(t)
  world.drive.remove = async () => {
    throw new S3Error('InvalidDigest', undefined, { inAws: { code: 'InvalidRequest' } })
  }
  const byDefault = new OperationRunner(world)
  const service = { ...byDefault.service, compatibility: compatibilityOf.aws }
  const aws = Object.assign(new OperationRunner(world), { service })
  const body = deleteDocument(['k'])
  const headers = { 'content-md5': createHash('md5').update(body).digest('base64') }
  for (const [runner, code] of [
    [byDefault, 'InvalidDigest'],
    [aws, 'InvalidRequest'],
  ] as const) {
    const reply = await runner.run(deleteMany, { body, headers })
    assert.match(String(reply.body), new RegExp(`<Code>${code}</Code>`))
  }
})

test('DeleteObjects honours the ETag of an entry', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  await runner.run(putObject, { body: 'x' })
  const entry = (etag: string) =>
    `<Delete><Object><Key>k</Key><ETag>${etag}</ETag></Object></Delete>`
  const refused = await runner.run(deleteMany, { body: entry('&quot;other&quot;') })
  assert.match(String(refused.body), /<Code>PreconditionFailed</)
  assert.equal(await textOf(world.drive), 'x')
  await runner.run(deleteMany, { body: entry(`&quot;${md5('x')}&quot;`) })
  assert.equal(await textOf(world.drive), undefined)
})

test('DeleteObjects refuses conditions of an entry that it does not support', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  await runner.run(putObject, { body: 'x' })
  for (const condition of ['<Size>9</Size>', '<LastModifiedTime>2015-01-01</LastModifiedTime>']) {
    const body = `<Delete><Object><Key>k</Key>${condition}</Object></Delete>`
    const { body: refused } = await runner.run(deleteMany, { body })
    assert.match(String(refused), /<Error><Key>k<\/Key><Code>NotImplemented</)
    assert.equal(await textOf(world.drive), 'x')
  }
})

test('DeleteObjects removes together what a drive can remove so, without what has a condition', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  for (const key of ['a', 'b', 'c']) await runner.run(putObject, { key, body: key })
  const together: string[][] = []
  world.drive.removeAll = async (bucket, keys) => {
    together.push([...keys])
    await world.drive.remove(bucket, 'a')
    return keys.map((key) => (key === 'b' ? new DriveError('denied', 'No.') : undefined))
  }
  const pinned = `<Object><Key>c</Key><ETag>"${md5('c')}"</ETag></Object>`
  const body = deleteDocument(['a', 'b'], pinned)
  const reply = String((await runner.run(deleteMany, { body })).body)
  assert.deepEqual(together, [['a', 'b']])
  assert.match(reply, /<Deleted><Key>a<\/Key><\/Deleted><Deleted><Key>c<\/Key><\/Deleted>/)
  assert.match(reply, /<Error><Key>b<\/Key><Code>AccessDenied<\/Code>/)
  assert.equal(await textOf(world.drive, 'c'), undefined)
  await runner.run(deleteMany, { body: deleteDocument(['b']) })
  assert.equal(together.length, 1, 'one object is removed alone')
})

test('DeleteObjects removes nothing for a version ID that is not that of the object, also together', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  const together: string[][] = []
  world.drive.removeAll = async (_, keys) => {
    together.push([...keys])
    return keys.map(() => undefined)
  }
  const versions = ['x', 'null', 'y'].map(
    (id, index) => `<Object><Key>v${index}</Key><VersionId>${id}</VersionId></Object>`,
  )
  const body = deleteDocument(['a', 'b'], versions.join(''))
  const reply = String((await runner.run(deleteMany, { body })).body)
  assert.deepEqual(together, [['a', 'b', 'v1']])
  const refused = [...reply.matchAll(/<Error><Key>(\w+)<.Key>.*?<Code>(\w+)</g)]
  assert.deepEqual(
    refused.map(([, key, code]) => [key, code]),
    [
      ['v0', 'InvalidArgument'],
      ['v2', 'InvalidArgument'],
    ],
  )
})

test('DeleteObjects in quiet mode reports only what failed', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  const remove = world.drive.remove.bind(world.drive)
  world.drive.remove = (bucket, key, conditions) => {
    if (key === 'busy') throw new DriveError('busy', 'later')
    if (key === 'bug') throw new TypeError('secret detail')
    return remove(bucket, key, conditions)
  }
  const body = deleteDocument(['a', 'busy', 'bug', 'x'.repeat(1_025)], '<Quiet>true</Quiet>')
  const text = String((await runner.run(deleteMany, { body })).body)
  assert.ok(!text.includes('<Deleted>'))
  assert.deepEqual(
    [...text.matchAll(/<Code>(\w+)/g)].map(([, code]) => code),
    ['SlowDown', 'InternalError', 'KeyTooLongError'],
  )
  assert.ok(!text.includes('secret detail'))
  assert.equal(world.complaints.length, 1)
})
