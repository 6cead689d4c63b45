import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { trashBucketOf } from '../../../../src/storage/drives/trash-bucket.ts'
import { openDeletions } from '../../../../src/storage/jobs/deletions.ts'
import {
  keysOf,
  openTestDatabase,
  put,
  until,
} from '../../dashboard/management/management-fixture.ts'
import { deadOwner, openJobs, silentOwner } from './jobs-fixture.ts'

const bucket = 'files'

async function open(t: TestContext, changes: Partial<Drive> = {}) {
  const clock = { now: 1_000_000 }
  // Whatever is copied keeps its time, as on a drive whose times are coarse.
  const drive = openMemoryDrive({ now: () => 1_000_000 })
  await drive.prepare([bucket])
  const { process, ...world } = openJobs(t, await openTestDatabase(t), clock)
  const changed = { ...drive, ...changes }
  // As two processes have them.
  const [jobs, otherJobs] = [process(), process()]
  const openWith = (runner: typeof jobs) => {
    const opened = openDeletions({
      ...{ drive: changed, keepsRemoved: () => false, lockRules: async () => undefined },
      jobs: runner,
      now: () => clock.now,
    })
    const start = async (target: Parameters<typeof opened.start>[0]) =>
      (await opened.start(target)) ?? assert.fail('not started')
    return { ...opened, start, startIfMay: opened.start }
  }
  const deletions = openWith(jobs)
  const others = openWith(otherJobs)
  const ended = async (id: string) => {
    await until(async () => (await deletions.find(id))?.state !== 'running')
    return deletions.find(id)
  }
  return { ...world, drive, clock, jobs, deletions, others, ended }
}

const hangs: Pick<Drive, 'remove'> = { remove: () => new Promise(() => undefined) }

test('A deletion runs to its end and reports how much it deleted', async (t) => {
  const { deletions, others, drive, ended } = await open(t)
  for (let index = 0; index < 1_200; index++) await put(drive, `a/${index}`)
  await put(drive, 'b')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  const row = await ended(id)
  assert.deepEqual([row?.state, row?.deleted, row?.message], ['done', 1_200, ''])
  assert.deepEqual(await keysOf(drive), ['b'])
  assert.deepEqual(await others.latest(), [row])
})

test('A deletion of empty folders alone leaves every object', async (t) => {
  const removed: string[] = []
  const removeFolder = async (_bucket: string, key: string) => {
    removed.push(key)
  }
  const { deletions, drive, ended } = await open(t, { removeFolder })
  await put(drive, 'a/b/came meanwhile')
  const target = { bucket, prefix: 'a/' }
  const { id } = await deletions.start({ ...target, onlyEmptyFolders: true })
  const row = await ended(id)
  assert.deepEqual([row?.state, row?.deleted], ['done', 0])
  assert.deepEqual(removed, ['a/b/', 'a/'])
  assert.deepEqual(await keysOf(drive), ['a/b/came meanwhile'])
  const other = await deletions.start(target)
  assert.notEqual(other.id, id)
})

test('a repeated request returns the running deletion of the prefix, in any process', async (t) => {
  const { deletions, others, drive } = await open(t, hangs)
  await put(drive, 'a/1')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  assert.equal((await deletions.start({ bucket, prefix: 'a/' })).id, id)
  assert.equal((await others.start({ bucket, prefix: 'a/' })).id, id)
  assert.notEqual((await others.start({ bucket, prefix: 'a' })).id, id)
})

test('concurrent requests for one prefix start one deletion and all return it', async (t) => {
  const { deletions, others, drive, table } = await open(t, hangs)
  await put(drive, 'a/1')
  const begun = await Promise.all(
    [deletions, others, deletions, others, deletions, others].map((each) =>
      each.start({ bucket, prefix: 'a/' }),
    ),
  )
  const running = await table.all('delete')
  assert.deepEqual(new Set(begun.map(({ id }) => id)), new Set(running.map(({ id }) => id)))
  assert.equal(running.length, 1)
})

test('a request after a cancellation starts a new deletion', async (t) => {
  const { deletions, others, drive, ended } = await open(t, hangs)
  await put(drive, 'a/1')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  await others.cancel(id)
  const next = await others.start({ bucket, prefix: 'a/' })
  assert.notEqual(next.id, id)
  assert.equal((await ended(id))?.state, 'cancelled')
  assert.equal((await deletions.find(next.id))?.state, 'running')
})

test('No more than four deletions run at once', async (t) => {
  const { deletions, others, drive, ended } = await open(t, hangs)
  for (const key of ['1', '2', '3', '4', '5']) await put(drive, key)
  const started = []
  for (const prefix of ['1', '2', '3', '4']) {
    started.push(await deletions.start({ bucket, prefix }))
  }
  for (const each of [deletions, others]) {
    assert.equal(await each.startIfMay({ bucket, prefix: '5' }), undefined)
  }
  const [{ id = '' } = {}] = started
  await deletions.cancel(id)
  assert.equal((await ended(id))?.state, 'cancelled')
  await others.start({ bucket, prefix: '5' })
})

