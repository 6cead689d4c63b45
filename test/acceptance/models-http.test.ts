import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import OpenAI from 'openai'
import { useContractGateway } from '../support/contract-gateway.ts'
import { type FreshRequest, freshRequest } from '../support/fresh-request.ts'

const known = 'openai/gpt-5'
/** The list, a kind and one model: rules for all of /v1/models. */
const places = ['/v1/models', '/v1/models/tts', `/v1/models/${encodeURIComponent(known)}`]

const preflight = { method: 'OPTIONS', headers: { origin: 'https://page.example' } }
const preflightFields = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': '*',
}

describe('HTTP of the model list', () => {
  const gateway = useContractGateway()
  const ask = (path: string, options?: FreshRequest) => freshRequest(gateway().url + path, options)

  for (const path of places) {
    test(`GET ${path} may be read by pages of any origin and is not cached`, async () => {
      const { status, headers } = await ask(path)
      assert.equal(status, 200)
      assert.equal(headers['access-control-allow-origin'], '*')
      assert.equal(headers['content-type'], 'application/json; charset=utf-8')
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers.location, undefined)
    })

    test(`OPTIONS ${path} is a preflight with an empty body`, async () => {
      const { status, headers, text } = await ask(path, preflight)
      assert.ok(status === 200 || status === 204, String(status))
      assert.equal(text, '')
      for (const [name, value] of Object.entries(preflightFields)) {
        assert.equal(headers[name], value)
      }
    })

    test(`HEAD ${path} has the header fields of GET and no body`, async () => {
      const [head, get] = [await ask(path, { method: 'HEAD' }), await ask(path)]
      assert.equal(head.status, 200)
      assert.equal(head.text, '')
      assert.equal(head.headers['content-type'], get.headers['content-type'])
      assert.equal(head.headers['access-control-allow-origin'], '*')
      assert.equal(Number(head.headers['content-length']), Buffer.byteLength(get.text))
    })

    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      test(`${method} ${path} is 405 with Allow`, async () => {
        const { status, headers, text } = await ask(path, { method, body: '{}' })
        assert.equal(status, 405)
        assert.deepEqual(String(headers.allow).split(', ').sort(), ['GET', 'HEAD', 'OPTIONS'])
        assert.equal(headers['access-control-allow-origin'], '*')
        assert.equal(JSON.parse(text).error.type, 'invalid_request_error')
      })
    }
  }

  test('Query parameters are ignored', async () => {
    const plain = JSON.parse((await ask('/v1/models')).text)
    for (const query of ['?limit=1', '?client_version=1.0&x', '?kind=tts', '?%zz', '?', '?a=%00']) {
      const { status, text } = await ask(`/v1/models${query}`)
      assert.equal(status, 200, query)
      assert.equal(JSON.parse(text).data.length, plain.data.length, query)
    }
    assert.equal(JSON.parse((await ask('/v1/models/tts?limit=1')).text).object, 'list')
  })

  test('Any credential is ignored while the list is open', async () => {
    const credentials = [
      { authorization: 'Bearer wrong' },
      { authorization: 'AWS4-HMAC-SHA256 Credential=nobody' },
      { authorization: '' },
      { 'x-api-key': 'wrong' },
    ]
    for (const headers of credentials) {
      assert.equal((await ask('/v1/models', { headers })).status, 200)
    }
  })

  const unknown = [
    'none',
    'openai/none',
    'OPENAI/gpt-5',
    'gpt-5',
    'openai/gpt-5/',
    '/openai/gpt-5',
    'openai//gpt-5',
    'image/openai',
    'Image',
    'tts/',
    'llm',
    '..%2F..%2Fhealthz',
    '%F0%9F%A6%A5',
    '%00',
    `${'long'.repeat(50)}`,
  ]
  for (const id of unknown) {
    test(`GET /v1/models/${id.slice(0, 30)} is 404 in OpenAI's format`, async () => {
      const { status, headers, text } = await ask(`/v1/models/${id}`)
      assert.equal(status, 404)
      assert.equal(headers['access-control-allow-origin'], '*')
      const { error } = JSON.parse(text)
      assert.equal(typeof error.message, 'string')
      assert.equal(error.type, 'invalid_request_error')
      assert.equal(error.code, 'model_not_found')
    })
  }

  test('Errors below /v1 have its format and the CORS header', async () => {
    const cases = [
      ['/v1/other', 404],
      ['/v1', 404],
      ['/v1/models/%zz', 400],
      [`/v1/models/${'x'.repeat(5_000)}`, 404],
    ] as const
    for (const [path, expected] of cases) {
      const { status, headers, text } = await ask(path)
      assert.equal(status, expected, path.slice(0, 40))
      assert.equal(headers['access-control-allow-origin'], '*')
      assert.equal(JSON.parse(text).error.type, 'invalid_request_error')
    }
  })

  test('Paths that only begin like /v1 or /auth are buckets', async () => {
    for (const path of ['/v1x', '/v12/models', '/authors']) {
      const { status, text } = await ask(path)
      assert.equal(status, 403)
      assert.match(text, /<Code>AccessDenied<\/Code>/)
    }
  })
})

