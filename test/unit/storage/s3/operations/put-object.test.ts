import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { putObject } from '../../../../../src/storage/s3/operations/put-object.ts'
import { isS3Error } from '../read-fixture.ts'
import { makeWorld, md5, OperationRunner, textOf } from '../write-fixture.ts'

test('PutObject keeps the old object and discards the draft when the body ends early or fails', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  await runner.run(putObject, { body: 'old' })
  const headers = { 'content-length': '10' }
  const short = runner.run(putObject, { body: Readable.from([Buffer.from('new')]), headers })
  await assert.rejects(short, isS3Error('IncompleteBody'))
  const broken = new Readable({ read: () => undefined })
  // node:http emits the error only if there is a listener.
  broken.on('error', () => undefined)
  broken.push('new')
  setImmediate(() => broken.destroy(new Error('aborted')))
  await assert.rejects(
    runner.run(putObject, { body: broken, headers }),
    isS3Error('IncompleteBody'),
  )
  assert.equal(await textOf(world.drive), 'old')
})

/** Bodies from this length on are refused before they are read. */
const large = { 'content-length': '1048576' }

test('PutObject refuses a request before it accepts the body', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  await runner.run(putObject, { body: 'old' })
  const refused = [
    [{ 'x-amz-tagging': 'a=b' }, isS3Error('NotImplemented')],
    [{ 'x-amz-meta-a': 'x'.repeat(3_000) }, isS3Error('MetadataTooLarge')],
    [{ 'content-md5': 'nonsense' }, isS3Error('InvalidDigest')],
    [{ 'if-none-match': '*', ...large }, (error: unknown) => isKind(error, 'condition')],
    [{ 'if-match': '"other"', ...large }, (error: unknown) => isKind(error, 'condition')],
  ] as const
  for (const [headers, isExpected] of refused) {
    await assert.rejects(runner.run(putObject, { body: 'new', headers }), isExpected)
    assert.equal(runner.wasBodyAccepted, false)
  }
  const absent = { body: 'new', key: 'absent', headers: { 'if-match': '*', ...large } }
  await assert.rejects(runner.run(putObject, absent), (error) => isKind(error, 'not-found'))
  assert.equal(runner.wasBodyAccepted, false)
  assert.equal(await textOf(world.drive), 'old')
  assert.equal(await textOf(world.drive, 'absent'), undefined)
})

test('PutObject of a small body leaves conditions to the drive, which checks them with the write', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  await runner.run(putObject, { body: 'old' })
  const head = t.mock.method(world.drive, 'head')
  const refused = [
    ['k', { 'if-none-match': '*' }, 'condition'],
    ['k', { 'if-match': '"other"' }, 'condition'],
    ['absent', { 'if-match': '*' }, 'not-found'],
  ] as const
  for (const [key, headers, kind] of refused) {
    const put = runner.run(putObject, { body: 'new', key, headers })
    await assert.rejects(put, (error) => isKind(error, kind))
  }
  await runner.run(putObject, { body: 'new', headers: { 'if-match': `"${md5('old')}"` } })
  assert.equal(head.mock.callCount(), 0)
  assert.equal(await textOf(world.drive), 'new')
  assert.equal(await textOf(world.drive, 'absent'), undefined)
})

test('PutObject of a small body says that its condition fails, also if there is no space for it', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  await runner.run(putObject, { body: 'old' })
  for (const error of [
    new DriveError('full', 'no space'),
    new DriveError('not-implemented', 'no conditions'),
    new S3Error('QuotaExceeded'),
  ]) {
    t.mock.method(world.drive, 'draft', () => Promise.reject(error))
    const failing = runner.run(putObject, { body: 'new', headers: { 'if-none-match': '*' } })
    await assert.rejects(failing, (found) => isKind(found, 'condition'))
    const holding = { key: 'absent', headers: { 'if-none-match': '*' } }
    await assert.rejects(
      runner.run(putObject, { body: 'new', ...holding }),
      (found) => found === error,
    )
    await assert.rejects(runner.run(putObject, { body: 'new' }), (found) => found === error)
  }
})

test('PutObject with If-None-Match: * has one winner of 32', async (t) => {
  const world = await makeWorld(t)
  const runner = new OperationRunner(world)
  const outcomes = await Promise.allSettled(
    Array.from({ length: 32 }, (_, index) =>
      runner.run(putObject, { body: `${index}`, headers: { 'if-none-match': '*' } }),
    ),
  )
  const winners = outcomes.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []))
  assert.equal(winners.length, 1)
  assert.equal(await textOf(world.drive), String(winners[0]))
})

function isKind(error: unknown, kind: string): boolean {
  return error instanceof DriveError && error.kind === kind
}
