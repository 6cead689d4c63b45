import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { dayMs, type LifecycleRule } from '../../../../../src/storage/buckets/lifecycle-rules.ts'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import type {
  ExpiryFigures,
  OpenUploadOf,
} from '../../../../../src/storage/jobs/expiry/expire-bucket.ts'
import { Expiry, expiryRuns } from '../../../../../src/storage/jobs/expiry/expiry.ts'
import { keysOf, openTestDatabase, put } from '../../../dashboard/management/management-fixture.ts'
import { openJobs } from '../jobs-fixture.ts'

const bucket = 'files'
const startMs = 20_000 * dayMs + 5 * 60 * 60_000
const never = new AbortController().signal

const rule = (changed: Partial<LifecycleRule> = {}): LifecycleRule => ({
  ...{ id: 'rule', prefix: '', prefixForm: 'filter', isEnabled: true, days: 1, ...changed },
})

interface Changes extends Partial<Pick<Drive, 'list' | 'head' | 'remove'>> {
  readonly rules?: readonly LifecycleRule[]
}

/** A drive with the clock of the database, and several processes that expire its objects. */
async function open(t: TestContext) {
  const clock = { now: startMs, localAheadMs: 0 }
  const now = () => clock.now
  const drive = openMemoryDrive({ now })
  await drive.prepare([bucket])
  const state: { rules: readonly LifecycleRule[]; openUploads: OpenUploadOf[] } = {
    ...{ rules: [rule()], openUploads: [] },
  }
  const logged: object[] = []
  const note = (fields: object) => void logged.push(fields)
  const log = { debug: note, info: note, warn: note, error: note }
  const { table, lease, process: openRunner } = openJobs(t, await openTestDatabase(t), clock, log)
  const configuration = () => ({ name: bucket, isPublic: false, lifecycle: state.rules })
  const process = (changes: Changes = {}) =>
    new Expiry({
      buckets: { find: configuration, all: () => [configuration()] },
      ...{ ensureCurrent: async () => undefined, hasVersions: () => false },
      lockRules: async () => undefined,
      drive: {
        list: changes.list ?? drive.list.bind(drive),
        head: changes.head ?? drive.head.bind(drive),
        remove: changes.remove ?? drive.remove.bind(drive),
      },
      uploads: {
        listOpen: async ({ after }) => (after === undefined ? [...state.openUploads] : []),
        abort: async (id) => {
          if (id === 'fails') throw new Error('busy')
          state.openUploads = state.openUploads.filter(({ uploadId }) => uploadId !== id)
          return true
        },
      },
      ...{ jobs: openRunner(), now, log, localNow: () => clock.now + clock.localAheadMs },
    })
  const row = async () => {
    const [{ target, figures, ...rest } = assert.fail('no row')] = await table.all('expire')
    const day = Number(target.split(' ')[1])
    return { ...rest, ...(JSON.parse(figures) as ExpiryFigures), day }
  }
  const isHeld = async () => (await lease({ kind: 'expire', id: bucket })) !== undefined
  return { clock, drive, table, state, process, row, logged, isHeld, openRunner }
}

test('objects are removed after the midnight that follows their days', async (t) => {
  const { clock, drive, state, process, row, isHeld } = await open(t)
  state.rules = [rule({ prefix: 'old/' }), rule({ id: 'b', prefix: 'older/', days: 2 })]
  for (const key of ['kept', 'old/a', 'old/b/', 'older/c']) await put(drive, key)
  const one = process()
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['kept', 'old/a', 'old/b/', 'older/c'])
  clock.now = startMs + dayMs
  await one.run(never)
  assert.equal((await keysOf(drive)).length, 4)
  clock.now = 20_002 * dayMs - 1
  await one.run(never)
  assert.equal((await keysOf(drive)).length, 4)
  clock.now = 20_002 * dayMs
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['kept', 'older/c'])
  const { state: ended, objects, failures, message, day } = await row()
  assert.deepEqual(
    [ended, objects, failures, message, await isHeld(), day],
    ['done', 2, 0, '', false, 20_002],
  )
  clock.now += dayMs
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['kept'])
})

test('a rule for tags removes only the objects that have them', async (t) => {
  const { clock, drive, state, process } = await open(t)
  state.rules = [rule({ tags: { keep: 'no' } }), rule({ id: 'b', prefix: 'old/', days: 3 })]
  for (const key of ['keep', 'none', 'old/a', 'temporary', 'untagged']) await put(drive, key)
  assert.ok(drive.setAttributes)
  await drive.setAttributes(bucket, 'keep', { tags: { keep: 'yes' } })
  for (const key of ['temporary', 'untagged'])
    await drive.setAttributes(bucket, key, { tags: { keep: 'no' } })
  clock.now += 2 * dayMs
  const one = process({
    head: async (name, key) => {
      if (key === 'untagged') await drive.setAttributes?.(name, key, { tags: {} })
      return drive.head(name, key)
    },
  })
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['keep', 'none', 'old/a', 'untagged'])
  clock.now += 2 * dayMs
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['keep', 'none', 'untagged'])
})

