/** A Complete that loses its lease to another process while the drive publishes. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { CompleteOptions, Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { isS3Error } from '../read-fixture.ts'
import {
  begin,
  listOf,
  makeWorld,
  md5,
  never,
  partOf,
  textOf,
  type World,
} from '../write-fixture.ts'

type Complete = Drive['uploads']['complete']

/** The world's drive with another `complete`, which receives the original one. */
function withComplete({ drive }: World, change: (real: Complete) => Complete): Drive {
  const complete = change((state, options) => drive.uploads.complete(state, options))
  const uploads = new Proxy(drive.uploads, {
    get(subject, property) {
      if (property === 'complete') return complete
      const value = Reflect.get(subject, property)
      return typeof value === 'function' ? value.bind(subject) : value
    },
  })
  return new Proxy(drive, {
    get(subject, property) {
      if (property === 'uploads') return uploads
      const value = Reflect.get(subject, property)
      return typeof value === 'function' ? value.bind(subject) : value
    },
  })
}

async function putByHand({ drive }: World, text: string): Promise<void> {
  const draft = await drive.draft('b', 'k', {})
  await draft.write(Buffer.from(text))
  await draft.publish({ etag: md5(text), headers: {}, metadata: {} })
}

/**
 * A Complete in the drive after its lease has expired. `isPastCheck`: the drive checked the lease
 * before it expired, and publishes afterwards.
 */
async function overtaken(t: TestContext, isPastCheck: boolean) {
  const world = await makeWorld(t)
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const drive = withComplete(world, (real) => async (state, options) => {
    if (isPastCheck) options.assertHeld?.()
    begun.resolve()
    await goOn.promise
    const { assertHeld, ...unchecked } = options
    return await real(state, isPastCheck ? unchecked : (options satisfies CompleteOptions))
  })
  const completer = world.worker({ drive })
  const name = await begin(completer)
  await completer.writePart(name, 1, partOf('one'))
  const completed = completer.complete(name, listOf(['one']), never)
  completed.catch(() => undefined)
  await begun.promise
  world.clock.advance(21_000)
  return { ...world, world, name, completer, completed, other: world.worker(), goOn: goOn.resolve }
}

test('a Complete that lost its lease does not publish over a newer object', async (t) => {
  const { world, name, completed, other, goOn } = await overtaken(t, false)
  const { parts } = await other.listParts(name, { after: 0, limit: 10 }, never)
  assert.equal(parts.length, 1)
  await putByHand(world, 'acknowledged since')
  goOn()
  await assert.rejects(completed, isS3Error('SlowDown'))
  assert.equal(await textOf(world.drive), 'acknowledged since')
  assert.equal((await world.table.find(name.uploadId))?.phase, 'open')
})

test('a Complete that lost its lease does not report bytes as gone that another process has moved', async (t) => {
  const world = await makeWorld(t)
  const drive = withComplete(world, () => async () => {
    world.clock.advance(21_000)
    throw new DriveError('upload-gone', 'The bytes are not there.')
  })
  const uploads = world.worker({ drive })
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  await assert.rejects(uploads.complete(name, listOf(['one']), never), isS3Error('SlowDown'))
  const other = world.worker()
  await other.complete(name, listOf(['one']), never)
  assert.equal(await textOf(world.drive), 'one')
})

test('a Complete that lost its lease does not publish an upload that was aborted', async (t) => {
  const { drive, name, completed, other, goOn } = await overtaken(t, false)
  await other.abort(name, never)
  goOn()
  await assert.rejects(completed)
  assert.equal(await drive.head('b', 'k'), undefined)
})

test('a Complete that lost its lease unnoticed leaves an upload that can be completed again', async (t) => {
  const { drive, name, completer, completed, goOn } = await overtaken(t, false)
  goOn()
  await assert.rejects(completed, isS3Error('SlowDown'))
  await completer.complete(name, listOf(['one']), never)
  assert.equal(await textOf(drive), 'one')
})

test('an upload that was reopened while it was being published ends as completed', async (t) => {
  const { drive, table, name, completed, other, complaints, goOn } = await overtaken(t, true)
  await other.listParts(name, { after: 0, limit: 10 }, never)
  assert.equal((await table.find(name.uploadId))?.phase, 'open')
  goOn()
  const answer = await completed
  assert.equal(await textOf(drive), 'one')
  assert.equal((await table.find(name.uploadId))?.phase, 'completed')
  assert.deepEqual(await other.complete(name, listOf(['one']), never), answer)
  assert.deepEqual(complaints, [{ uploadId: name.uploadId, phase: 'open' }])
})

test('a Complete does not succeed when its upload was aborted while it was being published', async (t) => {
  const { drive, name, completed, other, complaints, goOn } = await overtaken(t, true)
  // The drive has its bytes in hand when the abort looks for them.
  Object.assign(drive.uploads, { abort: async () => undefined })
  await other.abort(name, never)
  goOn()
  await assert.rejects(completed, isS3Error('SlowDown'))
  assert.deepEqual(complaints, [{ uploadId: name.uploadId, phase: 'gone' }])
})

test('an upload becomes completed when the drive published it despite reporting an error', async (t) => {
  const world = await makeWorld(t)
  const lost = new DriveError('unavailable', 'The answer was lost.')
  const drive = withComplete(world, (real) => async (state, options) => {
    await real(state, options)
    throw lost
  })
  const uploads = world.worker({ drive })
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  await assert.rejects(uploads.complete(name, listOf(['one']), never), lost)
  while ((await world.table.find(name.uploadId))?.phase === 'completing') await setImmediate()
  assert.equal((await world.table.find(name.uploadId))?.phase, 'completed')
  const answer = await uploads.complete(name, listOf(['one']), never)
  assert.equal(answer.partCount, 1)
  assert.equal(await textOf(world.drive), 'one')
})
