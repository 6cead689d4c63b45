/**
 * A process that dies between two steps leaves the database and the drive as they were after the
 * first. The process is simulated by Uploads whose table or drive fails from that step on; another
 * Uploads, once the lease has run out, is the next process.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import type { UploadTable } from '../../../../../src/storage/s3/multipart/upload-table.ts'
import type { Uploads } from '../../../../../src/storage/s3/multipart/uploads.ts'
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
  test(`UploadPart continues after a crash ${when} ${method}`, async (t) => {
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

test('UploadPart keeps the old last part after a crash before its replacement is stored', async (t) => {
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
    await mortal.idle()
    afterwards()
    const answer = await survivor.complete(name, list, never)
    if (lost[0].status === 'fulfilled') assert.deepEqual(answer, lost[0].value)
    assert.equal(await textOf(drive), 'onetwo')
  })

  test(`Uploads sweep recovers a completion after a crash ${when} ${method}`, async (t) => {
    const { survivor, mortal, name, drive, table, afterwards } = await prepare(t, mortalAt)
    await Promise.allSettled([mortal.complete(name, list, never)])
    await mortal.idle()
    afterwards()
    await Promise.all([survivor.sweep(), survivor.sweep()])
    await survivor.idle()
    const upload = await table.find(name.uploadId)
    const isPublished = method === 'finishCompletion'
    assert.equal(upload?.phase, isPublished ? 'completed' : 'open')
    assert.equal(await textOf(drive), isPublished ? 'onetwo' : undefined)
  })
}

test('Uploads sweep does not replace a newer object by an interrupted completion', async (t) => {
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

/**
 * Every step at which a process can die in a Complete, and whether the object is published then.
 */
const deathsInComplete = [
  { step: 'before the row', isPublished: false, die: beforeRow },
  { step: 'before the drive publishes', isPublished: false, die: inDrive('before') },
  { step: 'after the drive published', isPublished: true, die: inDrive('after') },
  { step: 'before the row is completed', isPublished: true, die: beforeFinish },
] as const

function beforeRow(world: World): Uploads {
  return world.worker({ table: dyingTable(world, 'beginCompletion', 'after') })
}

function inDrive(when: 'before' | 'after') {
  return (world: World): Uploads =>
    world.worker({
      drive: withUploads(world.drive, dying(world.drive.uploads, 'complete', when)),
      // The process is gone: it does not reopen the upload either.
      table: dyingTable(world, 'reopen', 'before'),
    })
}

function beforeFinish(world: World): Uploads {
  return world.worker({ table: dyingTable(world, 'finishCompletion', 'before') })
}

for (const { step, isPublished, die } of deathsInComplete) {
  const interrupted = async (t: TestContext) => {
    const scene = await prepare(t, die)
    await Promise.allSettled([scene.mortal.complete(scene.name, listOf(['one', 'two']), never)])
    await scene.mortal.idle()
    assert.equal((await scene.table.find(scene.name.uploadId))?.phase, 'completing')
    scene.afterwards()
    return scene
  }
  const text = isPublished ? 'onetwo' : undefined

  test(`ListParts recovers an upload after Complete died ${step}`, async (t) => {
    const { survivor, name, drive, worker } = await interrupted(t)
    // Both at once: the lease decides which of them recovers it.
    const lists = [survivor, worker()].map((uploads) =>
      uploads.listParts(name, { after: 0, limit: 10 }, never),
    )
    // The second may reject while the first is awaited.
    await Promise.allSettled(lists)
    for (const list of lists) {
      if (isPublished) await assert.rejects(list, isS3Error('NoSuchUpload'))
      else assert.equal((await list).parts.length, 2)
    }
    assert.equal(await textOf(drive), text)
  })

  test(`UploadPart recovers an upload after Complete died ${step}`, async (t) => {
    const { survivor, name, drive } = await interrupted(t)
    const part = survivor.writePart(name, 3, partOf('three'))
    if (isPublished) await assert.rejects(part, isS3Error('NoSuchUpload'))
    else {
      await part
      await survivor.complete(name, listOf(['one', 'two', 'three']), never)
    }
    assert.equal(await textOf(drive), isPublished ? text : 'onetwothree')
  })

  test(`AbortMultipartUpload recovers an upload after Complete died ${step}`, async (t) => {
    const { survivor, name, drive } = await interrupted(t)
    const abort = survivor.abort(name, never)
    if (isPublished) await assert.rejects(abort, isS3Error('NoSuchUpload'))
    else await abort
    await survivor.idle()
    assert.equal(await textOf(drive), text)
    assert.equal(drive.uploads.count, 0)
  })

  test(`CompleteMultipartUpload of another list recovers an upload after Complete died ${step}`, async (t) => {
    const { survivor, name, drive } = await interrupted(t)
    const answer = await survivor.complete(name, listOf(['one']), never)
    assert.equal(answer.partCount, isPublished ? 2 : 1)
    assert.equal(await textOf(drive), isPublished ? 'onetwo' : 'one')
    // For 15 minutes the reply is the same, whichever request recovered the upload.
    assert.deepEqual(await survivor.complete(name, listOf(['one', 'two']), never), answer)
  })
}

