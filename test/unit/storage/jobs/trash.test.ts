import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { dayMs } from '../../../../src/storage/buckets/lifecycle-rules.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { trashBucketOf } from '../../../../src/storage/drives/trash-bucket.ts'
import {
  isTrashId,
  listTrash,
  newTrashId,
  openTrashExpiry,
  timeOfTrashId,
} from '../../../../src/storage/jobs/trash/trash.ts'
import { until } from '../../../support/management-client.ts'
import {
  keysOf,
  openManagement,
  put as putObject,
} from '../../dashboard/management/management-fixture.ts'

const signal = new AbortController().signal

const bucket = 'files'

test('ids of the trash are in the order of time, the latest first', () => {
  const times = [0, 1, 1_790_000_000_000, 9e13]
  const ids = times.map(newTrashId)
  assert.deepEqual(ids.toSorted(), ids.toReversed())
  assert.deepEqual(ids.map(timeOfTrashId), times)
  assert.ok(ids.every(isTrashId))
  for (const wrong of ['', '../a', `${ids[0]}/`, `${ids[0]}x`, '000000000-0000000G']) {
    assert.equal(isTrashId(wrong), false, wrong)
  }
})

test('a drive that fails does not hide the trash of other buckets', async (t) => {
  const drive = openMemoryDrive()
  await drive.prepare([trashBucketOf('public')])
  await putObject(drive, `${newTrashId(0)}/a.txt`, '', trashBucketOf('public'))
  const gone = new DriveError('unavailable', 'gone')
  const list: typeof drive.list = (name, options) =>
    name === trashBucketOf(bucket)
      ? { ...drive.list(name, options), next: () => Promise.reject(gone) }
      : drive.list(name, options)
  const trash = { days: 30, drive: { list }, has: () => true }
  const { send } = await openManagement(t, { trash })
  const { status, body } = await send('GET', '/trashes')
  assert.deepEqual([status, body.failed], [200, [bucket]])
  assert.deepEqual(
    body.trashes.map((one: { bucket: string; items: { paths: string[] }[] }) => [
      one.bucket,
      one.items[0]?.paths,
    ]),
    [['public', ['a.txt']]],
  )
})

test('a search in the trash that nobody waits for ends', async () => {
  const drive = openMemoryDrive()
  await drive.prepare([trashBucketOf(bucket)])
  for (let atMs = 0; atMs < 20; atMs += 1) {
    await putObject(drive, `${newTrashId(atMs)}/a.txt`, '', trashBucketOf(bucket))
  }
  const end = new AbortController()
  let lists = 0
  const list: typeof drive.list = (...query) => {
    lists += 1
    if (lists === 3) end.abort()
    return drive.list(...query)
  }
  const query = { bucket, after: '', text: 'none', signal: end.signal }
  const deletions = { find: async () => new Map() }
  await assert.rejects(listTrash({ drive: { list }, deletions }, query), /abort/)
  assert.equal(lists, 3)
})

