import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { trashBucketOf } from '../../../../../src/storage/drives/trash-bucket.ts'
import { type FileOrder, newFigures } from '../../../../../src/storage/jobs/files/file-order.ts'
import { newTrashId } from '../../../../../src/storage/jobs/trash/trash.ts'
import { keysOf, put, until } from '../../../dashboard/management/management-fixture.ts'
import { deadOwner, silentOwner } from '../jobs-fixture.ts'
import { bucket, open } from './open-file-jobs.ts'

const kind = 'file'
const hangs: Pick<Drive, 'remove'> = { remove: () => new Promise(() => undefined) }
const deletion = (...paths: string[]): FileOrder => ({ action: 'delete', bucket, paths })
const trashId = newTrashId(0)
const trash = trashBucketOf(bucket)

/** The row of a job, as its process has left it. */
const rowOf = (order: FileOrder) => ({
  target: JSON.stringify(order),
  figures: JSON.stringify({ about: { ...order, count: 1 }, figures: { ...newFigures(), done: 7 } }),
})

test('A deletion removes objects and folders, and reports how many', async (t) => {
  const { others, drive, run } = await open(t)
  for (let index = 0; index < 1_200; index++) await put(drive, `a/${index}`)
  for (const key of ['b', 'c', 'cc', 'd/e/f']) await put(drive, key)
  const job = await run(deletion('a/', 'c', 'none', 'd/e/'))
  assert.deepEqual([job.state, job.done, job.message, job.count], ['done', 1_202, '', 4])
  assert.deepEqual(await keysOf(drive), ['b', 'cc'])
  assert.deepEqual(await others.list(9), [job])
  assert.equal(job.canUndo, false)
})

test('a restore of a whole deletion is about what was deleted', async (t) => {
  const { drive, run } = await open(t)
  for (const key of ['a/1', 'b']) await put(drive, key)
  const { trashId } = await run({ action: 'trash', bucket, paths: ['a/', 'b'] })
  const job = await run({ action: 'restore', bucket, trashId, paths: [''] })
  assert.deepEqual([job.done, job.paths, job.count], [2, ['a/', 'b'], 2])
  assert.deepEqual(await keysOf(drive), ['a/1', 'b'])
})

test('concurrent requests for one order start one job and all return it', async (t) => {
  const { jobs, others, drive, table } = await open(t, hangs)
  await put(drive, 'a/1')
  const begun = await Promise.all(
    [jobs, others, jobs, others, jobs, others].map((each) => each.start(deletion('a/'))),
  )
  const running = await table.all(kind)
  assert.deepEqual(new Set(begun.map(({ id }) => id)), new Set(running.map(({ id }) => id)))
  assert.equal(running.length, 1)
  assert.notEqual((await others.start(deletion('a/', 'b'))).id, begun[0]?.id)
  await others.stop(begun[0]?.id ?? '')
  assert.notEqual((await others.start(deletion('a/'))).id, begun[0]?.id)
})

test('No more than four jobs run at once', async (t) => {
  const { jobs, others, drive, ended } = await open(t, hangs)
  for (const key of ['1', '2', '3', '4', '5']) await put(drive, key)
  const started = []
  for (const key of ['1', '2', '3', '4']) started.push(await jobs.start(deletion(key)))
  for (const each of [jobs, others]) assert.equal(await each.startIfMay(deletion('5')), undefined)
  const [{ id = '' } = {}] = started
  await jobs.stop(id)
  assert.equal((await ended(id)).state, 'cancelled')
  await others.start(deletion('5'))
})

test('stop ends a job of this process before it resolves, and reaches other processes', async (t) => {
  const { jobs, others, drive, ended } = await open(t, hangs)
  for (const key of ['a', 'b']) await put(drive, key)
  const mine = await jobs.stop((await jobs.start(deletion('a'))).id)
  assert.deepEqual([mine?.state, mine?.message, mine?.done], ['cancelled', '', 0])
  const { id } = await jobs.start(deletion('b'))
  assert.equal((await others.stop(id))?.state, 'running')
  assert.equal((await ended(id)).state, 'cancelled')
  assert.deepEqual(await keysOf(drive), ['a', 'b'])
  assert.equal(await jobs.stop('nobody'), undefined)
})

test('a job that the drive rejects fails with the message of the drive, and can be started again', async (t) => {
  let isDenied = true
  const { jobs, drive, run, ended } = await open(t, {
    remove: async (_, key) => {
      if (key === 'a/2' && isDenied) throw new DriveError('denied', 'The folder a is read-only.')
      return drive.remove(bucket, key)
    },
  })
  for (const key of ['a/1', 'a/2']) await put(drive, key)
  const job = await run(deletion('a/'))
  assert.deepEqual([job.state, job.done, job.message], ['failed', 1, 'The folder a is read-only.'])
  isDenied = false
  const again = await jobs.follow(job.id, 'again')
  if (again === undefined || again === 'unknown') assert.fail('not started')
  assert.equal((await ended(again.id)).state, 'done')
  assert.deepEqual(await keysOf(drive), [])
  assert.equal(await jobs.follow('nobody', 'again'), 'unknown')
})

