import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { afterEach, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Upstreams } from '../../../../src/models/upstream/upstreams.ts'
import { answering, type StubUpstream, startStub } from '../../../fakes/stub-upstream.ts'

const apiKey = 'sk-very-secret'
const stubs: StubUpstream[] = []
afterEach(async () => {
  await Promise.all(stubs.splice(0).map((stub) => stub.close()))
})

async function stubOf(answer: RequestListener): Promise<StubUpstream> {
  const stub = await startStub(answer)
  stubs.push(stub)
  return stub
}

type Asking = { timeoutMs?: number; askedAtOnce?: number; flavour?: 'openai' | 'anthropic' }

function ask(origin: string, { flavour = 'openai', ...options }: Asking = {}) {
  return new Upstreams(options).modelIds({ flavour, baseUrl: `${origin}/v1`, apiKey })
}

/** Long enough for a stub that answers at once, on a busy machine too. */
const patient = { timeoutMs: 60_000 }
/** For stubs that never answer. */
const hasty = { timeoutMs: 200 }

describe('modelIds sends', () => {
  test('a GET in the OpenAI form, uncached', async () => {
    const stub = await stubOf(answering([{ id: 'a' }]))
    assert.deepEqual(await ask(stub.origin), ['a'])
    const [request] = stub.requests
    assert.deepEqual([request?.method, request?.url], ['GET', '/v1/models'])
    assert.equal(request?.headers.authorization, `Bearer ${apiKey}`)
    assert.equal(request?.headers['content-type'], 'application/json')
    assert.equal(request?.headers['cache-control'], 'no-cache')
    assert.equal(request?.headers['x-api-key'], undefined)
    await ask(stub.origin)
    assert.equal(stub.requests.length, 2)
  })

  test('a GET in the Anthropic form', async () => {
    const stub = await stubOf(answering({ data: [{ id: 'claude' }] }))
    assert.deepEqual(await ask(`${stub.origin}/x`, { flavour: 'anthropic' }), ['claude'])
    const [request] = stub.requests
    assert.equal(request?.url, '/x/v1/models')
    assert.equal(request?.headers['x-api-key'], apiKey)
    assert.equal(request?.headers['anthropic-version'], '2023-06-01')
    assert.equal(request?.headers.authorization, `Bearer ${apiKey}`)
  })

  // docs/contract/model-list.md, "Upstream request".
  test('no header fields except those specified and those of fetch', async () => {
    const stub = await stubOf(answering([]))
    await ask(stub.origin)
    const ofFetch = ['host', 'connection', 'accept', 'accept-language', 'sec-fetch-mode']
    const uncached = ['pragma', 'cache-control', 'user-agent', 'accept-encoding']
    const [{ headers } = { headers: {} }] = stub.requests
    const own = Object.keys(headers).filter((name) => ![...ofFetch, ...uncached].includes(name))
    assert.deepEqual(own.sort(), ['authorization', 'content-type'])
  })
})

describe('modelIds reads', () => {
  const forms = {
    'an array': [{ id: 'a' }, { name: 'b' }],
    data: { data: [{ id: 'a' }, { model: 'b' }] },
    models: { models: [{ name: 'a' }, { name: 'b' }] },
    results: { results: [{ model: 'a' }, { id: 'b' }, { id: 'a' }] },
  }
  for (const [form, content] of Object.entries(forms)) {
    test(form, async () => {
      const stub = await stubOf(answering(content))
      assert.deepEqual(await ask(stub.origin, patient), ['a', 'b'])
    })
  }

  test('a body split within characters', async () => {
    const bytes = Buffer.from('[{"id":"modèle"}]')
    const stub = await stubOf((_request, response) => {
      response.flushHeaders()
      for (const byte of bytes) response.write(Buffer.from([byte]))
      response.end()
    })
    assert.deepEqual(await ask(stub.origin, patient), ['modèle'])
  })
})

const inPlaces = (bytes: number) => JSON.stringify([{ id: 'a' }]).padEnd(bytes)
const eightMiB = 8 * 1024 * 1024

