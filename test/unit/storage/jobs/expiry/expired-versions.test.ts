import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { dayMs, type LifecycleRule } from '../../../../../src/storage/buckets/lifecycle-rules.ts'
import type { LockRules } from '../../../../../src/storage/drives/attributes.ts'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import type { ExpiryFigures } from '../../../../../src/storage/jobs/expiry/expire-bucket.ts'
import { dryRunExpiry } from '../../../../../src/storage/jobs/expiry/expired-objects.ts'
import { Expiry } from '../../../../../src/storage/jobs/expiry/expiry.ts'
import { openTestDatabase, put } from '../../../dashboard/management/management-fixture.ts'
import { openJobs } from '../jobs-fixture.ts'

const bucket = 'files'
const startMs = 20_000 * dayMs + 5 * 60 * 60_000
const never = new AbortController().signal

const rule = (changed: Partial<LifecycleRule>): LifecycleRule => ({
  ...{ id: 'rule', prefix: '', prefixForm: 'filter', isEnabled: true, ...changed },
})

async function open(t: TestContext, changes: number[] = [startMs - dayMs]) {
  const clock = { now: startMs }
  const locks: { rulesAt: (nowMs: number) => LockRules | undefined } = {
    rulesAt: (nowMs) => ({ nowMs }),
  }
  const now = () => clock.now
  const drive = openMemoryDrive({ now, versioningOf: () => ({ changes }) })
  await drive.prepare([bucket])
  const state: { rules: readonly LifecycleRule[] } = { rules: [] }
  const logged: Record<string, unknown>[] = []
  const note = (fields: object) => void logged.push({ ...fields })
  const log = { debug: note, info: note, warn: note, error: note }
  const { table, process } = openJobs(t, await openTestDatabase(t), clock, log)
  const configuration = () => ({ name: bucket, isPublic: false, lifecycle: state.rules })
  const hasVersions = () => true
  const expire = async (
    rules: readonly LifecycleRule[],
    calls: Partial<Pick<Drive, 'head' | 'remove' | 'listVersions'>> = {},
    signal = never,
  ) => {
    state.rules = rules
    const { head, remove, list, listVersions } = drive
    const expiry = new Expiry({
      buckets: { find: configuration, all: () => [configuration()] },
      ...{ ensureCurrent: async () => undefined, hasVersions, now, log, localNow: now },
      lockRules: async () => locks.rulesAt(clock.now),
      drive: {
        list: list.bind(drive),
        head: calls.head ?? head.bind(drive),
        remove: calls.remove ?? remove.bind(drive),
        ...(listVersions && { listVersions: calls.listVersions ?? listVersions.bind(drive) }),
      },
      uploads: { listOpen: async () => [], abort: async () => false },
      jobs: process(),
    })
    await expiry.run(signal)
    const [row = assert.fail('no row')] = await table.all('expire')
    return { ...(JSON.parse(row.figures) as ExpiryFigures), state: row.state }
  }
  const dryRun = (rules: readonly LifecycleRule[], limitMs = 10_000, after = '') => {
    const query = { bucket, rules, after, signal: never }
    return dryRunExpiry({ drive, hasVersions, now, limitMs }, query)
  }
  /** As `key body` of each version, the newest first; a marker has no body. */
  const versions = async () => {
    const cursor = drive.listVersions?.(bucket, { prefix: '', after: '' })
    const entries = (await cursor?.next(10_000)) ?? []
    return entries.map((entry) => {
      if (entry.kind !== 'object') return entry.key
      return entry.isDeleteMarker ? `${entry.key} marker` : `${entry.key} ${entry.size}`
    })
  }
  /** Writes a version of so many bytes. */
  const write = (key: string, bytes: number) => put(drive, key, 'x'.repeat(bytes))
  const idOf = async (key: string) =>
    (await drive.head(bucket, key))?.versionId ?? assert.fail(`no object ${key}`)
  return { clock, locks, drive, logged, expire, dryRun, versions, write, idOf }
}

