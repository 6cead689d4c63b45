import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import type { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { giveOwnEtags } from '../../../../support/own-etags.ts'
import { isS3Error } from '../read-fixture.ts'
import {
  begin,
  etagOfParts,
  listOf,
  makeWorld,
  md5,
  never,
  partOf,
  slowPart,
  target,
  textOf,
  type World,
} from '../write-fixture.ts'

async function putByHand({ drive }: World, text: string): Promise<void> {
  const draft = await drive.draft('b', 'k', {})
  await draft.write(Buffer.from(text))
  await draft.publish({ etag: md5(text), headers: {}, metadata: {} })
}

const isCondition = (error: unknown) => error instanceof DriveError && error.kind === 'condition'

test('CompleteMultipartUpload publishes the attributes that the upload was created with', async (t) => {
  const { worker, drive } = await makeWorld(t)
  const uploads = worker()
  const details = { headers: { 'content-type': 'text/x' }, metadata: { __proto__x: 'é' } }
  const uploadId = await uploads.create({ bucket: 'b', key: 'nul \0 key' }, details)
  const name = { bucket: 'b', key: 'nul \0 key', uploadId }
  await uploads.writePart(name, 1, partOf('aaa'))
  await uploads.writePart(name, 2, partOf('bbb'))
  await uploads.writePart(name, 3, partOf('c'))
  await uploads.complete(name, listOf(['aaa', 'bbb', 'c']), never)
  const metadata = await drive.head('b', 'nul \0 key')
  assert.deepEqual(metadata?.attributes, {
    etag: etagOfParts(['aaa', 'bbb', 'c']),
    ...details,
    partSizes: [
      [2, 3],
      [1, 1],
    ],
  })
})

test('CompleteMultipartUpload of an idle upload does not wait', async (t) => {
  const { worker, drive } = await makeWorld(t)
  const uploads = worker({ partWaitMs: 0 })
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  await uploads.complete(name, listOf(['one']), never)
  assert.equal(await textOf(drive), 'one')
})

test('CompleteMultipartUpload sent to two workers at once creates one object and one reply', async (t) => {
  const world = await makeWorld(t)
  let published = 0
  const counting = new Proxy(world.drive.uploads, {
    get(uploads, property) {
      const value = Reflect.get(uploads, property)
      if (typeof value !== 'function') return value
      if (property === 'complete') published += 1
      return value.bind(uploads)
    },
  })
  const drive = new Proxy(world.drive, {
    get: (memory, property) => {
      const value = property === 'uploads' ? counting : Reflect.get(memory, property)
      return typeof value === 'function' ? value.bind(memory) : value
    },
  })
  const workers = [world.worker({ drive }), world.worker({ drive })] as const
  const name = await begin(workers[0])
  await workers[0].writePart(name, 1, partOf('one'))
  const answers = await Promise.all(
    [0, 1, 0, 1, 0, 1].map((worker) =>
      workers[worker === 0 ? 0 : 1].complete(name, listOf(['one']), never),
    ),
  )
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal(published, 1)
  assert.equal(await textOf(world.drive), 'one')
})

test('CompleteMultipartUpload repeats its reply for 15 minutes, even after the object is deleted', async (t) => {
  const { worker, drive, clock } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  const answer = await uploads.complete(name, listOf(['one']), never)
  await uploads.idle()
  await drive.remove('b', 'k')
  clock.advance(14 * 60_000)
  await uploads.sweep()
  assert.deepEqual(await uploads.complete(name, listOf(['one']), never), answer)
  assert.equal(await drive.head('b', 'k'), undefined)
  clock.advance(2 * 60_000)
  await uploads.sweep()
  await assert.rejects(uploads.complete(name, listOf(['one']), never), isS3Error('NoSuchUpload'))
})

test('CompleteMultipartUpload answers the ETag of the drive, also after its process died', async (t) => {
  const { worker, drive, table, clock, complaints } = await makeWorld(t)
  giveOwnEtags(drive)
  const uploads = worker()
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  t.mock.method(table, 'finishCompletion', () => Promise.reject(new Error('killed')), { times: 1 })
  const first = await uploads.complete(name, listOf(['one']), never)
  await uploads.idle()
  assert.equal(complaints.length, 1)
  clock.advance(60_000)
  const again = await worker().complete(name, listOf(['one']), never)
  assert.equal(first.attributes.etag, 'of the store')
  assert.deepEqual(again, first)
})

test('CompleteMultipartUpload makes every other operation return NoSuchUpload', async (t) => {
  const { worker } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  await uploads.complete(name, listOf(['one']), never)
  await assert.rejects(uploads.writePart(name, 2, partOf('two')), isS3Error('NoSuchUpload'))
  await assert.rejects(uploads.abort(name, never), isS3Error('NoSuchUpload'))
  await assert.rejects(
    uploads.listParts(name, { after: 0, limit: 1 }, never),
    isS3Error('NoSuchUpload'),
  )
})

test('CompleteMultipartUpload may leave out trailing parts', async (t) => {
  const { worker, drive } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  for (const number of [1, 2, 3]) await uploads.writePart(name, number, partOf(`part ${number},`))
  await uploads.complete(name, listOf(['part 1,', 'part 2,']), never)
  assert.equal(await textOf(drive), 'part 1,part 2,')
})

test('CompleteMultipartUpload leaves the upload open and the object unchanged if its condition fails', async (t) => {
  const world = await makeWorld(t)
  const uploads = world.worker()
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  await putByHand(world, 'was here first')
  const conditional = { ...listOf(['one']), conditions: { ifNoneMatch: '*' } } as const
  await assert.rejects(uploads.complete(name, conditional, never), isCondition)
  assert.equal(await textOf(world.drive), 'was here first')
  await uploads.writePart(name, 2, partOf('two'))
  await uploads.complete(name, listOf(['one', 'two']), never)
  assert.equal(await textOf(world.drive), 'onetwo')
})

test('CompleteMultipartUpload that leaves out trailing parts and fails discards those parts', async (t) => {
  const world = await makeWorld(t)
  const uploads = world.worker()
  const name = await begin(uploads)
  for (const bytes of ['one', 'two', 'three']) {
    const number = ['one', 'two', 'three'].indexOf(bytes) + 1
    await uploads.writePart(name, number, partOf(bytes))
  }
  await putByHand(world, 'was here first')
  const conditional = { ...listOf(['one']), conditions: { ifNoneMatch: '*' } } as const
  await assert.rejects(uploads.complete(name, conditional, never), isCondition)
  const { parts } = await uploads.listParts(name, { after: 0, limit: 10 }, never)
  assert.deepEqual(
    parts.map(({ number }) => number),
    [1],
  )
  await uploads.writePart(name, 2, partOf('zwei'))
  await uploads.complete(name, listOf(['one', 'zwei']), never)
  assert.equal(await textOf(world.drive), 'onezwei')
})

test('CompleteMultipartUpload stops a part that is still being received', async (t) => {
  const world = await makeWorld(t)
  const [writer, completer] = [world.worker(), world.worker()]
  const name = await begin(writer)
  await writer.writePart(name, 1, partOf('one'))
  const slow = slowPart('never finished')
  const part = assert.rejects(writer.writePart(name, 2, slow.source), isS3Error('NoSuchUpload'))
  await slow.started
  await completer.complete(name, listOf(['one']), never)
  await part
  slow.proceed()
  assert.equal(await textOf(world.drive), 'one')
})

test('CompleteMultipartUpload with If-None-Match: * has one winner among uploads of one key', async (t) => {
  const world = await makeWorld(t)
  const workers = [world.worker(), world.worker()]
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, async (_, index) => {
      const uploads = workers[index % 2] ?? world.worker()
      const name = await begin(uploads)
      await uploads.writePart(name, 1, partOf(`winner ${index}`))
      const list = listOf([`winner ${index}`])
      await uploads.complete(name, { ...list, conditions: { ifNoneMatch: '*' } }, never)
      return `winner ${index}`
    }),
  )
  const won = outcomes.filter((outcome) => outcome.status === 'fulfilled')
  assert.equal(won.length, 1)
  assert.equal(await textOf(world.drive), won[0]?.value)
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(isCondition(outcome.reason))
  }
})