describe('modelIds fails with', () => {
  const failures: readonly [string, string, RequestListener, Asking?][] = [
    ['timeout', 'no answer', () => undefined, hasty],
    ['timeout', 'headers and no body', (_request, response) => response.flushHeaders(), hasty],
    [
      'timeout',
      'a body that stalls',
      (_request, response) => response.write('[{"id":"a"},'),
      hasty,
    ],
    ['unreachable', 'a connection that breaks', (request) => request.socket.destroy()],
    [
      'unreachable',
      'a body that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 50 })
        response.write('[{"id":"a"},', () => response.destroy())
      },
    ],
    ['status', 'status 500', (_request, response) => response.writeHead(500).end('[{"id":"a"}]')],
    ['status', 'status 401', (_request, response) => response.writeHead(401).end()],
    ['status', 'status 304', (_request, response) => response.writeHead(304).end()],
    ['not-json', 'garbage', (_request, response) => response.end('<html>')],
    ['not-json', 'an empty body', (_request, response) => response.end()],
    ['not-json', 'status 204', (_request, response) => response.writeHead(204).end()],
    ['no-list', 'JSON without a list', answering({ error: 'no' })],
    [
      'too-large',
      'a body over 8 MiB',
      (_request, response) => response.end(inPlaces(eightMiB + 1)),
      patient,
    ],
    [
      'too-large',
      'more than 20,000 ids',
      answering(Array.from({ length: 20_001 }, (_, index) => ({ id: `m${index}` }))),
      patient,
    ],
    [
      'too-large',
      'a small body that unpacks to more',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' })
        response.end(gzipSync(inPlaces(eightMiB + 1)))
      },
      patient,
    ],
  ]
  for (const [code, title, answer, options] of failures) {
    test(`${code}: ${title}`, async () => {
      const stub = await stubOf(answer)
      await assert.rejects(ask(stub.origin, options), { name: 'UpstreamError', code })
    })
  }

  test('nothing: a body of 8 MiB', async () => {
    const stub = await stubOf((_request, response) => response.end(inPlaces(eightMiB)))
    assert.deepEqual(await ask(stub.origin, patient), ['a'])
  })

  test('nothing: 20,000 ids, some of them twice', async () => {
    const elements = Array.from({ length: 30_000 }, (_, index) => ({ id: `m${index % 20_000}` }))
    const stub = await stubOf(answering(elements))
    assert.equal((await ask(stub.origin, patient)).length, 20_000)
  })

  test('unreachable: connection refused', async () => {
    const stub = await stubOf(answering([]))
    await stub.close()
    stubs.length = 0
    await assert.rejects(ask(stub.origin), { code: 'unreachable', detail: 'ECONNREFUSED' })
  })

  test('no-key, before anything is sent', async () => {
    const stub = await stubOf(answering([]))
    const upstream = { flavour: 'openai', baseUrl: stub.origin, apiKey: undefined } as const
    await assert.rejects(new Upstreams().modelIds(upstream), { code: 'no-key' })
    assert.equal(stub.requests.length, 0)
  })

  test('timeout after 5 s by default', async (t) => {
    const asked = Promise.withResolvers<void>()
    const stub = await stubOf(() => asked.resolve())
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const refused = assert.rejects(ask(stub.origin), { code: 'timeout' })
    await asked.promise
    t.mock.timers.tick(4_999)
    const pending = new Promise((resolve) => setImmediate(resolve, 'pending'))
    assert.equal(await Promise.race([refused, pending]), 'pending')
    t.mock.timers.tick(1)
    await refused
  })
})

function redirecting(to: (url: string) => string | undefined, status = 302): RequestListener {
  return (request, response) => {
    const location = to(request.url ?? '')
    if (location === undefined) answering([{ id: 'a' }])(request, response)
    else response.writeHead(status, { location }).end()
  }
}

describe('modelIds follows a redirect', () => {
  for (const status of [301, 302, 303, 307, 308]) {
    test(`${status} within the origin, with the key`, async () => {
      const stub = await stubOf(
        redirecting((url) => (url === '/v1/models' ? '../other?x=1' : undefined), status),
      )
      assert.deepEqual(await ask(stub.origin), ['a'])
      const [, second] = stub.requests
      assert.equal(second?.url, '/other?x=1')
      assert.equal(second?.headers.authorization, `Bearer ${apiKey}`)
    })
  }

  test('five times', async () => {
    const stub = await stubOf(
      redirecting((url) => (url.length < '/v1/models'.length + 5 ? `${url}x` : undefined)),
    )
    assert.deepEqual(await ask(stub.origin), ['a'])
    assert.equal(stub.requests.length, 6)
  })

  test('not six times', async () => {
    const stub = await stubOf(redirecting((url) => `${url}x`))
    await assert.rejects(ask(stub.origin), { code: 'redirect' })
    assert.equal(stub.requests.length, 6)
  })

  test('not to another origin, which gets nothing at all', async () => {
    const other = await stubOf(answering([{ id: 'stolen' }]))
    const stub = await stubOf(redirecting(() => `${other.origin}/v1/models`))
    await assert.rejects(ask(stub.origin), { code: 'redirect', status: 302 })
    assert.equal(other.requests.length, 0)
  })

  test('not to another name of the same machine', async () => {
    const stub: StubUpstream = await stubOf(
      redirecting(() => stub.origin.replace('127.0.0.1', 'localhost')),
    )
    await assert.rejects(ask(stub.origin), { code: 'redirect' })
    assert.equal(stub.requests.length, 1)
  })

  for (const location of ['http://', 'file:///etc/passwd', 'data:application/json,[]']) {
    test(`not to ${location}`, async () => {
      const stub = await stubOf(redirecting(() => location))
      await assert.rejects(ask(stub.origin), { code: 'redirect' })
    })
  }

  test('not without a place to go', async () => {
    const stub = await stubOf((_request, response) => response.writeHead(302).end())
    await assert.rejects(ask(stub.origin), { code: 'redirect', status: 302 })
    assert.equal(stub.requests.length, 1)
  })
})