test('former versions are removed after their days, since they were replaced', async (t) => {
  const { clock, expire, dryRun, versions, write } = await open(t)
  const rules = [rule({ noncurrentDays: 3, prefix: 'a' }), rule({ id: 'b', days: 900 })]
  for (const key of ['a', 'b']) await write(key, 1)
  clock.now += 10 * dayMs
  for (const key of ['a', 'b']) await write(key, 2)
  clock.now += 3 * dayMs
  await expire(rules)
  assert.deepEqual(await versions(), ['a 2', 'a 1', 'b 2', 'b 1'])
  clock.now += dayMs
  const found = await dryRun(rules)
  assert.deepEqual([found.objects, found.formerVersions], [0, { count: 1, bytes: 1 }])
  const { objects, versions: removed, failures, state } = await expire(rules)
  assert.deepEqual([objects, removed, failures, state], [0, 1, 0, 'done'])
  assert.deepEqual(await versions(), ['a 2', 'b 2', 'b 1'])
})

test('a rule keeps the newest former versions', async (t) => {
  const { clock, expire, versions, write, logged } = await open(t)
  for (const bytes of [1, 2, 3, 4, 5]) await write('k', bytes)
  clock.now += 3 * dayMs
  const figures = await expire([rule({ noncurrentDays: 1, newerNoncurrentVersions: 3 })])
  assert.deepEqual(await versions(), ['k 5', 'k 4', 'k 3', 'k 2'])
  assert.equal(figures.versions, 1)
  assert.ok(logged.some((fields) => fields.versions === 1 && fields.isDone === true))
})

test('an expired object becomes a former version, and the next run removes nothing', async (t) => {
  const { clock, expire, dryRun, versions, write } = await open(t)
  await write('k', 3)
  clock.now += 2 * dayMs
  const rules = [rule({ days: 1 })]
  const found = await dryRun(rules)
  assert.deepEqual([found.objects, found.bytes, found.formerVersions.count], [1, 3, 0])
  assert.equal((await expire(rules)).objects, 1)
  assert.deepEqual(await versions(), ['k marker', 'k 3'])
  clock.now += 5 * dayMs
  assert.equal((await expire(rules)).objects, 0)
  assert.deepEqual(await versions(), ['k marker', 'k 3'])
})

test('while versions are suspended, an expired object is replaced by the marker null', async (t) => {
  const { clock, drive, expire, write } = await open(t, [startMs - 2 * dayMs, startMs - dayMs])
  await write('k', 3)
  clock.now += 2 * dayMs
  await expire([rule({ days: 1 })])
  const entries = await drive.listVersions?.(bucket, { prefix: '', after: '' }).next(9)
  assert.deepEqual(
    entries?.map((entry) => entry.kind === 'object' && [entry.versionId, entry.isDeleteMarker]),
    [['null', true]],
  )
})

test('a delete marker goes in the same run as the last version below it', async (t) => {
  const { clock, drive, expire, dryRun, versions, write } = await open(t)
  for (const key of ['a', 'b', 'c']) await write(key, 1)
  for (const key of ['a', 'b']) await drive.remove(bucket, key)
  await drive.remove(bucket, 'alone')
  clock.now += 3 * dayMs
  await drive.remove(bucket, 'c')
  const markers = rule({ id: 'm', expiresMarkers: true })
  const rules = [rule({ noncurrentDays: 1, prefix: 'a' }), markers]
  assert.deepEqual((await dryRun(rules)).formerVersions, { count: 3, bytes: 1 })
  const figures = await expire(rules)
  assert.equal(figures.versions, 3)
  assert.deepEqual(await versions(), ['b marker', 'b 1', 'c marker', 'c 1'])
})

test('a rule for Days removes a delete marker that is old enough and alone', async (t) => {
  const { clock, drive, expire, versions } = await open(t)
  await drive.remove(bucket, 'old')
  clock.now += 4 * dayMs
  await drive.remove(bucket, 'young')
  await expire([rule({ days: 3 })])
  assert.deepEqual(await versions(), ['young marker'])
})

test('a former delete marker is a former version', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  await write('k', 1)
  await drive.remove(bucket, 'k')
  await write('k', 2)
  clock.now += 3 * dayMs
  await expire([rule({ noncurrentDays: 1, newerNoncurrentVersions: 1 })])
  assert.deepEqual(await versions(), ['k 2', 'k marker'])
})

