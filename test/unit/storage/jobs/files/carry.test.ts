import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { trashBucketOf } from '../../../../../src/storage/drives/trash-bucket.ts'
import { type FileOrder, newFigures } from '../../../../../src/storage/jobs/files/file-order.ts'
import { keysOf, put, until } from '../../../dashboard/management/management-fixture.ts'
import { deadOwner } from '../jobs-fixture.ts'
import { bucket, open } from './open-file-jobs.ts'

const move = (paths: string[], to: string[], more: Partial<FileOrder> = {}): FileOrder => ({
  ...{ action: 'move', bucket, paths, to: { bucket, paths: to } },
  ...more,
})

async function textOf(drive: Awaited<ReturnType<typeof open>>['drive'], key: string) {
  const object = await drive.open(bucket, key)
  if (object === undefined) return undefined
  const chunks: Uint8Array[] = []
  for await (const chunk of object.read(0, object.size)) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('Files and folders are moved, and the undo moves them back', async (t) => {
  const { jobs, drive, run, ended, room } = await open(t)
  for (const key of ['a/1', 'a/b/2', 'c', 'd', 'other']) await put(drive, key, key)
  const job = await run(move(['a/', 'c'], ['x/y/', 'x/c']))
  assert.deepEqual([job.state, job.done, job.total, job.canUndo], ['done', 3, 3, true])
  assert.deepEqual(await keysOf(drive), ['d', 'other', 'x/c', 'x/y/1', 'x/y/b/2'])
  assert.equal(await textOf(drive, 'x/y/b/2'), 'a/b/2')
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  assert.deepEqual([(await ended(undo.id)).done, undo.undoes], [3, job.id])
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/b/2', 'c', 'd', 'other'])
  // Nothing is added to the bucket.
  assert.equal(room.bytes, 0)
})

test('Copies go to another bucket within its quota, and to its trash if they are undone', async (t) => {
  const { jobs, drive, run, ended, room } = await open(t)
  for (const key of ['a/1', 'a/2', 'b']) await put(drive, key, 'four')
  const order = { ...move(['a/', 'b'], ['a/', 'b']), action: 'copy' } as const
  const job = await run({ ...order, to: { bucket: 'other', paths: ['z/', 'b'] } })
  assert.deepEqual([job.done, job.canUndo, room.bytes], [3, true, 12])
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'b'])
  assert.deepEqual(await keysOf(drive, 'other'), ['b', 'z/1', 'z/2'])
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  const { action, done, undoes } = await ended(undo.id)
  assert.deepEqual([action, done, undoes], ['trash', 3, job.id])
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'b'])
  assert.deepEqual(await keysOf(drive, 'other'), [])
  assert.equal((await keysOf(drive, trashBucketOf('other'))).length, 3)
})

test('A copy into a folder with content is undone without what was there before', async (t) => {
  const { jobs, drive, run, ended } = await open(t)
  for (const key of ['a/1', 'a/2', 'x/1', 'x/a/1', 'x/2']) await put(drive, key, 'same')
  const order = { ...move(['a/', 'x/2'], ['x/a/', 'x/1']), action: 'copy' } as const
  const job = await run(order)
  assert.deepEqual([job.state, job.done, job.canUndo], ['done', 3, true])
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'x/1', 'x/2', 'x/a/1', 'x/a/2'])
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  assert.equal((await ended(undo.id)).done, 1)
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'x/1', 'x/2', 'x/a/1'])
})

for (const keepsRemoved of [false, true]) {
  test(`What was written after a copy stays when it is undone (versions: ${keepsRemoved})`, async (t) => {
    let now = 1_000_000
    const options = { now: () => now, keepsRemoved: () => keepsRemoved }
    const { jobs, drive, run, ended } = await open(t, {}, options)
    for (const key of ['a/1', 'a/2', 'b', 'c']) await put(drive, key, key)
    const order = { ...move(['a/', 'b', 'c'], ['x/', 'y', 'z']), action: 'copy' } as const
    const job = await run(order)
    assert.deepEqual([job.done, job.canUndo], [4, true])
    now += 60_000
    for (const key of ['x/2', 'x/new', 'y']) await put(drive, key, 'by somebody else')
    const undo = await jobs.follow(job.id, 'undo')
    if (undo === undefined || undo === 'unknown') assert.fail('not started')
    const { state, done, skipped, problems } = await ended(undo.id)
    assert.deepEqual([state, done, skipped], ['done', 2, 3])
    assert.deepEqual(problems.map(({ key }) => key).sort(), ['x/2', 'x/new', 'y'])
    assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'b', 'c', 'x/2', 'x/new', 'y'])
    assert.equal(await textOf(drive, 'x/2'), 'by somebody else')
  })
}