test('a rule for a size removes only objects of that size, also if they have grown meanwhile', async (t) => {
  const { clock, drive, state, process } = await open(t)
  state.rules = [rule({ smallerThan: 4, largerThan: 0 })]
  for (const [key, body] of [
    ['empty', ''],
    ['grown', 'abc'],
    ['large', 'abcd'],
    ['small', 'abc'],
  ] as const) {
    await put(drive, key, body)
  }
  clock.now += 2 * dayMs
  const one = process({
    head: async (name, key) => {
      const current = await drive.head(name, key)
      return key === 'grown' && current !== undefined ? { ...current, size: 9 } : current
    },
  })
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['empty', 'grown', 'large'])
})

test('a bucket is listed once a day, and when its rules change', async (t) => {
  const { clock, drive, state, process } = await open(t)
  let listings = 0
  const list: Drive['list'] = (...given) => {
    listings += 1
    return drive.list(...given)
  }
  await put(drive, 'a')
  const one = process({ list })
  for (let round = 0; round < 3; round++) await one.run(never)
  assert.equal(listings, 1)
  state.rules = [rule({ days: 5 })]
  for (let round = 0; round < 3; round++) await one.run(never)
  assert.equal(listings, 2)
  clock.now += dayMs
  for (let round = 0; round < 3; round++) await one.run(never)
  assert.equal(listings, 3)
  state.rules = [rule({ isEnabled: false })]
  clock.now += dayMs
  await one.run(never)
  assert.equal(listings, 3)
})

test('a rule with a date in the past removes everything at once', async (t) => {
  const { drive, state, process } = await open(t)
  const { days: _, ...dated } = rule({ dateMs: dayMs })
  state.rules = [dated]
  for (let index = 0; index < 1_200; index++) await put(drive, `a/${index}`)
  await process().run(never)
  assert.deepEqual(await keysOf(drive), [])
})

test('an object that is written meanwhile stays, also with the same bytes', async (t) => {
  const { clock, drive, process, row } = await open(t)
  for (const key of ['a', 'listed', 'looked']) await put(drive, key)
  clock.now += 2 * dayMs
  const { remove } = drive
  const one = process({
    head: async (name, key) => {
      if (key === 'listed') await put(drive, key)
      return drive.head(name, key)
    },
    remove: async (name, key, conditions) => {
      if (key === 'looked') await put(drive, key)
      return remove.call(drive, name, key, conditions)
    },
  })
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['listed', 'looked'])
  const { state, objects, failures } = await row()
  assert.deepEqual([state, objects, failures], ['done', 1, 0])
})

test('rules that are changed or removed during a run stop it at the next object', async (t) => {
  for (const changed of [[], [rule({ prefix: 'other/' })]]) {
    const { clock, drive, state, process } = await open(t)
    for (let index = 0; index < 100; index++) await put(drive, `k${index}`)
    clock.now += 2 * dayMs
    let removals = 0
    const one = process({
      remove: (...given) => {
        removals += 1
        if (removals === 10) state.rules = changed
        return drive.remove(...given)
      },
    })
    await one.run(never)
    // Those that have already begun may end.
    assert.ok(removals >= 10 && removals <= 14, String(removals))
    await one.run(never)
    assert.equal((await keysOf(drive)).length, 100 - removals)
  }
})

test('another process continues where one was stopped', async (t) => {
  const { clock, drive, process, row, isHeld } = await open(t)
  for (let index = 1_000; index < 2_500; index++) await put(drive, `k${index}`)
  clock.now += 2 * dayMs
  const stopping = new AbortController()
  let removals = 0
  const one = process({
    remove: (...given) => {
      removals += 1
      if (removals === 700) stopping.abort()
      return drive.remove(...given)
    },
  })
  await one.run(stopping.signal)
  const stopped = await row()
  assert.deepEqual(
    [stopped.state, stopped.phase, stopped.objects, await isHeld()],
    ['interrupted', 'objects', removals, false],
  )
  assert.equal(stopped.position, 'k1499')
  const listedAfter: string[] = []
  const two = process({
    list: (name, query) => {
      listedAfter.push(query.after)
      return drive.list(name, query)
    },
  })
  await two.run(never)
  assert.deepEqual(listedAfter, ['k1499'])
  assert.deepEqual(await keysOf(drive), [])
  assert.deepEqual([(await row()).state, (await row()).objects], ['done', 1_500])
})