describe('The model list with MODELS_API_KEY', () => {
  const key = 'models-key-0123456789'
  const gateway = useContractGateway({ MODELS_API_KEY: key, LOG_LEVEL: 'debug' })
  const ask = (path: string, options?: FreshRequest) => freshRequest(gateway().url + path, options)

  const right: Readonly<Record<string, FreshRequest['headers'] & object>> = {
    'as Bearer': { authorization: `Bearer ${key}` },
    'as bearer in lower case': { authorization: `bearer ${key}` },
    'as x-api-key': { 'x-api-key': key },
    'as x-api-key beside a wrong Bearer': { authorization: 'Bearer no', 'x-api-key': key },
  }
  const wrong: Readonly<Record<string, FreshRequest['headers'] & object>> = {
    none: {},
    'an empty Bearer': { authorization: 'Bearer ' },
    'another Bearer': { authorization: 'Bearer other' },
    'a truncated one': { authorization: `Bearer ${key.slice(0, -1)}` },
    'an extended one': { 'x-api-key': `${key}0` },
    'another x-api-key': { 'x-api-key': 'other' },
    'it as Basic': { authorization: `Basic ${btoa(`user:${key}`)}` },
  }

  for (const path of [...places, '/v1/models/none']) {
    for (const [title, headers] of Object.entries(right)) {
      test(`GET ${path} is answered with the key ${title}`, async () => {
        const { status } = await ask(path, { headers })
        assert.equal(status, path.endsWith('none') ? 404 : 200)
      })
    }
    for (const [title, headers] of Object.entries(wrong)) {
      test(`GET ${path} is 401 with ${title} for a key`, async () => {
        const reply = await ask(path, { headers })
        assert.equal(reply.status, 401)
        assert.equal(reply.headers['access-control-allow-origin'], '*')
        assert.match(String(reply.headers['www-authenticate']), /^Bearer/)
        const { error } = JSON.parse(reply.text)
        assert.equal(error.type, 'authentication_error')
        assert.equal(reply.text.includes(key), false)
      })
    }
    test(`OPTIONS ${path} needs no key`, async () => {
      const { status, headers } = await ask(path, preflight)
      assert.ok(status < 300)
      assert.equal(headers['access-control-allow-headers'], '*')
    })
    test(`HEAD ${path} needs the key`, async () => {
      assert.equal((await ask(path, { method: 'HEAD' })).status, 401)
    })
  }

  test('The key is not accepted in the query', async () => {
    assert.equal((await ask(`/v1/models?key=${key}`)).status, 401)
  })

  test('The openai client lists with the key and gets AuthenticationError without it', async () => {
    const client = (apiKey: string) =>
      new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey, maxRetries: 0 })
    const { data } = await client(key).models.list()
    assert.ok(data.length > 0)
    await assert.rejects(client('wrong').models.list(), (error) => {
      assert.ok(error instanceof OpenAI.AuthenticationError)
      assert.equal(error.type, 'authentication_error')
      return true
    })
  })
})
