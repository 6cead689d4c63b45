import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderCountsReply } from '../../../../../src/dashboard/management/folders/folder-count-routes.ts'
import { openManagement, put, until } from '../management-fixture.ts'

test('folders are counted on request, and their counts are listed with their parent', async (t) => {
  const { send, drive } = await openManagement(t)
  await put(drive, 'a/b/one', '1')
  await put(drive, 'a/b/c/two', '22')
  await put(drive, 'a/bc/other', '333')
  const body = { bucket: 'files', prefix: 'a/b/' }
  const begun = await send('POST', '/folder-counts', body)
  assert.equal(begun.status, 202)
  const { id } = begun.body as { id: string }
  const list = async () => {
    const { body } = await send('GET', '/folder-counts?bucket=files&prefix=a/')
    return (body as FolderCountsReply).counts
  }
  await until(async () => (await list())[0]?.isCounting === false)
  const [count, ...others] = await list()
  assert.deepEqual(others, [])
  assert.ok(count?.countedAt && count.lastModified)
  const { objects, bytes, found, problem } = count
  assert.deepEqual([objects, bytes, problem], [2, 3, null])
  assert.deepEqual(found, { objects: 2, bytes: 3 })
  for (const prefix of ['', 'a/b/', 'a', 'a/bc/']) {
    const reply = await send('GET', `/folder-counts?bucket=files&prefix=${prefix}`)
    assert.deepEqual(reply.body, { counts: [] })
  }
  const stopped = await send('DELETE', `/folder-counts/${id}`)
  assert.deepEqual(stopped.body, count)
})

for (const [problem, prefix] of [
  ['the bucket itself', ''],
  ['no slash at the end', 'a'],
  ['too long', `${'a'.repeat(1_024)}/`],
  ['half a character', '\ud800/'],
] as const) {
  test(`a prefix is refused: ${problem}`, async (t) => {
    const { send } = await openManagement(t)
    const reply = await send('POST', '/folder-counts', { bucket: 'files', prefix })
    assert.equal(reply.status, 400)
    assert.equal((reply.body as { field: string }).field, 'prefix')
  })
}

test('unknown buckets and counts are refused', async (t) => {
  const { send } = await openManagement(t)
  const post = await send('POST', '/folder-counts', { bucket: 'none', prefix: 'a/' })
  const get = await send('GET', '/folder-counts?bucket=none')
  const stop = await send('DELETE', '/folder-counts/none')
  assert.deepEqual([post.status, get.status, stop.status], [400, 400, 404])
})