describe('probe reports', () => {
  const connectionTo = (baseUrl: string, provider = 'openai-compatible-lab') => {
    return { id: 'c', provider, apiKey, createdAtMs: 0, providerSpecificData: { baseUrl } }
  }
  const probe = async (answer: RequestListener, options = patient) => {
    const stub = await stubOf(answer)
    const { durationMs, ...report } = await new Upstreams(options).probe(connectionTo(stub.origin))
    assert.ok(Number.isInteger(durationMs) && durationMs >= 0)
    return report
  }

  test('the number of models', async () => {
    assert.deepEqual(await probe(answering({ data: [{ id: 'a' }, { id: 'b' }] })), {
      outcome: 'ok',
      status: 200,
      modelCount: 2,
      message: 'The upstream lists 2 models.',
    })
  })

  test('what an error page says, shortened, without the key', async () => {
    const page = `{"error": "Bad key\r\n\u001b[31m${apiKey}!"}${'x'.repeat(5_000)}`
    const report = await probe((_request, response) => response.writeHead(401).end(page))
    assert.equal(report.outcome, 'failed')
    assert.equal(report.status, 401)
    assert.match(
      report.message,
      /^The upstream answered with an error\. It said: .*Bad key \[31m\*{3}!/,
    )
    assert.equal(report.message.includes(apiKey), false)
    assert.ok(report.message.length < 400)
  })

  test('the header fields of a connection are sent, and removed from an error page', async () => {
    const stub = await stubOf((_request, response) => response.writeHead(400).end('no org-secret!'))
    const connection = connectionTo(`${stub.origin}/v1`, 'anthropic-compatible-lab')
    const headers = { 'Anthropic-Version': '2', 'x-org': 'org-secret', 'x-title': 'no' }
    const { message } = await new Upstreams(patient).probe({
      ...connection,
      providerSpecificData: { ...connection.providerSpecificData, headers },
    })
    assert.match(message, /It said: no \*{3}!$/)
    const sent = stub.requests[0]?.headers
    assert.deepEqual([sent?.['anthropic-version'], sent?.['x-org']], ['2', 'org-secret'])
    assert.equal(sent?.['x-api-key'], apiKey)
  })

  test('the status of an error page that stalls', async () => {
    const report = await probe(
      (_request, response) => {
        response.writeHead(503)
        response.write('wait')
      },
      // Time enough for the head to arrive, on a busy machine too.
      { timeoutMs: 5_000 },
    )
    assert.deepEqual([report.outcome, report.status], ['failed', 503])
  })

  test('a timeout', async () => {
    const report = await probe(() => undefined, hasty)
    assert.deepEqual(report, {
      outcome: 'failed',
      message: 'The upstream did not answer in time.',
    })
  })

  test('that the connection was refused', async () => {
    const stub = await startStub(answering([]))
    await stub.close()
    const report = await new Upstreams().probe(connectionTo(stub.origin))
    assert.equal(report.message, 'The upstream cannot be reached. (ECONNREFUSED)')
  })

  test('that something is missing', async () => {
    const { apiKey: _key, ...keyless } = connectionTo('http://127.0.0.1:1')
    const report = await new Upstreams().probe(keyless)
    assert.deepEqual([report.outcome, report.message], ['failed', 'The connection has no API key.'])
  })

  test('what a provider of the catalogue answers at its known address', async () => {
    const stub = await stubOf(answering({ data: [{ id: 'a' }] }))
    const { providerSpecificData: _none, ...connection } = connectionTo('', 'groq')
    const modelsApi = { flavour: 'openai', baseUrl: `${stub.origin}/v1` } as const
    const report = await new Upstreams().probe(connection, modelsApi)
    assert.deepEqual([report.outcome, report.modelCount], ['ok', 1])
    assert.equal(stub.requests[0]?.url, '/v1/models')
  })

  test('what answers at the base URL of the connection in place of the known address', async () => {
    const stub = await stubOf(answering({ data: [{ id: 'a' }] }))
    const modelsApi = { flavour: 'openai', baseUrl: 'http://127.0.0.1:1/v1' } as const
    const report = await new Upstreams().probe(connectionTo(stub.origin, 'groq'), modelsApi)
    assert.equal(report.outcome, 'ok')
  })

  test('that a provider without a known address is not tested', async () => {
    const stub = await stubOf(answering([]))
    const report = await new Upstreams().probe(connectionTo(stub.origin, 'elevenlabs'))
    assert.equal(report.outcome, 'untested')
    assert.match(report.message, /cannot be tested/)
    assert.equal(stub.requests.length, 0)
  })
})
