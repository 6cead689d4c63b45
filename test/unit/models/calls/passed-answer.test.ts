import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UpstreamKeys } from '../../../../src/models/calls/passed-answer.ts'
import type { CallTarget } from '../../../../src/models/list/resolve-model.ts'

const keysOf = (...keys: (string | undefined)[]) =>
  new UpstreamKeys(keys.map((apiKey) => ({ connection: { apiKey } }) as unknown as CallTarget))

test('Keys are found wherever they stand, also as JSON may write them', () => {
  const keys = keysOf('sk-secret/1+2', undefined, ' ', 'sk-other.secret')
  for (const text of ['sk-secret/1+2', 'nsk-secret/1+2x', 'a sk-secret\\/1+2', '"sk-other.secret"'])
    assert.equal(keys.isIn(text), true, text)
  for (const text of ['', 'sk-secret/112', 'sk-otherxsecret', ' '])
    assert.equal(keys.isIn(text), false, text)
  const body = Buffer.from('é \xff sk-secret/1+2, sk-other.secret', 'latin1')
  assert.equal(keys.removedFrom(body).toString('latin1'), 'é \xff ***, ***')
})

test('Short keys, which servers without keys get, are no parts of words', () => {
  const keys = keysOf('x', 'none')
  for (const text of ['text/event-stream', 'x-ratelimit', 'nonexistent', 'application/xml'])
    assert.equal(keys.isIn(text), false, text)
  assert.equal(keys.isIn('Bearer x'), true)
  const body = Buffer.from('{"message":"You sent: none, Bearer x. nonex"}')
  assert.equal(String(keys.removedFrom(body)), '{"message":"You sent: ***, Bearer ***. nonex"}')
})

test('Values of header fields are found, alone or after their scheme, except short ones', () => {
  const headers = [
    ...[
      ['x-proxy-auth', 'Bearer abcdefgh12'],
      ['x-title', 'Lab'],
      ['x-note', 'Zoé "4/5"'],
    ],
  ]
  const keys = new UpstreamKeys([{ connection: { headers } } as unknown as CallTarget])
  const body = Buffer.from('{"a":"abcdefgh12 Lab Zoé \\"4\\/5\\"", b: Zoé "4/5"}')
  assert.equal(String(keys.removedFrom(body)), '{"a":"*** Lab ***", b: ***}')
  assert.equal(keys.isIn('Lab'), false)
})