test('an unexpected error is not shown in the message of the job', async (t) => {
  const { drive, run } = await open(t, {
    remove: async () => {
      throw new TypeError('secret is not a function')
    },
  })
  await put(drive, 'a/1')
  const { state, message } = await run(deletion('a/'))
  assert.deepEqual([state, /service log/.test(message)], ['failed', true])
})

test('a job whose process has ended is continued by the next one that looks', async (t) => {
  const { jobs, others, take, drive, clock, ended } = await open(t)
  for (const key of ['a/1', 'b/1']) await put(drive, key)
  const dead = { kind, id: 'dead', owner: deadOwner, ...rowOf(deletion('a/')) } as const
  await take(dead, clock.now + 30_000)
  const silent = { kind, id: 'silent', owner: silentOwner, ...rowOf(deletion('b/')) } as const
  await take(silent, clock.now + 5_000)
  await jobs.resume()
  assert.equal((await ended('dead')).done, 8)
  assert.deepEqual(await keysOf(drive), ['b/1'])
  clock.now += 5_000
  await others.resume()
  assert.equal((await ended('silent')).state, 'done')
  assert.deepEqual(await keysOf(drive), [])
})

test('a stop that the dead process did not see is not forgotten', async (t) => {
  const { jobs, take, drive, ended } = await open(t)
  await put(drive, 'a')
  const row = rowOf(deletion('a'))
  await take({ kind, id: 'dead', owner: deadOwner, ...row }, 0)
  await jobs.stop('dead')
  assert.equal((await ended('dead')).state, 'cancelled')
  assert.deepEqual(await keysOf(drive), ['a'])
})

test('a job that ends every process gets no further ones', async (t) => {
  const { jobs, take, table, drive, ended } = await open(t, hangs)
  await put(drive, 'a')
  const figures = { ...newFigures(), runs: 5 }
  const order = deletion('a')
  const row = {
    ...rowOf(order),
    figures: JSON.stringify({ about: { ...order, count: 1 }, figures }),
  }
  await take({ kind, id: 'bad', owner: deadOwner, ...row }, 0)
  await jobs.resume()
  const { state, message } = await ended('bad')
  assert.deepEqual([state, /ended 5 times/.test(message)], ['failed', true])
  assert.equal((await table.find({ kind, id: 'bad' }))?.state, 'failed')
})

test('close hands running jobs over to another process', async (t) => {
  let isHanging = true
  const { jobs, others, runner, drive, ended } = await open(t, {
    remove: (...given) => (isHanging ? new Promise(() => undefined) : drive.remove(...given)),
  })
  await put(drive, 'a/1')
  const { id } = await jobs.start(deletion('a/'))
  await runner.close()
  isHanging = false
  assert.equal(await jobs.startIfMay(deletion('b/')), undefined)
  await others.resume()
  assert.equal((await ended(id)).state, 'done')
  assert.deepEqual(await keysOf(drive), [])
})

