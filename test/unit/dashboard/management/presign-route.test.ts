import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openManagement } from './management-fixture.ts'

const one = (fields: object = {}) => ({ method: 'PUT', bucket: 'files', key: 'k', ...fields })

describe('POST /presign/batch', () => {
  test('signs up to a hundred requests, in their order', async (t) => {
    const { send, presigned } = await openManagement(t)
    const requests = Array.from({ length: 100 }, (_, index) => one({ key: `k${index}` }))
    const { status, body } = await send('POST', '/presign/batch', { requests })
    assert.equal(status, 200)
    assert.deepEqual(
      body.urls.map(({ url }: { url: string }) => url.replace(/^.*\/files\//, '')),
      requests.map(({ key }) => `${key}?signed`),
    )
    assert.equal(presigned.length, 100)
  })

  const bad: readonly (readonly [unknown, string])[] = [
    [undefined, 'requests'],
    [[], 'requests'],
    [Array(101).fill(one()), 'requests'],
    [[one(), {}], 'requests[1].method'],
    [[one(), one({ key: '' })], 'requests[1].key'],
    [[one(), one({ bucket: 'no' }), one()], 'requests[1].bucket'],
    [[one({ query: { 'X-Amz-Date': '1' } })], 'requests[0].query["X-Amz-Date"]'],
  ]
  for (const [requests, field] of bad) {
    test(`signs nothing and names ${field}`, async (t) => {
      const { send, presigned } = await openManagement(t)
      const { status, body } = await send('POST', '/presign/batch', { requests })
      assert.deepEqual([status, body.field, presigned], [400, field, []])
    })
  }
})
