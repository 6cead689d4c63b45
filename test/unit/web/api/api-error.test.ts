import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toApiError } from '../../../../web/src/api/api-error.ts'

const reply = (status: number, headers: Record<string, string> = {}) => ({
  status,
  headers: new Headers(headers),
})

test('toApiError takes message and field from the body', () => {
  const error = toApiError(reply(400), {
    message: 'expected a URL',
    field: 'connections[0].baseUrl',
  })
  assert.equal(error.status, 400)
  assert.equal(error.message, 'expected a URL')
  assert.equal(error.field, 'connections[0].baseUrl')
})

for (const body of [
  undefined,
  null,
  'text',
  7,
  [],
  {},
  { message: '' },
  { message: 7, field: 7 },
]) {
  test(`toApiError has a message for the body ${JSON.stringify(body)}`, () => {
    const error = toApiError(reply(502), body)
    assert.equal(error.message, 'The service answered with status 502.')
    assert.equal(error.field, undefined)
  })
}

test('toApiError returns the seconds of Retry-After', () => {
  assert.equal(toApiError(reply(429, { 'retry-after': '842' }), {}).retryAfterSeconds, 842)
  assert.equal(toApiError(reply(429), {}).retryAfterSeconds, undefined)
  const date = 'Wed, 21 Oct 2026 07:28:00 GMT'
  assert.equal(toApiError(reply(429, { 'retry-after': date }), {}).retryAfterSeconds, undefined)
})