test('A copy cannot be undone if it replaced something, or its copies would be deleted for good', async (t) => {
  const copy = { ...move(['a'], ['b']), action: 'copy' } as const
  const { drive, run } = await open(t)
  for (const key of ['a', 'b']) await put(drive, key, key)
  const replaced = await run({ ...copy, taken: 'replace' })
  assert.deepEqual([replaced.done, replaced.canUndo], [1, false])
  const other = await open(t, {}, { hasTrash: () => false })
  await put(other.drive, 'a')
  const job = await other.run(copy)
  assert.deepEqual([job.done, job.canUndo], [1, false])
})

test('Names that are taken are skipped, replaced or kept beside, as was answered', async (t) => {
  const { jobs, drive, run, ended } = await open(t)
  for (const key of ['a/1', 'a/2', 'a/3', 'a/4', 'a/new']) await put(drive, key, key)
  for (const key of ['b/1', 'b/2', 'b/3', 'b/4', 'b/4 (2)']) await put(drive, key, `there ${key}`)
  const etag = 'e'
  const job = await run(
    move(['a/'], ['b/'], {
      answers: [
        ['b/1', 'skip', etag],
        ['b/2', 'replace', etag],
        // It was written again since the question.
        ['b/3', 'replace', 'another'],
      ],
      taken: 'keep-both',
    }),
  )
  assert.deepEqual([job.state, job.done, job.skipped], ['done', 3, 2])
  assert.deepEqual(
    job.problems.map(({ key }) => key),
    ['a/1', 'a/3'],
  )
  const all = ['a/1', 'a/3', 'b/1', 'b/2', 'b/3', 'b/4', 'b/4 (2)', 'b/4 (3)', 'b/new']
  assert.deepEqual(await keysOf(drive), all)
  assert.equal(await textOf(drive, 'b/2'), 'a/2')
  assert.equal(await textOf(drive, 'b/4 (3)'), 'a/4')
  // The undo takes back what was moved, and leaves what was there before.
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  await ended(undo.id)
  const back = ['a/1', 'a/2', 'a/3', 'a/4', 'a/new', 'b/1', 'b/3', 'b/4', 'b/4 (2)']
  assert.deepEqual(await keysOf(drive), back)
})

test('An object that is written meanwhile stays, and errors of one object do not stop the others', async (t) => {
  const opened = await open(t, {
    copy: async (source, target, options) => {
      if (source.key === 'a/held') throw new DriveError('locked', 'It has a legal hold.')
      return opened.drive.copy?.(source, target, options)
    },
  })
  const { drive, run } = opened
  for (const key of ['a/1', 'a/held', 'gone']) await put(drive, key, key)
  await drive.remove(bucket, 'gone')
  const job = await run(move(['a/', 'gone'], ['b/', 'b/gone']))
  assert.deepEqual([job.state, job.done, job.canUndo], ['done', 1, true])
  assert.deepEqual(job.problems, [
    { key: 'a/held', reason: 'It has a legal hold.' },
    { key: 'gone', reason: 'It no longer exists.' },
  ])
  assert.deepEqual(await keysOf(drive), ['a/held', 'b/1'])
})

test('a move whose process dies at any step is finished by another process', async (t) => {
  for (const step of ['copy', 'remove'] as const) {
    for (let at = 1; at <= 4; at += 1) {
      let calls = 0
      const dead = Promise.withResolvers<void>()
      const opened = await open(t, {
        [step]: async (...given: never[]) => {
          calls += 1
          const result: unknown = await (opened.drive[step] as (...all: never[]) => unknown)(
            ...given,
          )
          // Whatever this process has begun ends after the other one has taken over.
          if (calls >= at && !isOver) await dead.promise
          return result
        },
      })
      let isOver = false
      const { jobs, others, drive, clock, runner, ended } = opened
      const keys = ['a/1', 'a/2', 'a/3', 'c']
      for (const key of keys) await put(drive, key, key)
      const { id } = await jobs.start(move(['a/', 'c'], ['b/', 'd']))
      await until(() => calls >= at)
      isOver = true
      clock.now += 61_000
      await others.resume()
      assert.equal((await ended(id)).state, 'done', `${step} ${at}`)
      assert.deepEqual(await keysOf(drive), ['b/1', 'b/2', 'b/3', 'd'])
      assert.equal(await textOf(drive, 'd'), 'c')
      dead.resolve()
      await runner.close()
      assert.deepEqual(await keysOf(drive), ['b/1', 'b/2', 'b/3', 'd'])
    }
  }
})

test('what is too long for the trash is named, and the rest goes there', async (t) => {
  const { drive, run } = await open(t)
  const long = 'x'.repeat(1_020)
  for (const key of [long, 'a']) await put(drive, key)
  const job = await run({ action: 'trash', bucket, paths: [long, 'a'] })
  assert.deepEqual([job.done, job.skipped, job.state], [1, 1, 'done'])
  assert.deepEqual(await keysOf(drive), [long])
  assert.deepEqual(await keysOf(drive, trashBucketOf(bucket)), [`${job.trashId}/a`])
})

