/**
 * A process that dies between two steps leaves the database and the drive as they were after the
 * first. The process is simulated by Uploads whose table or drive fails from that step on; another
 * Uploads, once the lease has run out, is the process that comes after.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../../src/drives/drive.ts'
import type { Uploads } from '../../../../src/s3/multipart/uploads.ts'
import type { UploadTable } from '../../../../src/state/uploads.ts'
import { isS3Error } from '../read-fixture.ts'
import {
  begin,
  listOf,
  makeWorld,
  md5,
  never,
  partOf,
  target,
  textOf,
  type World,
} from '../write-fixture.ts'

class Died extends Error {}

/** The same object, but every method rejects once `method` is called (`before`) or has run. */
function dying<T extends object>(object: T, method: string, when: 'before' | 'after'): T {
  let isDead = false
  return new Proxy(object, {
    get(subject, property) {
      const value = Reflect.get(subject, property)
      if (typeof value !== 'function') return value
      return async (...args: unknown[]) => {
        if (isDead) throw new Died()
        if (property !== method) return value.apply(subject, args)
        isDead = true
        if (when === 'after') await value.apply(subject, args)
        throw new Died()
      }
    },
  })
}

function dyingTable(
  world: World,
  method: keyof UploadTable,
  when: 'before' | 'after',
): UploadTable {
  return dying(world.table, method, when)
}

function withUploads(drive: Drive, uploads: Drive['uploads']): Drive {
  return new Proxy(drive, {
    get(subject, property) {
      if (property === 'uploads') return uploads
      const value = Reflect.get(subject, property)
      return typeof value === 'function' ? value.bind(subject) : value
    },
  })
}

/** An upload with two committed parts, and a worker that dies at the step given. */
async function prepare(t: TestContext, makeMortal: (world: World) => Uploads) {
  const world = await makeWorld(t)
  const survivor = world.worker()
  const name = await begin(survivor)
  await survivor.writePart(name, 1, partOf('one'))
  await survivor.writePart(name, 2, partOf('two'))
  const mortal = makeMortal(world)
  const afterwards = () => world.clock.advance(21_000)
  return { ...world, survivor, mortal, name, afterwards }
}

const partSteps = [
  ['takeLease', 'after'],
  ['commitParts', 'before'],
  ['commitParts', 'after'],
] as const

for (const [method, when] of partSteps) {
  test(`UploadPart goes on after a crash ${when} ${method}`, async (t) => {
    const { survivor, mortal, name, drive, afterwards } = await prepare(t, (world) =>
      world.worker({ table: dyingTable(world, method, when) }),
    )
    await assert.rejects(mortal.writePart(name, 3, partOf('three')), Died)
    afterwards()
    const part = await survivor.writePart(name, 3, partOf('three'))
    assert.equal(part.etag, md5('three'))
    await survivor.writePart(name, 4, partOf('four'))
    await survivor.complete(name, listOf(['one', 'two', 'three', 'four']), never)
    assert.equal(await textOf(drive), 'onetwothreefour')
  })
}

test('UploadPart keeps the old last part when a crash comes before its replacement is stored', async (t) => {
  const { survivor, mortal, name, drive, afterwards } = await prepare(t, (world) =>
    world.worker({ table: dyingTable(world, 'replacePart', 'before') }),
  )
  await assert.rejects(mortal.writePart(name, 2, partOf('another two')), Died)
  afterwards()
  await survivor.complete(name, listOf(['one', 'two']), never)
  assert.equal(await textOf(drive), 'onetwo')
})

const completeSteps = [
  ['beginCompletion', 'before'],
  ['beginCompletion', 'after'],
  ['finishCompletion', 'before'],
  ['finishCompletion', 'after'],
] as const

for (const [method, when] of completeSteps) {
  const mortalAt = (world: World) => world.worker({ table: dyingTable(world, method, when) })
  const list = listOf(['one', 'two'])

  test(`CompleteMultipartUpload is repeated after a crash ${when} ${method}`, async (t) => {
    const { survivor, mortal, name, drive, afterwards } = await prepare(t, mortalAt)
    const lost = await Promise.allSettled([mortal.complete(name, list, never)])
    await mortal.settled()
    afterwards()
    const answer = await survivor.complete(name, list, never)
    if (lost[0].status === 'fulfilled') assert.deepEqual(answer, lost[0].value)
    assert.equal(await textOf(drive), 'onetwo')
  })

  test(`Uploads sweep ends a completion after a crash ${when} ${method}`, async (t) => {
    const { survivor, mortal, name, drive, table, afterwards } = await prepare(t, mortalAt)
    await Promise.allSettled([mortal.complete(name, list, never)])
    await mortal.settled()
    afterwards()
    await Promise.all([survivor.sweep(), survivor.sweep()])
    await survivor.settled()
    const upload = await table.find(name.uploadId)
    const isPublished = method === 'finishCompletion'
    assert.equal(upload?.phase, isPublished ? 'completed' : 'open')
    assert.equal(await textOf(drive), isPublished ? 'onetwo' : undefined)
  })
}

