import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StreamBody } from '../../../../../src/platform/http/message.ts'
import { openManagement, put } from '../management-fixture.ts'

const linesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

test('a search finds names in a bucket, and in all', async (t) => {
  const { drive, send } = await openManagement(t)
  await put(drive, 'folder/Needle.txt', 'text')
  await put(drive, 'needles', 'text', 'public')
  const all = await send('GET', '/search?text=needle')
  assert.equal(all.status, 200)
  assert.equal(all.headers['content-type'], 'application/x-ndjson')
  const found = linesIn(all.text)
  const keys = found.flatMap(({ hit }) => (hit === undefined ? [] : [[hit.bucket, hit.key]]))
  assert.deepEqual(keys, [
    ['files', 'folder/Needle.txt'],
    ['public', 'needles'],
  ])
  assert.equal(found.at(-1).next, null)
  const one = linesIn((await send('GET', '/search?text=needle&bucket=public')).text)
  assert.deepEqual(one[0].hit, {
    ...{ bucket: 'public', key: 'needles', kind: 'file', match: [0, 6], size: 4 },
    etag: one[0].hit.etag,
    modifiedAtMs: one[0].hit.modifiedAtMs,
  })
})

test('`next` of a search goes on, and nothing else does', async (t) => {
  const { drive, send } = await openManagement(t)
  for (let index = 0; index < 250; index += 1) await put(drive, `x${1_000 + index}`)
  const first = linesIn((await send('GET', '/search?text=x&bucket=files')).text)
  const { next } = first.at(-1)
  assert.equal(typeof next, 'string')
  const second = linesIn((await send('GET', `/search?text=x&bucket=files&after=${next}`)).text)
  assert.equal(second[0].hit.key, 'x1200')
  assert.equal(second.at(-1).next, null)
  for (const after of ['x', 'e30', Buffer.from('["files"]').toString('base64url'), '%00']) {
    const refused = await send('GET', `/search?text=x&after=${after}`)
    assert.deepEqual([refused.status, refused.body.field], [400, 'after'], after)
  }
})

test('goes on after the longest key that there is', async (t) => {
  const { drive, send } = await openManagement(t)
  const control = '\u0001'.repeat(1_019)
  for (let index = 0; index < 201; index += 1) await put(drive, `${control}x${1_000 + index}`)
  const first = linesIn((await send('GET', '/search?text=x&bucket=files')).text)
  const second = await send('GET', `/search?text=x&bucket=files&after=${first.at(-1).next}`)
  assert.equal(second.status, 200)
  assert.equal(linesIn(second.text)[0].hit.key, `${control}x1200`)
})

test('refuses what cannot be searched', async (t) => {
  const { send } = await openManagement(t)
  const long = 'x'.repeat(256)
  for (const [query, status] of [
    ['', 400],
    ['text=', 400],
    [`text=${long}`, 400],
    ['text=a&text=b', 400],
    ['text=a&bucket=other', 400],
    ['text=a&bucket=', 400],
    ['text=a&prefix=b/', 400],
    ['text=a&bucket=files&prefix=b', 400],
    ['text=a&more=1', 400],
  ] as const) {
    assert.equal((await send('GET', `/search?${query}`)).status, status, query)
  }
  assert.equal((await send('GET', '/search?text=%00')).status, 200)
})

test('a process runs eight searches at a time, and a place is free when one has ended', async (t) => {
  const { routes, send } = await openManagement(t)
  const route = routes.find(({ path }) => path === '/-/api/search')
  assert.ok(route !== undefined)
  const open = async () => {
    const request = { signal: new AbortController().signal }
    const given = { request, query: { text: 'a', prefix: '' }, params: {}, body: undefined }
    const { reply } = (await route.answer(given as never)) as { reply: { body: StreamBody } }
    return reply.body
  }
  const bodies = await Promise.all(Array.from({ length: 8 }, open))
  assert.equal((await send('GET', '/search?text=a')).status, 503)
  await bodies[0]?.close()
  assert.equal((await send('GET', '/search?text=a')).status, 200)
  for (const body of bodies.slice(1)) await body.close()
})
