import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headersForClient, headersForUpstream } from '../../../../src/models/calls/call-headers.ts'

test('An upstream gets what is meant for it, and nothing of the client itself', () => {
  const raw = [
    ...['Host', 'gateway', 'Authorization', 'Bearer ours', 'X-Api-Key', 'ours', 'API-KEY', 'ours'],
    ...['Cookie', 'a=b', 'Transfer-Encoding', 'chunked', 'Connection', 'keep-alive, X-Own ,te'],
    ...['X-Own', '1', 'TE', 'trailers', 'Content-Length', '5', 'Content-Length', '5'],
    ...['Content-Type', 'application/json', 'content-type', 'multipart/form-data; boundary=b'],
    ...['Accept-Encoding', 'gzip', 'OpenAI-Beta', 'p', 'X-Stainless-Lang', 'js', 'Upgrade', 'x'],
    ...['OpenAI-Project', 'p', 'OpenAI-Organization', 'o', 'X-Goog-User-Project', 'p'],
    ...['X-OpenAI-Api-Key', 'k', 'Anthropic-Api-Key', 'k', 'X-OpenAI-BaseURL', 'http://a'],
    ...['X-OpenAI-Organization', 'o', 'Anthropic-Auth-Token', 't'],
  ]
  const own = { authorization: 'Bearer theirs', 'content-type': 'application/json' }
  assert.deepEqual(headersForUpstream(raw, 'openai', own), [
    ...['openai-beta', 'p', 'x-stainless-lang', 'js'],
    ...['accept-encoding', 'identity', 'authorization', 'Bearer theirs'],
    ...['content-type', 'application/json'],
  ])
})

test("Anthropic's version is added unless the client says it", () => {
  const sent = (raw: string[]) => headersForUpstream(raw, 'anthropic', {}).join()
  assert.equal(sent([]), 'accept-encoding,identity,anthropic-version,2023-06-01')
  assert.equal(sent(['Anthropic-Version', '1']), 'anthropic-version,1,accept-encoding,identity')
})

test('The fields of a connection replace those of the client, and are of its account', () => {
  const raw = ['X-Title', 'theirs', 'x-title', 'theirs', 'API-Key', 'theirs', 'x-app', 'a']
  const fields = [
    ['x-title', 'ours'],
    ['api-key', 'secret'],
    ['anthropic-version', '2'],
  ] as const
  assert.deepEqual(headersForUpstream(raw, 'anthropic', { authorization: 'Bearer k' }, fields), [
    ...['x-app', 'a', 'x-title', 'ours', 'api-key', 'secret', 'anthropic-version', '2'],
    ...['accept-encoding', 'identity', 'authorization', 'Bearer k'],
  ])
})

test('A client gets what is about its answer', () => {
  const headers = {
    ...{ 'content-type': 'text/event-stream', 'content-length': '5', 'set-cookie': ['a=b', 'c=d'] },
    ...{ connection: 'close, x-hop', 'x-hop': '1', 'transfer-encoding': 'chunked', server: 's' },
    ...{ 'access-control-allow-origin': 'https://a', 'access-control-expose-headers': 'x' },
    ...{ 'x-ratelimit-remaining-requests': '1', 'request-id': 'r', vary: ['a', 'b'] },
    ...{ 'x-bucketry-attempts': '99', 'x-request-id': 'theirs', gone: undefined },
    ...{ 'clear-site-data': '"*"', nel: '{}' },
  }
  assert.deepEqual(
    headersForClient(headers, () => false),
    [
      ['content-type', 'text/event-stream'],
      ['x-ratelimit-remaining-requests', '1'],
      ['request-id', 'r'],
      ['vary', 'a'],
      ['vary', 'b'],
    ],
  )
})

test('A field of an answer that has a key of the connection is left out', () => {
  const headers = { 'x-debug': 'Bearer sk-secret', 'x-other': ['a', 'sk-secret'] }
  const hasKey = (text: string) => text.includes('sk-secret')
  assert.deepEqual(headersForClient(headers, hasKey), [['x-other', 'a']])
})

test('Anthropic gets a version although Connection names the field', () => {
  const raw = ['Connection', 'anthropic-version', 'anthropic-version', '1']
  const sent = headersForUpstream(raw, 'anthropic', {})
  assert.equal(sent[sent.indexOf('anthropic-version') + 1] === '1', false)
  assert.ok(sent.includes('anthropic-version'))
})