test('Uploads sweep puts no unanswered completion over a newer object', async (t) => {
  const { survivor, mortal, name, drive, afterwards } = await prepare(t, (world) =>
    world.worker({ table: dyingTable(world, 'beginCompletion', 'after') }),
  )
  await assert.rejects(mortal.complete(name, listOf(['one', 'two']), never), Died)
  const draft = await drive.draft(name.bucket, name.key, {})
  await draft.write(Buffer.from('acknowledged since'))
  await draft.publish({ etag: md5('acknowledged since'), headers: {}, metadata: {} })
  afterwards()
  await survivor.sweep()
  assert.equal(await textOf(drive), 'acknowledged since')
  await survivor.writePart(name, 3, partOf('three'))
})

test('CompleteMultipartUpload is repeated after a crash in the drive, before and after publishing', async (t) => {
  for (const when of ['before', 'after'] as const) {
    const { survivor, mortal, name, drive, afterwards } = await prepare(t, (world) =>
      world.worker({
        drive: withUploads(world.drive, dying(world.drive.uploads, 'complete', when)),
        // The process is gone: it does not reopen the upload either.
        table: dyingTable(world, 'reopen', 'before'),
      }),
    )
    await assert.rejects(mortal.complete(name, listOf(['one', 'two']), never), Died)
    afterwards()
    await survivor.complete(name, listOf(['one', 'two']), never)
    assert.equal(await textOf(drive), 'onetwo')
  }
})

test('AbortMultipartUpload aborts what a crashed Complete has not published, and nothing else', async (t) => {
  for (const when of ['before', 'after'] as const) {
    const { survivor, mortal, name, drive, afterwards } = await prepare(t, (world) =>
      world.worker({
        drive: withUploads(world.drive, dying(world.drive.uploads, 'complete', when)),
        table: dyingTable(world, 'reopen', 'before'),
      }),
    )
    await assert.rejects(mortal.complete(name, listOf(['one', 'two']), never), Died)
    afterwards()
    const abort = survivor.abort(name, never)
    if (when === 'before') await abort
    else await assert.rejects(abort, isS3Error('NoSuchUpload'))
    await survivor.settled()
    assert.equal(await textOf(drive), when === 'before' ? undefined : 'onetwo')
    assert.equal(drive.uploads.count, 0)
  }
})

test('AbortMultipartUpload is ended by the sweep after a crash in between', async (t) => {
  for (const [method, when] of [
    ['abort', 'after'],
    ['remove', 'before'],
  ] as const) {
    const { survivor, mortal, name, drive, table, afterwards } = await prepare(t, (world) =>
      world.worker({ table: dyingTable(world, method, when) }),
    )
    await assert.rejects(mortal.abort(name, never), Died)
    await assert.rejects(survivor.writePart(name, 3, partOf('x')), isS3Error('NoSuchUpload'))
    afterwards()
    await survivor.sweep()
    assert.equal(await table.find(name.uploadId), undefined)
    assert.equal(drive.uploads.count, 0)
  }
})

test('CreateMultipartUpload that crashes before its row leaves bytes only until a sweep', async (t) => {
  const world = await makeWorld(t)
  const mortal = world.worker({
    table: dyingTable(world, 'insert', 'before'),
    drive: withUploads(world.drive, dying(world.drive.uploads, 'abort', 'before')),
  })
  await assert.rejects(mortal.create(target, { headers: {}, metadata: {} }), Died)
  assert.equal(world.drive.uploads.count, 1)
  const survivor = world.worker()
  const name = await begin(survivor)
  await survivor.sweep()
  assert.equal(world.drive.uploads.count, 2)
  world.clock.advance(2 * 3_600_000)
  await survivor.sweep()
  assert.equal(world.drive.uploads.count, 1)
  await survivor.writePart(name, 1, partOf('one'))
})
