import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import type { Entry } from '../../../../src/storage/drives/listed-entry.ts'
import { folderCountLimits, openFolderCounts } from '../../../../src/storage/jobs/folder-counts.ts'
import { openTestDatabase, until } from '../../dashboard/management/management-fixture.ts'
import { deadOwner, openJobs } from './jobs-fixture.ts'

const entries: readonly Entry[] = [1, 2, 3].map((index) => ({
  ...{ kind: 'object', key: `a/${index}`, size: 10, modifiedAtMs: 1_000 + index, etag: 'e' },
}))

/** A drive that lists three objects and asks `gate` before each page. */
async function open(t: TestContext, gate: () => Promise<void> = async () => undefined) {
  const clock = { now: 1_000_000_000_000 }
  const listed: string[] = []
  const drive: Pick<Drive, 'list'> = {
    list(_bucket, { prefix }) {
      listed.push(prefix)
      let page = 0
      const next = async () => {
        await gate()
        return page++ === 0 ? [...entries] : []
      }
      return { next, seek: () => undefined }
    },
  }
  const jobs = openJobs(t, await openTestDatabase(t), clock)
  const now = () => clock.now
  const countsOf = () => openFolderCounts({ drive, jobs: jobs.process(), now })
  const counts = countsOf()
  const look = async () => (await counts.all())[0]
  const settled = () => until(async () => (await look())?.isCounting === false)
  const { take } = jobs
  return { clock, listed, counts, countsOf, look, settled, take }
}

test('a folder is counted, and counted again in the same row', async (t) => {
  const { clock, counts, look, settled, listed } = await open(t)
  const begun = await counts.start('files', 'a/\0/')
  assert.deepEqual([begun?.isCounting, begun?.figures, begun?.prefix], [true, undefined, 'a/\0/'])
  await settled()
  const { figures, problem } = (await look()) ?? {}
  const found = { objects: 3, bytes: 30, lastModifiedMs: 1_003 }
  assert.deepEqual(figures, { ...found, countedAtMs: clock.now, tookMs: 0 })
  assert.equal(problem, undefined)
  clock.now += 5
  // Not before the first count has given its lease back.
  let again: Awaited<ReturnType<typeof counts.start>>
  await until(async () => {
    again = await counts.start('files', 'a/\0/')
    return again !== undefined
  })
  assert.equal(again?.id, begun?.id)
  assert.deepEqual(again?.figures, figures)
  await settled()
  assert.equal((await look())?.figures?.countedAtMs, clock.now)
  assert.equal((await counts.all()).length, 1)
  assert.deepEqual(listed, ['a/\0/', 'a/\0/'])
})

test('as many folders as the limit are counted at once, and each only once', async (t) => {
  const gate = Promise.withResolvers<void>()
  const { counts, countsOf, listed } = await open(t, () => gate.promise)
  const other = countsOf()
  for (let index = 0; index < folderCountLimits.running; index++) {
    assert.ok(await counts.start('files', `${index}/`))
  }
  assert.equal(await other.start('files', 'more/'), undefined)
  assert.equal((await other.start('files', '0/'))?.isCounting, true)
  gate.resolve()
  await until(async () => (await counts.all()).every(({ isCounting }) => !isCounting))
  assert.equal(listed.length, folderCountLimits.running)
  assert.ok(await other.start('files', 'more/'))
})

test('another process stops a count, and the figures before it stay', async (t) => {
  let isSlow = false
  const slow = Promise.withResolvers<void>()
  t.after(() => slow.resolve())
  const { counts, countsOf, look, settled } = await open(t, async () => {
    if (isSlow) await slow.promise
  })
  await counts.start('files', 'a/')
  await settled()
  isSlow = true
  const { id = '' } = (await counts.start('files', 'a/')) ?? {}
  await countsOf().cancel(id)
  await settled()
  const { figures, problem } = (await look()) ?? {}
  assert.deepEqual([figures?.objects, problem], [3, undefined])
  assert.equal(await counts.cancel('none'), undefined)
})

test('the count of a process that was killed says so, and can begin again', async (t) => {
  const { clock, counts, look, settled, take } = await open(t)
  const { id = '' } = (await counts.start('files', 'a/')) ?? {}
  await settled()
  const { figures } = (await look()) ?? {}
  assert.ok(figures !== undefined)
  const found = { objects: 1, bytes: 10, lastModifiedMs: 0 }
  const row = {
    target: JSON.stringify(['files', 'a/']),
    figures: JSON.stringify({ ...figures, found }),
  }
  await take({ kind: 'folder', id, owner: deadOwner, ...row }, clock.now + 60_000)
  const killed = await look()
  assert.deepEqual([killed?.isCounting, killed?.figures], [false, figures])
  assert.match(killed?.problem ?? '', /has ended/)
  clock.now += 5
  assert.ok(await counts.start('files', 'a/'))
  await settled()
  const again = await look()
  assert.deepEqual([again?.figures?.countedAtMs, again?.problem], [clock.now, undefined])
})

test('a drive that fails is the problem of the count', async (t) => {
  const { counts, look, settled } = await open(t, async () => {
    throw new DriveError('denied', 'The folder may not be read.')
  })
  await counts.start('files', 'a/')
  await settled()
  const { figures, problem } = (await look()) ?? {}
  assert.deepEqual([figures, problem], [undefined, 'The folder may not be read.'])
})
