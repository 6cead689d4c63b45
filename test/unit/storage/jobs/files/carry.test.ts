import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { trashBucketOf } from '../../../../../src/storage/drives/trash-bucket.ts'
import type { FileOrder } from '../../../../../src/storage/jobs/files/file-order.ts'
import { keysOf, put, until } from '../../../dashboard/management/management-fixture.ts'
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

test('Copies go to another bucket within its quota, and stay there', async (t) => {
  const { drive, run, room } = await open(t)
  for (const key of ['a/1', 'a/2', 'b']) await put(drive, key, 'four')
  const order = { ...move(['a/', 'b'], ['a/', 'b']), action: 'copy' } as const
  const job = await run({ ...order, to: { bucket: 'other', paths: ['z/', 'b'] } })
  assert.deepEqual([job.done, job.canUndo, room.bytes], [3, false, 12])
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'b'])
  assert.deepEqual(await keysOf(drive, 'other'), ['b', 'z/1', 'z/2'])
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
