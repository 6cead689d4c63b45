import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setDiedElsewhere } from '../../../../../src/platform/process/identity.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
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
  type TestClock,
  textOf,
} from '../write-fixture.ts'

async function startUpload(t: TestContext, options: { readonly partWaitMs?: number } = {}) {
  const world = await makeWorld(t)
  const uploads = world.worker(options)
  return { ...world, uploads, name: await begin(uploads) }
}

test('UploadPart commits parts in order, whatever their sizes', async (t) => {
  const { uploads, name, drive } = await startUpload(t)
  const parts = ['first', '', 'x'.repeat(100_000), 'last']
  for (const [index, bytes] of parts.entries()) {
    const part = await uploads.writePart(name, index + 1, partOf(bytes))
    assert.equal(part.etag, md5(bytes))
    assert.equal(part.size, bytes.length)
  }
  const { attributes } = await uploads.complete(name, listOf(parts), never)
  assert.equal(attributes.etag, etagOfParts(parts))
  assert.equal(await textOf(drive), parts.join(''))
})

test('UploadPart holds early parts of two workers until their turn, in any order', async (t) => {
  const world = await makeWorld(t)
  const workers = [world.worker(), world.worker()] as const
  const name = await begin(workers[0])
  const parts = Array.from({ length: 24 }, (_, index) => `${index} `.repeat(index * 50))
  const order = parts.map((_, index) => index).sort((a, b) => ((a * 7) % 24) - ((b * 7) % 24))
  let pouring = 0
  await Promise.all(
    order.map((index, turn) => {
      const { pour, ...source } = partOf(parts[index] ?? '')
      const worker = workers[turn % 2 === 0 ? 0 : 1]
      return worker.writePart(name, index + 1, {
        ...source,
        pour: async (sink, algorithm) => {
          pouring += 1
          assert.equal(pouring, 1, 'one part of an upload is read at a time')
          const digest = await pour(sink, algorithm)
          pouring -= 1
          return digest
        },
      })
    }),
  )
  await workers[1].complete(name, listOf(parts), never)
  assert.equal(await textOf(world.drive), parts.join(''))
})

/** Lets time pass until the promise is settled. Resolves with the milliseconds that have passed by timers and clock. */
async function passTime(t: TestContext, clock: TestClock, promise: Promise<unknown>) {
  let isSettled = false
  const settled = promise.finally(() => {
    isSettled = true
  })
  let passedMs = 0
  while (!isSettled) {
    // Statements of the database take a few turns of the event loop.
    for (let turn = 0; turn < 20; turn += 1) await nextTurn()
    if (isSettled) break
    t.mock.timers.tick(20)
    clock.advance(20)
    passedMs += 20
  }
  await settled
  return passedMs
}

test('UploadPart returns SlowDown after two seconds when the missing part does not arrive', async (t) => {
  const { uploads, name, clock } = await startUpload(t)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const refused = assert.rejects(uploads.writePart(name, 2, partOf('early')), (error) => {
    isS3Error('SlowDown')(error)
    assert.equal((error as S3Error).headers['Retry-After'], '1')
    return true
  })
  const passedMs = await passTime(t, clock, refused)
  assert.ok(passedMs > 1_500 && passedMs < 2_100, `${passedMs} ms`)
})

test('UploadPart gives up on an early part after PART_WAIT_SECONDS, however busy the upload is', async (t) => {
  const { uploads, name } = await startUpload(t, { partWaitMs: 100 })
  const slow = slowPart('first')
  const first = uploads.writePart(name, 1, slow.source)
  await slow.started
  await assert.rejects(uploads.writePart(name, 2, partOf('early')), isS3Error('SlowDown'))
  slow.proceed()
  await first
  await uploads.writePart(name, 2, partOf('in time'))
})