test('cancel stops a deletion of this process before it resolves', async (t) => {
  const { deletions, drive } = await open(t, hangs)
  await put(drive, 'a/1')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  const row = await deletions.cancel(id)
  assert.deepEqual([row?.state, row?.message, row?.deleted], ['cancelled', '', 0])
  assert.deepEqual(await keysOf(drive), ['a/1'])
  assert.equal(await deletions.cancel('nobody'), undefined)
})

test('cancel reaches the process that runs the deletion', async (t) => {
  const { deletions, others, drive, ended } = await open(t, hangs)
  await put(drive, 'a/1')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  assert.equal((await others.cancel(id))?.state, 'running')
  assert.equal((await ended(id))?.state, 'cancelled')
})

test('a deletion that the drive rejects fails with the message of the drive', async (t) => {
  const { deletions, drive, ended } = await open(t, {
    remove: async (_, key) => {
      if (key === 'a/2') throw new DriveError('denied', 'The folder a may not be written.')
      return drive.remove(bucket, key)
    },
  })
  for (const key of ['a/1', 'a/2']) await put(drive, key)
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  const row = await ended(id)
  assert.deepEqual(
    [row?.state, row?.deleted, row?.message],
    ['failed', 1, 'The folder a may not be written.'],
  )
})

test('an unexpected error is not shown in the message of the deletion', async (t) => {
  const { deletions, drive, ended } = await open(t, {
    remove: async () => {
      throw new TypeError('secret is not a function')
    },
  })
  await put(drive, 'a/1')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  const row = await ended(id)
  assert.equal(row?.state, 'failed')
  assert.match(row?.message ?? '', /service log/)
})

test('a deletion whose process has ended is interrupted', async (t) => {
  const { deletions, take, lease, clock } = await open(t)
  const row = { kind: 'delete', figures: '{"deleted":7}' } as const
  const dead = { ...row, id: 'dead', target: '["files","a/"]', owner: deadOwner }
  await take(dead, clock.now + 30_000)
  const quiet = { ...row, id: 'silent', target: '["files","b/"]', owner: silentOwner }
  await take(quiet, clock.now + 5_000)
  const found = await deletions.find('dead')
  assert.deepEqual([found?.state, found?.deleted, found?.endedAtMs], ['interrupted', 7, clock.now])
  assert.equal(await lease(dead), undefined)
  assert.match(found?.message ?? '', /Delete again/)
  assert.equal((await deletions.find('silent'))?.state, 'running')
  clock.now += 5_000
  assert.deepEqual(
    (await deletions.latest()).map(({ state }) => state),
    ['interrupted', 'interrupted'],
  )
  // They do not count among those that run.
  for (const prefix of ['1', '2', '3', '4']) await deletions.start({ bucket, prefix })
})