test('a locked version stays, is no failure, and goes when its retention has ended', async (t) => {
  const { clock, drive, expire, versions, write, idOf } = await open(t)
  await write('k', 1)
  await write('held', 1)
  await drive.setAttributes?.(bucket, 'k', {
    retention: { mode: 'COMPLIANCE', untilMs: clock.now + 5 * dayMs },
  })
  await drive.setAttributes?.(bucket, 'held', { legalHold: true })
  const heldId = await idOf('held')
  for (const key of ['k', 'held']) await write(key, 2)
  clock.now += 3 * dayMs
  const rules = [rule({ noncurrentDays: 1 })]
  const first = await expire(rules)
  assert.deepEqual([first.versions, first.locked, first.failures, first.state], [0, 2, 0, 'done'])
  clock.now += 3 * dayMs
  const second = await expire(rules)
  assert.deepEqual([second.versions, second.locked], [1, 1])
  assert.deepEqual(await versions(), ['held 2', 'held 1', 'k 2'])
  await drive.setAttributes?.(bucket, 'held', { legalHold: false }, { versionId: heldId })
  clock.now += dayMs
  await expire(rules)
  assert.deepEqual(await versions(), ['held 2', 'k 2'])
})

test('a retention counts until Object Lock says that it has ended', async (t) => {
  const { clock, locks, drive, expire, versions, write } = await open(t)
  await write('k', 1)
  const retention = { mode: 'GOVERNANCE', untilMs: clock.now + dayMs } as const
  await drive.setAttributes?.(bucket, 'k', { retention })
  await write('k', 2)
  clock.now += 3 * dayMs
  const rules = [rule({ noncurrentDays: 1 })]
  // A bucket without Object Lock, and a clock that was set ahead.
  for (const lock of [undefined, { nowMs: startMs }]) {
    locks.rulesAt = () => lock
    const { versions: removed, locked } = await expire(rules)
    assert.deepEqual([removed, locked], [0, 1])
    clock.now += dayMs
  }
  locks.rulesAt = (nowMs) => ({ nowMs })
  await expire(rules)
  assert.deepEqual(await versions(), ['k 2'])
})

test('a rule for tags and sizes is for the versions that have them', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  for (const key of ['keep', 'no', 'small']) {
    await write(key, key === 'small' ? 1 : 5)
    const tags = { keep: key === 'keep' ? 'yes' : 'no' }
    await drive.setAttributes?.(bucket, key, { tags })
    await write(key, 9)
  }
  clock.now += 3 * dayMs
  await expire([rule({ noncurrentDays: 1, tags: { keep: 'no' }, largerThan: 1 })])
  assert.deepEqual(await versions(), ['keep 9', 'keep 5', 'no 9', 'small 9', 'small 1'])
})

test('a former version that is the newest again stays: a deletion was undone meanwhile', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  await write('k', 1)
  const marker = await drive.remove(bucket, 'k')
  clock.now += 3 * dayMs
  const figures = await expire([rule({ noncurrentDays: 1 })], {
    async head(name, key, options) {
      await drive.remove(name, key, { versionId: marker?.versionId })
      return drive.head(name, key, options)
    },
  })
  assert.deepEqual([await versions(), figures.versions], [['k 1'], 0])
})

test('a delete marker stays if an object is written meanwhile', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  await drive.remove(bucket, 'k')
  clock.now += 3 * dayMs
  let calls = 0
  const figures = await expire([rule({ expiresMarkers: true })], {
    listVersions(name, query) {
      const cursor = drive.listVersions?.(name, query) ?? assert.fail('no versions')
      return {
        next: async (limit) => {
          calls += 1
          // The pages of the walk are the first two.
          if (calls === 2) await write('k', 1)
          return cursor.next(limit)
        },
        seek: (key) => cursor.seek(key),
      }
    },
  })
  assert.deepEqual([await versions(), figures.versions], [['k 1', 'k marker'], 0])
})

test('a run that was stopped within a key continues after the key before it', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  await write('a', 1)
  for (let count = 0; count < 1_200; count += 1) await write('b', 1)
  await write('c', 1)
  clock.now += 3 * dayMs
  const rules = [rule({ noncurrentDays: 1, newerNoncurrentVersions: 1 })]
  const stopping = new AbortController()
  let removals = 0
  const stopped = await expire(
    rules,
    {
      remove: (...given) => {
        removals += 1
        if (removals === 700) stopping.abort()
        return drive.remove(...given)
      },
    },
    stopping.signal,
  )
  assert.deepEqual([stopped.state, stopped.position], ['interrupted', 'a'])
  const figures = await expire(rules)
  assert.deepEqual(await versions(), ['a 1', 'b 1', 'b 1', 'c 1'])
  assert.deepEqual([figures.state, figures.versions], ['done', 1_198])
})