test('UploadPart holds a part 64 ahead, and refuses one 65 ahead after a while, unread', async (t) => {
  const { uploads, name, clock } = await startUpload(t)
  const slow = slowPart('first')
  const first = uploads.writePart(name, 1, slow.source)
  await slow.started
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const client = new AbortController()
  let held = true
  const early = assert
    .rejects(uploads.writePart(name, 65, partOf('x', client.signal)), isS3Error('IncompleteBody'))
    .then(() => {
      held = false
    })
  const far = { signal: never, pour: () => Promise.reject(new Error('The part was read.')) }
  const refused = assert.rejects(uploads.writePart(name, 66, far), isS3Error('SlowDown'))
  const heldMs = await passTime(t, clock, refused)
  assert.ok(heldMs > 1_500 && heldMs < 2_100, `${heldMs} ms`)
  assert.ok(held)
  client.abort()
  await early
  slow.proceed()
  await first
})

test('UploadPart accepts a part that was too far ahead when others arrive in time', async (t) => {
  const { uploads, name, drive } = await startUpload(t)
  const slow = slowPart('first,')
  const parts = [uploads.writePart(name, 1, slow.source)]
  await slow.started
  const rest = Array.from({ length: 65 }, (_, index) => `${index + 2},`)
  // The last one arrives first, 65 ahead.
  for (const text of rest.toReversed()) {
    parts.push(uploads.writePart(name, Number.parseInt(text, 10), partOf(text)))
  }
  slow.proceed()
  await Promise.all(parts)
  await uploads.complete(name, listOf(['first,', ...rest]), never)
  assert.equal(await textOf(drive), `first,${rest.join('')}`)
})

test('UploadPart releases a part that is too far ahead when its client disconnects', async (t) => {
  const { uploads, name } = await startUpload(t)
  const client = new AbortController()
  const far = uploads.writePart(name, 100, partOf('far', client.signal))
  setImmediate(() => client.abort())
  await assert.rejects(far, isS3Error('IncompleteBody'))
  assert.equal(uploads.statistics().held, 0)
})

test('UploadPart releases a waiting part when its client disconnects', async (t) => {
  const { uploads, name } = await startUpload(t)
  const client = new AbortController()
  const early = uploads.writePart(name, 2, partOf('early', client.signal))
  setImmediate(() => client.abort())
  await assert.rejects(early, isS3Error('IncompleteBody'))
})

test('UploadPart loses only the part whose connection is lost', async (t) => {
  const { uploads, name, drive } = await startUpload(t)
  await uploads.writePart(name, 1, partOf('one'))
  const slow = slowPart('two, torn')
  const torn = uploads.writePart(name, 2, slow.source)
  await slow.started
  const third = uploads.writePart(name, 3, partOf('three'))
  slow.fail(new S3Error('IncompleteBody'))
  await assert.rejects(torn, isS3Error('IncompleteBody'))
  await uploads.writePart(name, 2, partOf('two'))
  await third
  await uploads.complete(name, listOf(['one', 'two', 'three']), never)
  assert.equal(await textOf(drive), 'onetwothree')
})

test('UploadPart accepts a committed part again when the bytes are the same', async (t) => {
  const { uploads, name, drive } = await startUpload(t)
  for (const [index, bytes] of ['one', 'two', 'three'].entries()) {
    await uploads.writePart(name, index + 1, partOf(bytes))
  }
  for (const [index, bytes] of ['one', 'two', 'three'].entries()) {
    const part = await uploads.writePart(name, index + 1, partOf(bytes))
    assert.equal(part.etag, md5(bytes))
  }
  await uploads.complete(name, listOf(['one', 'two', 'three']), never)
  assert.equal(await textOf(drive), 'onetwothree')
})

test('UploadPart replaces the last part with longer and shorter bytes', async (t) => {
  const { uploads, name, drive } = await startUpload(t)
  await uploads.writePart(name, 1, partOf('one'))
  await uploads.writePart(name, 2, partOf('two'))
  await uploads.writePart(name, 2, partOf('a longer one'))
  await uploads.writePart(name, 2, partOf('2'))
  await uploads.writePart(name, 3, partOf('three'))
  await uploads.complete(name, listOf(['one', '2', 'three']), never)
  assert.equal(await textOf(drive), 'one2three')
})

