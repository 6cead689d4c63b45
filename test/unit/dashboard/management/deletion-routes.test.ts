import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keysOf, openManagement, put, until } from './management-fixture.ts'

test('POST /deletions deletes below the prefix, and GET shows how it went', async (t) => {
  const { send, drive } = await openManagement(t)
  for (const key of ['a', 'a/', 'a/b', 'a/b/c', 'ab', 'b']) await put(drive, key)
  const started = await send('POST', '/deletions', { bucket: 'files', prefix: 'a/' })
  assert.equal(started.status, 202)
  const { id, startedAt, ...rest } = started.body
  assert.deepEqual(rest, {
    ...{ bucket: 'files', prefix: 'a/', kind: 'delete', trashId: '', skipped: 0 },
    ...{ onlyEmptyFolders: false, state: 'running', deleted: 0 },
    ...{ endedAt: null, message: null },
  })
  await until(async () => (await send('GET', `/deletions/${id}`)).body.state !== 'running')
  const { body } = await send('GET', `/deletions/${id}`)
  assert.deepEqual(
    [body.state, body.deleted, body.startedAt, body.message],
    ['done', 3, startedAt, null],
  )
  assert.ok(body.endedAt >= startedAt)
  assert.deepEqual((await send('GET', '/deletions')).body, { deletions: [body] })
  assert.deepEqual(await keysOf(drive), ['a', 'ab', 'b'])
  // It has ended: it stays as it is.
  assert.deepEqual((await send('DELETE', `/deletions/${id}`)).body, body)
})

test('POST /deletions is 409 while too many are running', async (t) => {
  const { send, deletions } = await openManagement(t, {
    deletions: { ...(await openManagement(t)).deletions, start: async () => undefined },
  })
  const { status, body } = await send('POST', '/deletions', { bucket: 'files', prefix: 'a/' })
  assert.deepEqual([status, /At most 4 deletions/.test(body.message)], [409, true])
  assert.deepEqual(await deletions.latest(), [])
})