test('a dry run in parts counts no version twice', async (t) => {
  const { clock, drive, dryRun, write } = await open(t)
  for (const key of ['a', 'b', 'c']) {
    for (let count = 0; count < 700; count += 1) await write(key, 2)
  }
  await drive.remove(bucket, 'd')
  clock.now += 3 * dayMs
  const rules = [rule({ noncurrentDays: 1 }), rule({ id: 'm', expiresMarkers: true })]
  let [after, count, bytes, parts]: [string | undefined, number, number, number] = ['', 0, 0, 0]
  while (after !== undefined) {
    const found = await dryRun(rules, 0, after)
    count += found.formerVersions.count
    bytes += found.formerVersions.bytes
    parts += 1
    after = found.next
  }
  assert.deepEqual([count, bytes], [3 * 699 + 1, 3 * 699 * 2])
  assert.ok(parts > 1)
})

test('a version whose newer one was removed by hand stays', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  for (const bytes of [1, 2]) await write('k', bytes)
  clock.now += 3 * dayMs
  await expire([rule({ noncurrentDays: 1 })], {
    listVersions(name, query) {
      const cursor = drive.listVersions?.(name, query) ?? assert.fail('no versions')
      return {
        async next(limit) {
          const entries = await cursor.next(limit)
          return entries.flatMap((entry) => {
            if (entry.kind === 'folder' || entry.isLatest) return []
            const { replacedAtMs: _, ...unknown } = entry
            return [unknown]
          })
        },
        seek: (key) => cursor.seek(key),
      }
    },
  })
  assert.deepEqual(await versions(), ['k 2', 'k 1'])
})

test('a version that becomes the newest one at the last moment stays', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  await write('undone', 1)
  const marker = await drive.remove(bucket, 'undone')
  await write('rewritten', 1)
  await drive.remove(bucket, 'rewritten')
  clock.now += 3 * dayMs
  const figures = await expire([rule({ noncurrentDays: 1 })], {
    async remove(name, key, conditions) {
      if (key === 'undone') await drive.remove(name, key, { versionId: marker?.versionId })
      if (key === 'rewritten') await write(key, 2)
      return drive.remove(name, key, conditions)
    },
  })
  assert.deepEqual(
    [await versions(), figures.versions, figures.failures],
    [['rewritten 2', 'rewritten marker', 'rewritten 1', 'undone 1'], 0, 0],
  )
})

test('a new version null is not taken for the former one', async (t) => {
  const changes = [startMs + 1]
  const { clock, drive, expire, versions, write } = await open(t, changes)
  // The first write is before versions are enabled.
  changes.splice(0, 1, startMs + 1, startMs + 2)
  await write('k', 1)
  changes.splice(0, 2, startMs - 1)
  await write('k', 2)
  changes.push(startMs)
  assert.deepEqual(await versions(), ['k 2', 'k 1'])
  clock.now += 3 * dayMs
  const figures = await expire([rule({ noncurrentDays: 1 })], {
    async remove(name, key, conditions) {
      const draft = await drive.draft(name, key, {})
      await draft.write(Buffer.from('xxx'))
      await draft.publish({ etag: 'another', headers: {}, metadata: {} })
      return drive.remove(name, key, conditions)
    },
  })
  assert.deepEqual([await versions(), figures.versions], [['k 3', 'k 2'], 0])
})

test('versions expire on a store that compares no ETags', async (t) => {
  const { clock, drive, expire, versions, write } = await open(t)
  for (const bytes of [1, 2]) await write('k', bytes)
  clock.now += 3 * dayMs
  const figures = await expire([rule({ noncurrentDays: 1 })], {
    async remove(name, key, conditions = {}) {
      const { ifMatch, ifNoneMatch } = conditions
      if ((ifMatch ?? ifNoneMatch) !== undefined) throw new DriveError('not-implemented', 'No.')
      return drive.remove(name, key, conditions)
    },
  })
  assert.deepEqual([await versions(), figures.failures], [['k 2'], 0])
})
