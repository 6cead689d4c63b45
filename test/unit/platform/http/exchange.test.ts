import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRequestId } from '../../../../src/platform/http/exchange.ts'

test('Request ids are 16 upper-case hex digits and do not repeat', () => {
  const ids = Array.from({ length: 2_000 }, newRequestId)
  for (const id of ids) assert.match(id, /^[0-9A-F]{16}$/)
  assert.equal(new Set(ids).size, ids.length)
})
