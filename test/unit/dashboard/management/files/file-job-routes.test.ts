import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysOf, openManagement, put, until } from '../management-fixture.ts'

const deleting = { action: 'delete', bucket: 'files', paths: ['a'] }
const moving = { action: 'move', bucket: 'files', paths: ['a'] }
const inFiles = (prefix: string, name?: string) => ({
  to: { bucket: 'files', prefix, ...(name !== undefined && { name }) },
})

for (const [body, field, status = 400] of [
  [{}, 'action'],
  [{ ...deleting, paths: undefined }, 'paths'],
  [{ ...deleting, paths: [''] }, 'paths'],
  [{ ...deleting, paths: [] }, 'paths'],
  [{ ...deleting, paths: ['a'.repeat(1_025)] }, 'paths[0]'],
  ['{"action":"delete","bucket":"files","paths":["\\ud800"]}', 'paths'],
  [{ ...deleting, bucket: 'other' }, 'bucket'],
  [{ ...deleting, force: true }, 'force'],
  [{ ...deleting, ...inFiles('') }, 'to'],
  [moving, 'to'],
  [{ ...moving, ...inFiles('') }, 'to'],
  [{ ...moving, ...inFiles('b') }, 'to.prefix'],
  [{ ...moving, ...inFiles('', 'b/c') }, 'to.name'],
  [{ ...moving, ...inFiles(`${'x'.repeat(1_023)}/`) }, 'to'],
  [{ ...moving, paths: ['a', 'b'], ...inFiles('x/', 'c') }, 'to.name'],
  [{ ...moving, to: { bucket: 'none', prefix: '' } }, 'bucket'],
  [{ ...moving, paths: ['a/'], ...inFiles('a/b/') }, 'to'],
  [{ action: 'undo', id: 'none' }, undefined, 409],
] as const) {
  const said = (typeof body === 'string' ? body : JSON.stringify(body)).slice(0, 90)
  test(`POST /file-jobs answers ${status}, ${field}, to ${said}`, async (t) => {
    const { send, drive, fileJobs } = await openManagement(t)
    await put(drive, 'a')
    const answer = await send('POST', '/file-jobs', body)
    assert.deepEqual([answer.status, answer.body.field], [status, field], answer.text)
    assert.ok(answer.text.length < 1_000)
    assert.deepEqual(await keysOf(drive), ['a'])
    assert.deepEqual(await fileJobs.list(9), [])
  })
}

test('a move names what is taken, does what was answered, is listed, and undone', async (t) => {
  const { send, drive } = await openManagement(t)
  for (const key of ['a/1', 'a/2', 'x/a/1']) await put(drive, key, `text of ${key}`)
  const body = { action: 'move', bucket: 'files', paths: ['a/'], ...inFiles('x/') }
  const { clashes, isMore } = (await send('POST', '/file-jobs/clashes', body)).body
  assert.deepEqual(
    clashes.map(({ key, etag, file, there }: typeof clashes) => [
      key,
      etag,
      file.bytes,
      there.bytes,
    ]),
    [['x/a/1', 'e', 11, 13]],
  )
  assert.equal(isMore, false)
  const answers = [{ key: 'x/a/1', answer: 'keep-both', etag: 'e' }]
  const ended = async (order: object) => {
    const { status, body: begun } = await send('POST', '/file-jobs', order)
    assert.equal(status, 202, JSON.stringify(begun))
    const now = async () => (await send('GET', `/file-jobs/${begun.id}`)).body
    await until(async () => (await now()).state !== 'running')
    return now()
  }
  const job = await ended({ ...body, answers })
  const { id, startedAt, endedAt, ...rest } = job
  assert.deepEqual(rest, {
    ...{ action: 'move', bucket: 'files', paths: ['a/'], count: 1, trashId: null, undoes: null },
    ...{ to: { bucket: 'files', paths: ['x/a/'] }, state: 'done', done: 2, total: 2, skipped: 0 },
    ...{ problems: [], canUndo: true, message: null },
  })
  assert.ok(endedAt >= startedAt)
  assert.deepEqual(await keysOf(drive), ['x/a/1', 'x/a/1 (2)', 'x/a/2'])
  assert.deepEqual((await send('GET', '/file-jobs')).body, { jobs: [job] })
  // It has ended: it stays as it is.
  assert.deepEqual((await send('DELETE', `/file-jobs/${id}`)).body, job)
  const undo = await ended({ action: 'undo', id })
  assert.deepEqual([undo.undoes, undo.done], [id, 2])
  assert.deepEqual(await keysOf(drive), ['a/1', 'a/2', 'x/a/1'])
})

test('a copy into its own folder gets a number', async (t) => {
  const { send, drive } = await openManagement(t)
  for (const key of ['a.txt', 'trip/1']) await put(drive, key)
  const body = { action: 'copy', bucket: 'files', paths: ['a.txt', 'trip/'], ...inFiles('') }
  assert.deepEqual((await send('POST', '/file-jobs/clashes', body)).body.clashes, [])
  const { to } = (await send('POST', '/file-jobs', body)).body
  assert.deepEqual(to.paths, ['a (2).txt', 'trip (2)/'])
  await until(async () => (await keysOf(drive)).length === 4)
})

test('POST /file-jobs is 409 for a bucket that is read-only or has no trash, and while too many run', async (t) => {
  const { send, fileJobs } = await openManagement(t, {
    placeOf: (bucket) => ({ drive: 'default', isReadOnly: bucket === 'public' }),
  })
  const answer = await send('POST', '/file-jobs', { ...deleting, bucket: 'public' })
  assert.deepEqual([answer.status, /read-only/.test(answer.body.message)], [409, true])
  fileJobs.start = async () => undefined
  const { status, body } = await send('POST', '/file-jobs', deleting)
  assert.deepEqual([status, /At most 4 jobs/.test(body.message)], [409, true])
})

test('new paths have a limit together, as they are stored with the job', async (t) => {
  const { send, fileJobs } = await openManagement(t)
  const paths = Array.from({ length: 20_000 }, (_, index) => `${index}`)
  const body = { action: 'copy', bucket: 'files', paths, ...inFiles(`${'x'.repeat(1_000)}/`) }
  const { status, body: said } = await send('POST', '/file-jobs', body)
  assert.deepEqual([status, said.field], [400, 'to'])
  assert.deepEqual(await fileJobs.list(9), [])
})

test('of two paths that get one name, neither replaces the other', async (t) => {
  const { send, drive } = await openManagement(t)
  for (const key of ['a/1', 'b/1']) await put(drive, key, key)
  const body = { ...moving, paths: ['a/1', 'b/1'], ...inFiles('c/'), taken: 'replace' }
  const { status, body: said } = await send('POST', '/file-jobs', body)
  assert.deepEqual([status, said.field], [400, 'paths'])
  assert.deepEqual(await keysOf(drive), ['a/1', 'b/1'])
})