test('the trash is listed, restored, expired and emptied', async (t) => {
  const { drive, done, send, put, keys } = await openTrash(t)
  await put('d/a.txt', 'd/b.txt', 'c.txt', 'd.txt')
  const start = async (body: object) =>
    ended(done, (await done('POST', '/file-jobs', { bucket, ...body })).id)
  const { trashId } = await start({ action: 'trash', paths: ['d/', 'c.txt', 'gone.txt'] })
  assert.deepEqual(await keys(bucket), ['d.txt'])
  const listed = await done('GET', '/trash?bucket=files')
  const everywhere = await done('GET', '/trashes')
  assert.deepEqual(everywhere, { trashes: [{ ...listed, bucket }], failed: [] })
  assert.deepEqual(
    listed.items.map(({ objects, paths, count }: Record<string, unknown>) => [
      objects,
      paths,
      count,
    ]),
    [[3, ['d/', 'c.txt'], 2]],
  )
  const files = (after: string) =>
    done('GET', `/trash-files?bucket=${bucket}&trashId=${trashId}&after=${after}`)
  const { files: listedFiles, next } = await files('')
  assert.deepEqual(
    listedFiles.map(({ key }: { key: string }) => key),
    ['c.txt', 'd/a.txt', 'd/b.txt'],
  )
  assert.equal(next, null)
  assert.equal((await files('c.txt')).files.length, 2)
  assert.equal((await send('GET', `/trash-files?bucket=${bucket}&trashId=..`)).status, 400)
  // A part of any name finds a deletion.
  const found = async (text: string) =>
    (await done('GET', `/trash?bucket=${bucket}&search=${text}`)).items.length
  assert.deepEqual([await found('B.TX'), await found('gone')], [1, 0])
  assert.deepEqual((await done('GET', '/trashes?search=gone')).trashes, [])
  // Restoring overwrites nothing.
  await putObject(drive, 'c.txt', 'another one')
  const restored = await start({ action: 'restore', trashId, paths: ['d/a.txt', 'c.txt'] })
  assert.deepEqual([restored.done, restored.skipped], [1, 1])
  const reason = 'An object with this name exists there.'
  assert.deepEqual(restored.problems, [{ key: 'c.txt', reason }])
  // Of what was chosen, c.txt is still there, and a part of the folder.
  const [left] = (await done('GET', '/trash?bucket=files')).items
  assert.deepEqual([left.paths, left.count], [['d/', 'c.txt'], 2])
  await start({ action: 'empty', trashId, paths: ['d/b.txt'] })
  const [last] = (await done('GET', '/trash?bucket=files')).items
  assert.deepEqual([last.paths, last.count], [['c.txt'], 1])
  await start({ action: 'restore', trashId, taken: 'keep-both' })
  const all = ['c (2).txt', 'c.txt', 'd.txt', 'd/a.txt']
  assert.deepEqual(await keys(bucket), all)
  assert.deepEqual(await keys(trashBucketOf(bucket)), [])

  await start({ action: 'trash', paths: ['c.txt', 'c (2).txt'] })
  await start({ action: 'empty' })
  assert.deepEqual(await keys(trashBucketOf(bucket)), [])
  for (const body of [
    { action: 'trash', bucket },
    { action: 'trash', bucket, paths: [''] },
    { action: 'trash', bucket, paths: ['\ud800'] },
    { action: 'restore', bucket, trashId: '../x' },
    { action: 'trash', bucket: trashBucketOf(bucket), paths: ['a'] },
  ]) {
    assert.equal((await send('POST', '/file-jobs', body)).status, 400, JSON.stringify(body))
  }
  assert.deepEqual(await keys(bucket), ['d.txt', 'd/a.txt'])
})

test('what is older than TRASH_DAYS is deleted, but not if a clock is wrong', async (t) => {
  const { drive, fileJobs, keys } = await openTrash(t)
  const nowMs = Date.now()
  const trash = trashBucketOf(bucket)
  await drive.addBucket(trash)
  const [old, young] = [nowMs - 30 * dayMs - 1_000, nowMs - 29 * dayMs].map(newTrashId)
  await putObject(drive, `${old}/a`, 'x', trash)
  await putObject(drive, `${young}/b`, 'x', trash)
  const expiryAt = (localMs: number, days = 30) =>
    openTrashExpiry({
      ...{ drive, fileJobs, days, buckets: () => [bucket, 'other'] },
      ...{ now: () => nowMs, localNow: () => localMs },
    })(signal)
  await expiryAt(nowMs - 2 * 3_600_000)
  await expiryAt(nowMs, 0)
  assert.equal((await keys(trash)).length, 2)
  await expiryAt(nowMs)
  await until(async () => (await keys(trash)).length === 1)
  assert.deepEqual(await keys(trash), [`${young}/b`])
})

test('a bucket whose drive is away does not keep the trash of others', async (t) => {
  const { drive, fileJobs, keys } = await openTrash(t)
  const nowMs = Date.now()
  const trash = trashBucketOf(bucket)
  await drive.addBucket(trash)
  await putObject(drive, `${newTrashId(nowMs - 31 * dayMs)}/a`, 'x', trash)
  const list: typeof drive.list = (name, query) => {
    if (name !== trashBucketOf('away')) return drive.list(name, query)
    return { seek: () => undefined, next: () => Promise.reject(new Error('away')) }
  }
  const expire = openTrashExpiry({
    ...{ drive: { list, trashes: () => true }, fileJobs, days: 30 },
    ...{ buckets: () => ['away', bucket], now: () => nowMs, localNow: () => nowMs },
  })
  await assert.rejects(expire(signal), /away/)
  await until(async () => (await keys(trash)).length === 0)
})

async function openTrash(t: TestContext) {
  const { drive, fileJobs, send } = await openManagement(t)
  const done = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const reply = await send(method, path, body)
    assert.ok(reply.status < 300, reply.text)
    return reply.body
  }
  return {
    ...{ drive, fileJobs, send, done },
    async put(...keys: readonly string[]) {
      for (const key of keys) await putObject(drive, key, key)
    },
    keys: (name: string) => keysOf(drive, name),
  }
}

type Done = Awaited<ReturnType<typeof openTrash>>['done']

/** The reply of a job that has ended. */
async function ended(done: Done, id: string) {
  await until(async () => (await done('GET', `/file-jobs/${id}`)).state !== 'running')
  const reply = await done('GET', `/file-jobs/${id}`)
  assert.equal(reply.state, 'done', reply.message)
  return reply
}