/** An upload with a Complete in progress in one worker until `publish`, and another worker. */
async function completing(t: TestContext, partWaitMs: number) {
  const published = Promise.withResolvers<void>()
  // Before the hook of the world, which waits for the Complete: also when the test fails.
  t.after(() => published.resolve())
  const world = await makeWorld(t)
  const completer = world.worker({ drive: waitingToPublish(world, published.promise) })
  const name = await begin(completer)
  await completer.writePart(name, 1, partOf('one'))
  const completed = completer.complete(name, listOf(['one']), never)
  while ((await world.table.find(name.uploadId))?.phase === 'open') await setImmediate()
  return {
    ...world,
    name,
    completed,
    other: world.worker({ partWaitMs }),
    publish: published.resolve,
  }
}

test('ListParts and AbortMultipartUpload wait for a Complete in progress and do not disturb it', async (t) => {
  const { name, completed, other, publish, drive } = await completing(t, 5_000)
  const answers = [
    assert.rejects(
      other.listParts(name, { after: 0, limit: 10 }, never),
      isS3Error('NoSuchUpload'),
    ),
    assert.rejects(other.abort(name, never), isS3Error('NoSuchUpload')),
  ]
  publish()
  await completed
  await Promise.all(answers)
  assert.equal(await textOf(drive), 'one')
})

test('ListParts and AbortMultipartUpload return SlowDown while a Complete stays in progress', async (t) => {
  const { name, completed, other, publish, drive } = await completing(t, 50)
  const list = other.listParts(name, { after: 0, limit: 10 }, never)
  await assert.rejects(list, isS3Error('SlowDown'))
  await assert.rejects(other.abort(name, never), isS3Error('SlowDown'))
  publish()
  await completed
  assert.equal(await textOf(drive), 'one')
})

test('the next request recovers an upload if the drive fails meanwhile', async (t) => {
  const { survivor, mortal, name, drive, afterwards, worker } = await prepare(t, beforeRow)
  await assert.rejects(mortal.complete(name, listOf(['one', 'two']), never), Died)
  afterwards()
  const broken = worker({
    drive: withUploads(drive, dying(drive.uploads, 'isPublished', 'before')),
  })
  await assert.rejects(broken.listParts(name, { after: 0, limit: 10 }, never), Died)
  const { parts } = await survivor.listParts(name, { after: 0, limit: 10 }, never)
  assert.equal(parts.length, 2)
})

/** The drive, except that `complete` first waits for `begins`. */
function waitingToPublish(world: World, begins: Promise<void>): Drive {
  const { uploads } = world.drive
  const waiting = new Proxy(uploads, {
    get(subject, property) {
      const value = Reflect.get(subject, property)
      if (typeof value !== 'function') return value
      if (property !== 'complete') return value.bind(subject)
      return async (...args: unknown[]) => {
        await begins
        return value.apply(subject, args)
      }
    },
  })
  return withUploads(world.drive, waiting)
}

test('the sweep finishes AbortMultipartUpload after a crash', async (t) => {
  for (const [method, when] of [
    ['abortAndHold', 'after'],
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

test('Bytes of an upload without a row are kept until uploads expire: its database may be restored', async (t) => {
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
  world.clock.advance(23 * 3_600_000)
  await survivor.sweep()
  assert.equal(world.drive.uploads.count, 2)
  await survivor.writePart(name, 1, partOf('one'))
  world.clock.advance(2 * 3_600_000)
  await survivor.sweep()
  assert.equal(world.drive.uploads.count, 1)
  await survivor.writePart(name, 2, partOf('two'))
})

/** As the version before records it. Gateways of both versions may run at once (docs/upgrade.md, "Roll back"). */
const recordedCompletion =
  '{"attributes":{"etag":"f9b4018028d097c99d5827f9fd8a6557-1","headers":{},"metadata":{},' +
  '"partSizes":[[1,3]]},"partCount":1,"size":3}'

test('a Complete that the version before began is ended', async (t) => {
  const { table, clock, drive, worker } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  const row = await table.find(name.uploadId)
  assert.ok(row)
  const begun = { completion: recordedCompletion, nowMs: clock.now() }
  assert.ok(await table.beginCompletion(row, { ...begun, lease: { owner: '', untilMs: 0 } }))
  clock.advance(60_000)
  const answer = await uploads.complete(name, listOf(['one']), never)
  assert.deepEqual(answer, JSON.parse(recordedCompletion))
  assert.equal(await textOf(drive), 'one')
  await uploads.idle()
  assert.equal((await table.find(name.uploadId))?.completion, recordedCompletion)
})