test('UploadPart refuses other bytes for a part before the last with SlowDown', async (t) => {
  const { uploads, name, drive } = await startUpload(t)
  await uploads.writePart(name, 1, partOf('one'))
  await uploads.writePart(name, 2, partOf('two'))
  await assert.rejects(uploads.writePart(name, 1, partOf('eno')), isS3Error('SlowDown'))
  await uploads.complete(name, listOf(['one', 'two']), never)
  assert.equal(await textOf(drive), 'onetwo')
})

test('UploadPart refuses other bytes for the last part where the drive cannot replace it', async (t) => {
  const { drive, worker } = await makeWorld(t)
  const { uploads: original } = drive
  const appendOnly = new Proxy(drive, {
    get: (_, property) =>
      property === 'uploads'
        ? {
            begin: original.begin.bind(original),
            append: original.append.bind(original),
            complete: original.complete.bind(original),
            abilities: () => ({ replaceLast: false, truncate: false }),
          }
        : Reflect.get(drive, property).bind?.(drive),
  })
  const uploads = worker({ drive: appendOnly })
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  await uploads.writePart(name, 1, partOf('one'))
  await assert.rejects(uploads.writePart(name, 1, partOf('eno')), isS3Error('SlowDown'))
  await uploads.writePart(name, 2, partOf('two'))
  await assert.rejects(uploads.complete(name, listOf(['one']), never), isS3Error('InvalidPart'))
  await uploads.complete(name, listOf(['one', 'two']), never)
  assert.equal(await textOf(drive), 'onetwo')
})

test('UploadPart commits a part once when it is sent twice at once', async (t) => {
  const world = await makeWorld(t)
  const workers = [world.worker(), world.worker()] as const
  const name = await begin(workers[0])
  const slow = slowPart('one')
  const first = workers[0].writePart(name, 1, slow.source)
  await slow.started
  const second = workers[1].writePart(name, 1, partOf('one'))
  slow.proceed()
  const [one, again] = await Promise.all([first, second])
  assert.deepEqual(again.etag, one.etag)
  const { parts } = await workers[0].listParts(name, { after: 0, limit: 10 }, never)
  assert.equal(parts.length, 1)
})

test('UploadPart takes over the lease of a dead process at once', async (t) => {
  const { uploads, name, table } = await startUpload(t)
  const upload = await table.find(name.uploadId)
  assert.ok(upload)
  const { thisProcess } = await import('../../../../../src/platform/process/identity.ts')
  const dead = `${thisProcess.split('/')[0]}/${2 ** 30}/1 abc`
  assert.ok(await table.takeLease(upload, { owner: dead, untilMs: Date.now() + 20_000 }))
  // It would answer SlowDown if it waited for the lease to expire.
  await uploads.writePart(name, 1, partOf('one'))
})

test('After a process died during a takeover, the process before it may still be alive', async (t) => {
  const { uploads, name, table, clock, drive } = await startUpload(t)
  const { thisProcess } = await import('../../../../../src/platform/process/identity.ts')
  const died = `${thisProcess.split('/')[0]}/${2 ** 30}/1 abc`
  const asked: boolean[] = []
  Object.assign(drive.uploads, {
    takeOver: async (state: string, { isDead }: { isDead: boolean }) => {
      asked.push(isDead)
      if (asked.length === 2) throw new DriveError('unavailable', 'killed at this moment')
      return state
    },
  })
  const take = async (owner: string) => {
    const upload = await table.find(name.uploadId)
    assert.ok(upload && (await table.takeLease(upload, { owner, untilMs: clock.now() + 20_000 })))
  }
  await take(died)
  await uploads.writePart(name, 1, partOf('one'))
  await take('another-host/1/1 abc')
  clock.advance(20_001)
  await assert.rejects(uploads.writePart(name, 2, partOf('two')), { kind: 'unavailable' })
  // As if this process had died then.
  const taken = await table.find(name.uploadId)
  clock.advance(20_001)
  await take(`${died}${taken?.leaseOwner.slice(-1)}`)
  await uploads.writePart(name, 2, partOf('two'))
  assert.deepEqual(asked, [true, false, false])
})