test('a job that is started again overwrites nothing in the trash', async (t) => {
  const { jobs, drive, run, ended } = await open(t)
  await put(drive, 'a.txt', 'old')
  const job = await run({ action: 'trash', bucket, paths: ['a.txt'] })
  await put(drive, 'a.txt', 'newer')
  const again = await jobs.follow(job.id, 'again')
  if (again === undefined || again === 'unknown') assert.fail('not started')
  assert.equal((await ended(again.id)).done, 1)
  const trash = trashBucketOf(bucket)
  const keys = [`${job.trashId}/a (2).txt`, `${job.trashId}/a.txt`]
  assert.deepEqual(await keysOf(drive, trash), keys)
  const sizes = keys.map(async (key) => (await drive.head(trash, key))?.size)
  assert.deepEqual(await Promise.all(sizes), [5, 3])
})

test('a move that fails before it looks at the target is not undone with what is there', async (t) => {
  const opened = await open(t, {
    list(name, query) {
      if (query.prefix === 'y/') throw new DriveError('unavailable', 'Try again later.')
      return opened.drive.list(name, query)
    },
  })
  const { drive, jobs, run, ended } = opened
  for (const key of ['a', 'b/1', 'y/others']) await put(drive, key)
  const job = await run(move(['a', 'b/'], ['x', 'y/']))
  assert.deepEqual([job.state, job.done, job.canUndo], ['failed', 1, true])
  const undo = await jobs.follow(job.id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  assert.deepEqual([(await ended(undo.id)).state, undo.count], ['done', 1])
  assert.deepEqual(await keysOf(drive), ['a', 'b/1', 'y/others'])
})

test('an object that is skipped by the second process is not undone with what is at its target', async (t) => {
  const { drive, jobs, take, ended } = await open(t)
  for (const key of ['a', 'b', 'x/b']) await put(drive, key, key)
  const order = move(['a', 'b'], ['x/a', 'x/b'])
  const figures = { ...newFigures(), begun: 2 }
  const stored = { about: { ...order, count: 2 }, figures }
  const row = { target: JSON.stringify(order), figures: JSON.stringify(stored) }
  await take({ kind: 'file', id: 'dead', owner: deadOwner, ...row }, 0)
  await jobs.resume()
  const { done, skipped } = await ended('dead')
  assert.deepEqual([done, skipped], [1, 1])
  await drive.remove(bucket, 'b')
  const undo = await jobs.follow('dead', 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  await ended(undo.id)
  assert.deepEqual(await keysOf(drive), ['a', 'x/b'])
})

test('a copy that a second process ends is not undone with what is at the target of an absent source', async (t) => {
  const { drive, jobs, take, ended } = await open(t)
  for (const key of ['b', 'x/a']) await put(drive, key, key)
  const order = { ...move(['a', 'b'], ['x/a', 'x/b']), action: 'copy' } as const
  const stored = { about: { ...order, count: 2 }, figures: { ...newFigures(), begun: 2 } }
  const row = { target: JSON.stringify(order), figures: JSON.stringify(stored) }
  await take({ kind: 'file', id: 'dead', owner: deadOwner, ...row }, 0)
  await jobs.resume()
  assert.equal((await ended('dead')).done, 1)
  const undo = await jobs.follow('dead', 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  await ended(undo.id)
  assert.deepEqual(await keysOf(drive), ['b', 'x/a'])
})

test('a copy whose source is removed before it is read is not counted', async (t) => {
  const opened = await open(t, {
    copy: async () => undefined,
    open: async (name, key) => {
      await opened.drive.remove(name, key)
      return opened.drive.open(name, key)
    },
  })
  const { drive, run } = opened
  await put(drive, 'a', 'a')
  const { done, problems } = await run({ ...move(['a'], ['b']), action: 'copy' })
  assert.deepEqual([done, problems], [0, [{ key: 'a', reason: 'It no longer exists.' }]])
})

for (const action of ['move', 'copy'] as const) {
  test(`a ${action} to the folder above carries no object twice`, async (t) => {
    const { drive, run } = await open(t)
    for (const key of ['a/a/1', 'a/a/a/2', 'a/a/z']) await put(drive, key, key)
    const job = await run({ ...move(['a/a/'], ['a/']), action })
    assert.deepEqual([job.done, job.problems.map(({ key }) => key)], [2, ['a/a/a/2']])
    const stay = action === 'copy' ? ['a/a/1', 'a/a/a/2', 'a/a/z'] : ['a/a/a/2']
    assert.deepEqual(await keysOf(drive), ['a/1', ...stay, 'a/z'])
  })
}

test('what was undone is not undone again, when others have put something there', async (t) => {
  const { drive, jobs, run, ended } = await open(t)
  await put(drive, 'a/1')
  const { id } = await run(move(['a/'], ['b/']))
  const undo = await jobs.follow(id, 'undo')
  if (undo === undefined || undo === 'unknown') assert.fail('not started')
  await ended(undo.id)
  await put(drive, 'b/2')
  assert.equal(await jobs.follow(id, 'undo'), 'unknown')
  assert.deepEqual(await keysOf(drive), ['a/1', 'b/2'])
})