test('a deletion that was suspended removes nothing that was written after another process ended it', async (t) => {
  const [begun, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const opened = await open(t, {
    remove: async (...given) => {
      begun.resolve()
      await resumed.promise
      return opened.drive.remove(...given)
    },
  })
  const { deletions, others, drive, clock } = opened
  await put(drive, 'a/1')
  const byPrefix = await deletions.start({ bucket, prefix: 'a/' })
  const byKeys = await deletions.start({ bucket, prefix: '', keys: ['a/1'] })
  await begun.promise
  // As after SIGSTOP: the time of the lease has passed.
  clock.now += 61_000
  for (const { id } of [byPrefix, byKeys]) {
    assert.equal((await others.find(id))?.state, 'interrupted')
  }
  await put(drive, 'a/1')
  resumed.resolve()
  await opened.jobs.close()
  assert.deepEqual(await keysOf(drive), ['a/1'])
})

for (const [kind, from, to] of [
  ['trash', bucket, trashBucketOf(bucket)],
  ['restore', trashBucketOf(bucket), bucket],
] as const) {
  test(`a ${kind} that was suspended before its removal leaves what another process moved back`, async (t) => {
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
    const { deletions, others, drive, clock, ended } = opened
    await drive.addBucket(trashBucketOf(bucket))
    const keyIn = (name: string) => (name === bucket ? 'a' : 'x/a')
    await put(drive, keyIn(from), 'bytes', from)
    const target = { bucket, prefix: '', trashId: 'x' }
    const suspended = await deletions.start({ ...target, kind })
    await begun.promise
    // As after SIGSTOP: the time of the lease has passed.
    clock.now += 61_000
    assert.equal((await others.find(suspended.id))?.state, 'interrupted')
    const back = await others.start({ ...target, kind: kind === 'trash' ? 'restore' : 'trash' })
    assert.equal((await ended(back.id))?.state, 'done')
    resumed.resolve()
    await opened.jobs.close()
    assert.deepEqual(await keysOf(drive, from), [keyIn(from)])
    assert.deepEqual(await keysOf(drive, to), [])
  })
}

test('a move to the trash that is cancelled before its removal leaves no object in both places', async (t) => {
  const [begun, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const opened = await open(t, {
    remove: async (...given) => {
      begun.resolve()
      await cancelled.promise
      return opened.drive.remove(...given)
    },
  })
  const { deletions, drive } = opened
  await put(drive, 'a')
  const { id } = await deletions.start({ bucket, prefix: '', kind: 'trash', trashId: 'x' })
  await begun.promise
  const cancelling = deletions.cancel(id)
  await until(async () => (await opened.table.find({ kind: 'delete', id }))?.isCancelled === 1)
  cancelled.resolve()
  assert.equal((await cancelling)?.state, 'cancelled')
  assert.deepEqual(await keysOf(drive), [])
  assert.deepEqual(await keysOf(drive, trashBucketOf(bucket)), ['x/a'])
})

test('a deletion marked as interrupted stops', async (t) => {
  const count = 6_000
  let removed = 0
  const { deletions, table, drive, clock } = await open(t, {
    remove: async () => {
      await new Promise((resolve) => setTimeout(resolve, 4))
      removed += 1
      return {}
    },
  })
  for (let index = 0; index < count; index++) await put(drive, `a/${index}`)
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  const seen = await table.find({ kind: 'delete', id })
  assert.ok(seen)
  const end = { endedAtMs: clock.now, message: 'gone', figures: seen.figures }
  assert.ok(await table.end(seen, { state: 'interrupted', ...end }))
  // It hears of it with its next word to the others.
  await until(async () => {
    const before = removed
    await new Promise((resolve) => setTimeout(resolve, 100))
    return removed === before
  })
  assert.ok(removed < count, `${removed}`)
  assert.equal((await deletions.find(id))?.message, 'gone')
})

test('close interrupts running deletions and starts no new ones', async (t) => {
  const { deletions, jobs, drive } = await open(t, hangs)
  await put(drive, 'a/1')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  await jobs.close()
  const row = await deletions.find(id)
  assert.equal(row?.state, 'interrupted')
  assert.match(row?.message ?? '', /stopped/)
  assert.equal(await deletions.startIfMay({ bucket, prefix: 'a/' }), undefined)
})

test('a running deletion keeps its lease', async (t) => {
  const { deletions, lease, drive, clock } = await open(t, hangs)
  await put(drive, 'a/1')
  const { id } = await deletions.start({ bucket, prefix: 'a/' })
  const untilMs = async () => (await lease({ kind: 'delete', id }))?.untilMs ?? 0
  const firstUntilMs = await untilMs()
  clock.now += 10_000
  await until(async () => (await untilMs()) > firstUntilMs)
  clock.now += 10_000
  assert.equal((await deletions.find(id))?.state, 'running')
})

test('While versions are enabled, what would go to the trash gets a delete marker', async (t) => {
  const drive = openMemoryDrive({ versioningOf: () => ({ changes: [0] }) })
  await drive.prepare([bucket])
  for (const key of ['a/1', 'a/2', 'b', 'c']) await put(drive, key)
  const clock = { now: 1_000_000 }
  const jobs = openJobs(t, await openTestDatabase(t), clock).process()
  const deletions = openDeletions({
    ...{ drive, jobs, now: () => clock.now },
    ...{ keepsRemoved: (name) => name === bucket, lockRules: async () => undefined },
  })
  const trash = (what: { prefix: string; keys?: readonly string[] }) =>
    deletions.start({ bucket, ...what, kind: 'trash', trashId: 'id' })
  const ofFolder = await trash({ prefix: 'a/' })
  assert.deepEqual([ofFolder?.kind, ofFolder?.trashId], ['delete', ''])
  const ofKeys = await trash({ prefix: '', keys: ['b'] })
  for (const id of [ofFolder?.id ?? '', ofKeys?.id ?? '']) {
    await until(async () => (await deletions.find(id))?.state === 'done')
  }
  assert.equal((await deletions.find(ofFolder?.id ?? ''))?.deleted, 2)
  assert.deepEqual(await keysOf(drive), ['c'])
  await assert.rejects(keysOf(drive, trashBucketOf(bucket)), { kind: 'no-bucket' })
  const versions = await drive.listVersions?.(bucket, { prefix: '', after: '' }).next(99)
  const markers = versions?.filter((entry) => entry.kind === 'object' && entry.isDeleteMarker)
  assert.deepEqual(
    markers?.map(({ key }) => key),
    ['a/1', 'a/2', 'b'],
  )
})

test('Deletions of other keys at the same time are not the same', async (t) => {
  const { deletions, drive, ended } = await open(t)
  for (const key of ['a', 'b']) await put(drive, key)
  const started = await Promise.all(
    ['a', 'b'].map((key) => deletions.start({ bucket, prefix: '', keys: [key] })),
  )
  assert.notEqual(started[0]?.id, started[1]?.id)
  for (const { id } of started) assert.equal((await ended(id))?.state, 'done')
  assert.deepEqual(await keysOf(drive), [])
})
