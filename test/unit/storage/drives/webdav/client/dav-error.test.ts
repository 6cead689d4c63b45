import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StatusError } from '../../../../../../src/storage/drives/webdav/client/dav-error.ts'

describe('StatusError', () => {
  for (const [status, kind] of [
    [403, 'denied'],
    [507, 'full'],
    [414, 'key-too-long'],
    [500, 'unavailable'],
    [423, 'busy'],
  ] as const) {
    it(`has the kind ${kind} for ${status}`, () => {
      const error = new StatusError('PUT', { status, header: () => undefined })
      assert.equal(error.kind, kind)
      assert.match(error.message, new RegExp(`PUT with ${status}`))
    })
  }

  it('passes on Retry-After', () => {
    const header = (name: string) => (name === 'retry-after' ? '7' : undefined)
    assert.equal(new StatusError('PUT', { status: 503, header }).retryAfterSeconds, 7)
  })
})
