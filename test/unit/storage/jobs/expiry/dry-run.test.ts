import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Database } from '../../../../../src/platform/state/database.ts'
import { dayMs, type LifecycleRule } from '../../../../../src/storage/buckets/lifecycle-rules.ts'
import {
  type MemoryDrive,
  openMemoryDrive,
} from '../../../../../src/storage/drives/memory/memory-drive.ts'
import {
  type DryRunParts,
  dryRunExpiry,
} from '../../../../../src/storage/jobs/expiry/expired-objects.ts'
import { Expiry } from '../../../../../src/storage/jobs/expiry/expiry.ts'
import { silentLog } from '../../../../support/silent-log.ts'
import { keysOf, openTestDatabase, put } from '../../../dashboard/management/management-fixture.ts'
import { openJobs } from '../jobs-fixture.ts'

const bucket = 'files'
const startMs = 20_000 * dayMs + 5 * 60 * 60_000
const never = new AbortController().signal

const rule = (changed: Partial<LifecycleRule> = {}): LifecycleRule => ({
  ...{ id: 'rule', prefix: '', prefixForm: 'filter', isEnabled: true, days: 1, ...changed },
})

async function open() {
  const clock = { nowMs: startMs }
  const now = () => clock.nowMs
  const drive = openMemoryDrive({ now })
  await drive.prepare([bucket])
  const hasVersions = () => false
  const dryRun = (
    rules: readonly LifecycleRule[],
    changes: Partial<Omit<DryRunParts, 'hasVersions'>> = {},
    after = '',
  ) =>
    dryRunExpiry({ drive, hasVersions, now, ...changes }, { bucket, rules, after, signal: never })
  return { clock, drive, dryRun }
}

/** What the rules really remove. */
async function expire(
  t: TestContext,
  database: Database,
  { drive, clock }: Pick<Awaited<ReturnType<typeof open>>, 'drive' | 'clock'>,
  lifecycle: readonly LifecycleRule[],
) {
  const before = await keysOf(drive)
  const configuration = { name: bucket, isPublic: false, lifecycle }
  const now = () => clock.nowMs
  const expiry = new Expiry({
    buckets: { find: () => configuration, all: () => [configuration] },
    ensureCurrent: async () => undefined,
    lockRules: async () => undefined,
    ...{ drive, hasVersions: () => false },
    uploads: { listOpen: async () => [], abort: async () => false },
    jobs: openJobs(t, database, { now: clock.nowMs }).process(),
    ...{ now, localNow: now, log: silentLog },
  })
  await database.write([{ sql: 'DELETE FROM jobs' }])
  await expiry.run(never)
  const after = new Set(await keysOf(drive))
  return before.filter((key) => !after.has(key))
}

/** All rules that have another effect somewhere near midnight, disabled, nested, or without days. */
const ruleSets: readonly (readonly LifecycleRule[])[] = [
  [rule()],
  [rule({ prefix: 'a/' }), rule({ id: 'in', prefix: 'a/b/', days: 3 })],
  [rule({ prefix: 'a/', days: 2 }), rule({ id: 'c', prefix: 'c', isEnabled: false })],
  [(({ days: _, ...dated }) => dated)(rule({ dateMs: 20_002 * dayMs }))],
  [(({ days: _, ...uploads }) => uploads)(rule({ abortUploadsDays: 1 }))],
  [],
]

test('a dry run counts what the rules remove then, and removes nothing', async (t) => {
  const database = await openTestDatabase(t)
  for (const rules of ruleSets) {
    for (const laterMs of [0, dayMs, 2 * dayMs, 20_003 * dayMs - 1 - startMs, 4 * dayMs]) {
      const opened = await open()
      const { clock, drive, dryRun } = opened
      const written = new Map<string, { readonly size: number; readonly atMs: number }>()
      for (const key of ['a/1', 'a/b/2', 'a/b/3', 'b', 'c']) {
        await put(drive, key, 'x'.repeat(written.size + 1))
        written.set(key, { size: written.size + 1, atMs: clock.nowMs })
        clock.nowMs += dayMs / 4
      }
      clock.nowMs = Math.max(startMs + laterMs, clock.nowMs)
      const found = await dryRun(rules)
      assert.deepEqual(await keysOf(drive), [...written.keys()])
      const removed = (await expire(t, database, opened, rules)).map((key) => written.get(key))
      assert.deepEqual(found, {
        objects: removed.length,
        bytes: removed.reduce((sum, object) => sum + (object?.size ?? 0), 0),
        oldestMs:
          removed.length === 0
            ? undefined
            : Math.min(...removed.map((object) => object?.atMs ?? 0)),
        formerVersions: { count: 0, bytes: 0 },
        next: undefined,
      })
    }
  }
})

test('a dry run that takes too long says where to continue', async () => {
  const { clock, drive, dryRun } = await open()
  for (let index = 1_000; index < 2_200; index++) await put(drive, `a/${index}`, 'xy')
  await put(drive, 'b')
  clock.nowMs += 3 * dayMs
  const rules = [rule({ prefix: 'a/' }), rule({ id: 'b', prefix: 'b' })]
  const pages: (string | undefined)[] = []
  let [objects, bytes] = [0, 0]
  let after: string | undefined = ''
  while (after !== undefined) {
    const found = await dryRun(rules, { limitMs: 0 }, after)
    objects += found.objects
    bytes += found.bytes
    after = found.next
    pages.push(after)
  }
  assert.deepEqual([objects, bytes], [1_201, 2_400])
  assert.deepEqual(pages, ['a/1499', 'a/1999', 'a/2199', 'b', undefined])
})

test('a dry run ends with its request, also while the drive does not respond', async () => {
  const { drive } = await open()
  const asked = Promise.withResolvers<void>()
  const hanging = {
    list: () => ({
      next: () => {
        asked.resolve()
        return Promise.withResolvers<never>().promise
      },
      seek: () => undefined,
    }),
  }
  const request = new AbortController()
  const rules = [rule()]
  const running = dryRunExpiry(
    { drive: hanging, hasVersions: () => false, now: () => startMs },
    { bucket, rules, after: '', signal: request.signal },
  )
  await asked.promise
  request.abort(new Error('the client is gone'))
  await assert.rejects(running, /the client is gone/)

  await put(drive, 'a')
  let pages = 0
  const gone = new AbortController()
  const counted = {
    list: (...given: Parameters<MemoryDrive['list']>) => {
      const cursor = drive.list(...given)
      return {
        next: (limit: number) => {
          pages += 1
          gone.abort(new Error('the client is gone'))
          return cursor.next(limit)
        },
        seek: (key: string) => cursor.seek(key),
      }
    },
  }
  await assert.rejects(
    dryRunExpiry(
      { drive: counted, hasVersions: () => false, now: () => startMs },
      { bucket, rules, after: '', signal: gone.signal },
    ),
    /the client is gone/,
  )
  assert.equal(pages, 1)
})

test('a dry run gives up a drive that does not respond', async () => {
  const hanging = {
    list: () => ({
      next: () => Promise.withResolvers<never>().promise,
      seek: () => undefined,
    }),
  }
  await assert.rejects(
    dryRunExpiry(
      { drive: hanging, hasVersions: () => false, now: () => startMs, hangMs: 20 },
      { bucket, rules: [rule()], after: '', signal: never },
    ),
    { name: 'DriveError', kind: 'unavailable' },
  )
})
