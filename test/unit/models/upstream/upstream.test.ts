import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { callTarget, upstreamRequest } from '../../../../src/models/upstream/upstream.ts'

const openai = { flavour: 'openai', apiKey: 'sk-1', baseUrl: 'https://lab.example/v1' } as const

test('upstreamRequest sends the headers of the OpenAI form', () => {
  assert.deepEqual(upstreamRequest(openai).headers, {
    'Content-Type': 'application/json',
    Authorization: 'Bearer sk-1',
  })
})

test('upstreamRequest sends the headers of the Anthropic form', () => {
  assert.deepEqual(upstreamRequest({ ...openai, flavour: 'anthropic' }).headers, {
    'Content-Type': 'application/json',
    'x-api-key': 'sk-1',
    'anthropic-version': '2023-06-01',
    Authorization: 'Bearer sk-1',
  })
})

describe('upstreamRequest asks', () => {
  const urls = [
    ['openai', 'https://lab.example/v1', 'https://lab.example/v1/models'],
    ['openai', 'https://lab.example/v1/', 'https://lab.example/v1/models'],
    ['openai', ' http://lab.example:8080 ', 'http://lab.example:8080/models'],
    ['openai', 'https://lab.example/messages', 'https://lab.example/messages/models'],
    ['anthropic', 'https://lab.example/v1', 'https://lab.example/v1/models'],
    ['anthropic', 'https://lab.example/v1/messages', 'https://lab.example/v1/models'],
    ['anthropic', 'https://lab.example/v1/messages/', 'https://lab.example/v1/models'],
    [
      'anthropic',
      'https://lab.example/v1/my-messages',
      'https://lab.example/v1/my-messages/models',
    ],
  ] as const
  for (const [flavour, baseUrl, url] of urls) {
    test(`${url} for ${baseUrl} in the form of ${flavour}`, () => {
      assert.equal(upstreamRequest({ ...openai, flavour, baseUrl }).url, url)
    })
  }
})

test('A path is put before the query of the base URL, whose parameters the client cannot replace', () => {
  const base = 'https://lab.example/openai/v1/?api-version=preview'
  const request = upstreamRequest({ ...openai, baseUrl: base })
  assert.equal(request.url, 'https://lab.example/openai/v1/models?api-version=preview')
  const urlOf = (rawQuery: string, baseUrl = base) =>
    callTarget({ ...openai, baseUrl }, '/responses', rawQuery).url
  const url = 'https://lab.example/openai/v1/responses?api-version=preview'
  assert.equal(urlOf(''), url)
  assert.equal(urlOf('a=%20b&c'), `${url}&a=%20b&c`)
  assert.equal(urlOf('api-version=1&x=1&api%2Dversion=2&&'), `${url}&x=1`)
  for (const same of [
    'API-Version',
    'api%2dversion',
    'api_version',
    'api.version[]',
    '+api-version',
    'api-version%00x',
    'y=1;api-version',
  ])
    assert.equal(urlOf(`x=1&${same}=2`), `${url}&x=1`, same)
  // Decoded once: this is another name.
  assert.equal(urlOf('api%252Dversion=1&v=1'), `${url}&api%252Dversion=1&v=1`)
  assert.equal(
    urlOf('a=%20b&&', 'https://lab.example/v1'),
    'https://lab.example/v1/responses?a=%20b&&',
  )
  assert.equal(urlOf('a=1', 'https://lab.example/v1?'), 'https://lab.example/v1/responses?a=1')
  const messages = {
    ...openai,
    flavour: 'anthropic',
    baseUrl: 'https://h/v1/messages/?k=a',
  } as const
  assert.equal(callTarget(messages, '/messages', '').url, 'https://h/v1/messages?k=a')
})

describe('upstreamRequest has nothing to send', () => {
  const cases = [
    ['no-key', { apiKey: undefined }],
    ['no-key', { apiKey: '  ' }],
    ['no-base-url', { baseUrl: undefined }],
    ['no-base-url', { baseUrl: ' ' }],
    ['bad-key', { apiKey: 'sk-1\r\nX-Evil: 1' }],
    ['bad-key', { apiKey: 'schlüssel' }],
    ['bad-url', { baseUrl: 'lab.example/v1' }],
    ['bad-url', { baseUrl: 'ftp://lab.example' }],
    ['bad-url', { baseUrl: 'file:///etc/passwd' }],
    ['bad-url', { baseUrl: 'data:application/json,[]' }],
    ['bad-url', { baseUrl: 'https://user:secret@lab.example' }],
  ] as const
  for (const [code, fields] of cases) {
    test(`${code}: ${JSON.stringify(fields)}`, () => {
      assert.throws(() => upstreamRequest({ ...openai, ...fields }), { code })
    })
  }

  test('and does not repeat the key', () => {
    assert.throws(
      () => upstreamRequest({ ...openai, apiKey: 'sk-ü' }),
      (error: Error) => {
        return !JSON.stringify([error.message, error.stack, error]).includes('sk-ü')
      },
    )
  })
})