test('CompleteMultipartUpload checks the list against the committed parts', async (t) => {
  const { worker, drive } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  for (const number of [1, 2, 3]) await uploads.writePart(name, number, partOf(`${number}`))
  const part = (number: number, bytes = `${number}`) => ({
    number,
    etag: md5(bytes),
    checksums: [],
  })
  const cases: readonly (readonly [ReturnType<typeof part>[], S3Error['code']])[] = [
    [[part(2), part(1)], 'InvalidPartOrder'],
    [[part(1), part(1)], 'InvalidPartOrder'],
    [[part(1), part(2), part(3), part(4)], 'InvalidPart'],
    [[part(1), part(3)], 'InvalidPart'],
    [[part(2), part(3)], 'InvalidPart'],
    [[part(1), part(2, 'x')], 'InvalidPart'],
  ]
  for (const [parts, code] of cases) {
    await assert.rejects(uploads.complete(name, { parts }, never), isS3Error(code))
  }
  const parts = [part(1), part(2), part(3)]
  const wrongSize = { parts, objectSize: 4 }
  await assert.rejects(uploads.complete(name, wrongSize, never), isS3Error('InvalidRequest'))
  assert.equal(await drive.head('b', 'k'), undefined)
  await uploads.complete(name, { parts, objectSize: 3 }, never)
  assert.equal(await textOf(drive), '123')
})

test('CompleteMultipartUpload of an upload without parts is InvalidPart', async (t) => {
  const { worker } = await makeWorld(t)
  const uploads = worker()
  const name = { ...target, uploadId: await uploads.create(target, { headers: {}, metadata: {} }) }
  await assert.rejects(uploads.complete(name, listOf(['x']), never), isS3Error('InvalidPart'))
})
