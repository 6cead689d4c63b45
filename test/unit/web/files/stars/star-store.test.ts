import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stars } from '../../../../../web/src/files/stars/star-store.ts'
import { sessionStore } from '../../../../../web/src/session/session-store.ts'

test('stars of more keys than a request may have are set in several, and only refused ones are undone', async (t) => {
  const sizes: number[] = []
  sessionStore.begin('token', 60)
  t.mock.method(globalThis, 'fetch', async (_: string, { body }: { readonly body: string }) => {
    sizes.push((JSON.parse(body) as { readonly keys: readonly string[] }).keys.length)
    return sizes.length === 3
      ? Response.json({ error: { message: 'no' } }, { status: 403 })
      : new Response(null, { status: 204 })
  })
  const keys = Array.from({ length: 1_100 }, (_, index) => String(index))
  await assert.rejects(stars.set('files', keys, true))
  assert.deepEqual(sizes, [500, 500, 100])
  assert.deepEqual(
    [...stars.snapshot()],
    keys.slice(0, 1_000).map((key) => `files/${key}`),
  )
})