test('UploadPart does not take the lease of a process on another host until it expires', async (t) => {
  const { uploads, name, table, clock } = await startUpload(t, { partWaitMs: 100 })
  const upload = await table.find(name.uploadId)
  assert.ok(upload)
  const lease = { owner: 'another-host/1/1 abc', untilMs: clock.now() + 20_000 }
  assert.ok(await table.takeLease(upload, lease))
  await assert.rejects(uploads.writePart(name, 1, partOf('one')), isS3Error('SlowDown'))
  clock.advance(20_001)
  await uploads.writePart(name, 1, partOf('one'))
})

test('UploadPart takes over from a process that has died on another host, with a copy of its bytes', async (t) => {
  const { uploads, name, table, clock, drive } = await startUpload(t)
  const upload = await table.find(name.uploadId)
  assert.ok(upload)
  const lease = { owner: 'another-host/1/1 abc', untilMs: clock.now() + 20_000 }
  assert.ok(await table.takeLease(upload, lease))
  const asked: boolean[] = []
  Object.assign(drive.uploads, {
    takeOver: async (state: string, { isDead }: { isDead: boolean }) => {
      asked.push(isDead)
      return state
    },
  })
  t.after(() => setDiedElsewhere([]))
  const written = uploads.writePart(name, 1, partOf('one'))
  // It waits, and learns of the death meanwhile.
  setDiedElsewhere(['another-host/1/1'])
  await written
  assert.deepEqual(asked, [false])
})

test('UploadPart does not commit after being suspended past its lease', async (t) => {
  const world = await makeWorld(t)
  const [sleeper, other] = [world.worker(), world.worker()]
  const name = await begin(sleeper)
  const slow = slowPart('from the sleeper')
  const refused = assert.rejects(sleeper.writePart(name, 1, slow.source), isS3Error('SlowDown'))
  await slow.started
  // As if the process had been suspended: time passed and it could not renew.
  world.clock.advance(60_000)
  await other.writePart(name, 1, partOf('from the other'))
  slow.proceed()
  await refused
  await other.complete(name, listOf(['from the other']), never)
  assert.equal(await textOf(world.drive), 'from the other')
})

test('UploadPart commits after being suspended past its lease if no one else has taken it', async (t) => {
  const world = await makeWorld(t)
  const sleeper = world.worker()
  const name = await begin(sleeper)
  const slow = slowPart('from the sleeper')
  const written = sleeper.writePart(name, 1, slow.source)
  await slow.started
  world.clock.advance(60_000)
  slow.proceed()
  await written
  await sleeper.complete(name, listOf(['from the sleeper']), never)
  assert.equal(await textOf(world.drive), 'from the sleeper')
})

test('UploadPart finds an upload only with its bucket and key', async (t) => {
  const { uploads, name } = await startUpload(t)
  for (const other of [{ key: 'kk' }, { bucket: 'other' }, { uploadId: 'x' }, { uploadId: '' }]) {
    const wrong = { ...name, ...other }
    await assert.rejects(uploads.writePart(wrong, 1, partOf('x')), isS3Error('NoSuchUpload'))
    await assert.rejects(
      uploads.listParts(wrong, { after: 0, limit: 1 }, never),
      isS3Error('NoSuchUpload'),
    )
    await assert.rejects(uploads.complete(wrong, listOf(['x']), never), isS3Error('NoSuchUpload'))
    await assert.rejects(uploads.abort(wrong, never), isS3Error('NoSuchUpload'))
  }
})