test('a suspended job removes nothing that was written after another process continued it', async (t) => {
  const [begun, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let calls = 0
  const opened = await open(t, {
    remove: async (...given) => {
      calls += 1
      if (calls === 1) {
        begun.resolve()
        await resumed.promise
      }
      return opened.drive.remove(...given)
    },
  })
  const { jobs, others, drive, clock, ended } = opened
  await put(drive, 'a/1')
  const { id } = await jobs.start(deletion('a/'))
  await begun.promise
  // As after SIGSTOP: the time of the lease has passed.
  clock.now += 61_000
  await others.resume()
  assert.equal((await ended(id)).state, 'done')
  await put(drive, 'a/1')
  resumed.resolve()
  await opened.runner.close()
  assert.deepEqual(await keysOf(drive), ['a/1'])
})

for (const [action, from, to] of [
  ['trash', bucket, trash],
  ['restore', trash, bucket],
] as const) {
  test(`a ${action} that was suspended before its removal leaves what was moved back since`, async (t) => {
    const [begun, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let removals = 0
    const opened = await open(t, {
      remove: async (...given) => {
        removals += 1
        if (removals === 1) {
          begun.resolve()
          await resumed.promise
        }
        return opened.drive.remove(...given)
      },
    })
    const { jobs, others, drive, clock, ended } = opened
    await drive.addBucket(trash)
    const keyIn = (name: string) => (name === bucket ? 'a' : `${trashId}/a`)
    await put(drive, keyIn(from), 'bytes', from)
    const order = { bucket, paths: ['a'], trashId }
    const { id } = await jobs.start({ ...order, action })
    await begun.promise
    clock.now += 61_000
    await others.resume()
    assert.equal((await ended(id)).state, 'done')
    const back = await others.start({ ...order, action: action === 'trash' ? 'restore' : 'trash' })
    assert.equal((await ended(back.id)).state, 'done')
    resumed.resolve()
    await opened.runner.close()
    assert.deepEqual(await keysOf(drive, from), [keyIn(from)])
    assert.deepEqual(await keysOf(drive, to), [])
  })
}

test('a move to the trash that is stopped before its removal leaves no object in both places', async (t) => {
  const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const opened = await open(t, {
    remove: async (...given) => {
      begun.resolve()
      await stopped.promise
      return opened.drive.remove(...given)
    },
  })
  const { jobs, drive, table } = opened
  await put(drive, 'a')
  const { id } = await jobs.start({ action: 'trash', bucket, paths: ['a'], trashId })
  await begun.promise
  const stopping = jobs.stop(id)
  await until(async () => (await table.find({ kind, id }))?.isCancelled === 1)
  stopped.resolve()
  // It was the last object: nothing is left to stop.
  assert.equal((await stopping)?.state, 'done')
  assert.deepEqual(await keysOf(drive), [])
  assert.deepEqual(await keysOf(drive, trash), [`${trashId}/a`])
})

test('a running job keeps its lease', async (t) => {
  const { jobs, lease, drive, clock } = await open(t, hangs)
  await put(drive, 'a/1')
  const { id } = await jobs.start(deletion('a/'))
  const untilMs = async () => (await lease({ kind, id }))?.untilMs ?? 0
  const firstUntilMs = await untilMs()
  clock.now += 10_000
  await until(async () => (await untilMs()) > firstUntilMs)
  clock.now += 10_000
  assert.equal((await jobs.find(id))?.state, 'running')
})

test('While versions are enabled, what would go to the trash gets a delete marker', async (t) => {
  const versions = { versioningOf: () => ({ changes: [0] }), keepsRemoved: () => true }
  const { jobs, drive, run, ended, clock } = await open(t, {}, versions)
  for (const key of ['a/1', 'a/2', 'b', 'c']) await put(drive, key)
  const job = await run({ action: 'trash', bucket, paths: ['a/', 'b'] })
  assert.deepEqual([job.done, job.trashId, job.canUndo], [3, undefined, true])
  assert.deepEqual(await keysOf(drive), ['c'])
  clock.now += 1
  await assert.rejects(keysOf(drive, trash), { kind: 'no-bucket' })
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  assert.equal((await ended(undo.id)).done, 3)
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'b', 'c'])
  const [, before] = await jobs.list(9)
  assert.deepEqual([before?.id, before?.canUndo], [job.id, false])
})

test('An object that is restored gets the retention that its bucket has by now', async (t) => {
  const retention = { mode: 'COMPLIANCE', untilMs: 5_000_000 } as const
  const { drive, run } = await open(t, {}, { newLock: async () => ({ retention }) })
  await put(drive, 'a')
  await run({ action: 'trash', bucket, paths: ['a'], trashId })
  assert.equal((await run({ action: 'restore', bucket, paths: ['a'], trashId })).done, 1)
  assert.deepEqual((await drive.head(bucket, 'a'))?.attributes.retention, retention)
})

test('nothing is deleted permanently after versioning was suspended', async (t) => {
  let keeps = true
  const versions = { versioningOf: () => ({ changes: [0] }), keepsRemoved: () => keeps }
  const opened = await open(
    t,
    {
      remove: async (...given) => {
        const removed = await opened.drive.remove(...given)
        keeps = false
        return removed
      },
    },
    versions,
  )
  const { drive, run } = opened
  for (const key of ['a/1', 'b']) await put(drive, key)
  const { state, message, done } = await run({ action: 'trash', bucket, paths: ['a/', 'b'] })
  assert.deepEqual([state, done, /was suspended/.test(message)], ['failed', 1, true])
  assert.deepEqual(await keysOf(drive), ['b'])
})

test('a deletion is undone although the clock of the drive is behind', async (t) => {
  const versions = {
    versioningOf: () => ({ changes: [0] }),
    keepsRemoved: () => true,
    now: () => 1_000_500,
  }
  const { jobs, drive, run, ended, clock } = await open(t, {}, versions)
  await put(drive, 'a/1')
  clock.now = 1_000_600
  const { id } = await run({ action: 'trash', bucket, paths: ['a/'] })
  const undo = await jobs.follow(id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  assert.equal((await ended(undo.id)).done, 1)
  assert.deepEqual(await keysOf(drive), ['a/1'])
})