test('one process works on a bucket, and one that was suspended removes nothing more', async (t) => {
  const { clock, drive, process, row, isHeld } = await open(t)
  for (let index = 0; index < 50; index++) await put(drive, `k${index}`)
  clock.now += 2 * dayMs
  const two = process()
  const inFlight = Promise.withResolvers<void>()
  const resumed = Promise.withResolvers<void>()
  let removals = 0
  const one = process({
    remove: async (...given) => {
      removals += 1
      if (removals === 5) inFlight.resolve()
      if (removals >= 5) await resumed.promise
      return drive.remove(...given)
    },
  })
  const running = one.run(never)
  await inFlight.promise
  await two.run(never)
  assert.equal((await row()).state, 'running')
  // As after SIGSTOP: the time of the lease has passed.
  clock.now += 61_000
  await two.run(never)
  assert.deepEqual(await keysOf(drive), [])
  // From a backup, with their times.
  const resumedAtMs = clock.now
  clock.now = startMs
  for (let index = 0; index < 50; index++) await put(drive, `k${index}`)
  clock.now = resumedAtMs
  resumed.resolve()
  await running
  assert.ok(removals <= 8, String(removals))
  assert.equal((await keysOf(drive)).length, 50)
  assert.deepEqual([(await row()).state, await isHeld()], ['done', false])
})

test('a drive that does not respond stops the run for some minutes', async (t) => {
  const { clock, drive, process, row, isHeld, openRunner } = await open(t)
  await put(drive, 'a')
  clock.now += 2 * dayMs
  let isDown = true
  let calls = 0
  const one = process({
    remove: async (...given) => {
      calls += 1
      if (isDown) throw new DriveError('unavailable', 'The drive is away.')
      return drive.remove(...given)
    },
  })
  await one.run(never)
  const { state, phase, message } = await row()
  assert.deepEqual([state, phase, message], ['failed', 'objects', 'The drive is away.'])
  const [shown] = await expiryRuns(openRunner())
  assert.deepEqual([shown?.isDone, shown?.problem], [false, 'The drive is away.'])
  assert.equal(await isHeld(), false)
  isDown = false
  await one.run(never)
  assert.equal(calls, 1)
  clock.now += 5 * 60_000
  await one.run(never)
  assert.deepEqual(await keysOf(drive), [])
  assert.deepEqual([(await row()).state, (await row()).message], ['done', ''])
})

test('an object that cannot be removed is counted, and the others are removed', async (t) => {
  const { clock, drive, process, row, logged } = await open(t)
  for (const key of ['a', 'b', 'c']) await put(drive, key)
  clock.now += 2 * dayMs
  const one = process({
    remove: async (name, key, conditions) => {
      if (key === 'b') throw new DriveError('denied', 'No permission.')
      return drive.remove(name, key, conditions)
    },
  })
  await one.run(never)
  assert.deepEqual(await keysOf(drive), ['b'])
  const { state, objects, failures } = await row()
  assert.deepEqual([state, objects, failures], ['done', 2, 1])
  assert.ok(logged.some((fields) => 'key' in fields && fields.key === 'b'))
})

test('a drive that rejects every removal does not fill the log', async (t) => {
  const { clock, drive, process, row, logged } = await open(t)
  for (let index = 0; index < 100; index++) await put(drive, `k${index}`)
  clock.now += 2 * dayMs
  const one = process({
    remove: async () => {
      throw new DriveError('denied', 'The drive is read-only.')
    },
  })
  await one.run(never)
  assert.equal((await row()).failures, 100)
  // Ten objects, and the end of the run.
  assert.equal(logged.length, 11)
})

test('open uploads are aborted after their days', async (t) => {
  const { clock, state, process, row } = await open(t)
  const { days: _, ...uploadsRule } = rule({ prefix: 'a/', abortUploadsDays: 1 })
  state.rules = [uploadsRule]
  const upload = (uploadId: string, key: string, createdAtMs: number) => ({
    uploadId,
    key,
    createdAtMs,
  })
  state.openUploads = [
    upload('new', 'a/1', startMs + 2 * dayMs),
    upload('old', 'a/2', startMs),
    upload('fails', 'a/3', startMs),
    upload('other', 'b', startMs),
  ]
  clock.now += 2 * dayMs
  await process().run(never)
  assert.deepEqual(
    state.openUploads.map(({ uploadId }) => uploadId),
    ['new', 'fails', 'other'],
  )
  const { state: ended, uploads, failures } = await row()
  assert.deepEqual([ended, uploads, failures], ['done', 1, 1])
})

test('nothing is removed while the clocks of machine and database differ by hours', async (t) => {
  const { clock, drive, process, table, logged } = await open(t)
  await put(drive, 'a')
  clock.now += 2 * dayMs
  clock.localAheadMs = -2 * dayMs
  const one = process()
  for (let round = 0; round < 3; round++) await one.run(never)
  assert.deepEqual(await keysOf(drive), ['a'])
  assert.deepEqual(await table.all('expire'), [])
  assert.equal(logged.length, 1)
  clock.localAheadMs = 0
  await one.run(never)
  assert.deepEqual(await keysOf(drive), [])
})

test('a clock that is set back removes nothing, and the day is done again', async (t) => {
  const { clock, drive, process, row } = await open(t)
  const one = process()
  await one.run(never)
  clock.now = startMs - 10 * dayMs
  await put(drive, 'a')
  clock.now += 60_000
  await one.run(never)
  assert.equal((await row()).day, 19_990)
  assert.deepEqual(await keysOf(drive), ['a'])
  clock.now = startMs
  await one.run(never)
  assert.deepEqual(await keysOf(drive), [])
})
