import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { afterEach, describe, test } from 'node:test'
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

/** Answers as Anthropic: pages of `size` after an id, at most `limit`. */
function paging(
  ids: readonly string[],
  fails: (url: URL) => boolean = () => false,
): RequestListener {
  return ({ url = '' }, response) => {
    const asked = new URL(url, 'http://h')
    if (fails(asked)) return void response.writeHead(400).end()
    const from = ids.indexOf(asked.searchParams.get('after_id') ?? '') + 1
    const page = ids.slice(from, from + Number(asked.searchParams.get('limit') ?? 20))
    answering({
      data: page.map((id) => ({ id, display_name: id.toUpperCase(), max_tokens: 5 })),
      ...{ has_more: from + page.length < ids.length, first_id: page[0], last_id: page.at(-1) },
    })({} as never, response)
  }
}

describe('models reads the pages of a list', () => {
  const ids = Array.from({ length: 1_500 }, (_, index) => `m ${index}`)
  const askModels = (origin: string, query = '') =>
    new Upstreams({ timeoutMs: 60_000 }).models({
      flavour: 'anthropic',
      baseUrl: `${origin}/v1${query}`,
      apiKey,
    })

  test('to its end. The first request has no query', async () => {
    const stub = await stubOf(paging(ids))
    const { ids: read, isWhole, facts } = await askModels(stub.origin)
    assert.deepEqual([read, isWhole], [ids, true])
    assert.deepEqual(facts().get('m 7'), { name: 'M 7', max_output_tokens: 5 })
    assert.deepEqual(
      stub.requests.map(({ url }) => url),
      [
        '/v1/models',
        '/v1/models?limit=1000&after_id=m%2019',
        '/v1/models?limit=1000&after_id=m%201019',
      ],
    )
    assert.equal(stub.requests.at(-1)?.headers['x-api-key'], apiKey)
  })

  test('after the query of the base URL', async () => {
    const stub = await stubOf(paging(ids.slice(0, 21)))
    assert.equal((await askModels(stub.origin, '?v=1')).ids.length, 21)
    assert.equal(stub.requests.at(-1)?.url, '/v1/models?v=1&limit=1000&after_id=m%2019')
  })

  test('as far as it answers', async () => {
    const stub = await stubOf(paging(ids, ({ searchParams }) => searchParams.has('limit')))
    const { ids: read, isWhole } = await askModels(stub.origin)
    assert.deepEqual([read, isWhole], [ids.slice(0, 20), false])
  })

  test('until the server repeats itself', async () => {
    const page = { data: [{ id: 'a' }, { id: 'b' }], has_more: true, last_id: 'b' }
    const stub = await stubOf(answering(page))
    const { ids: read, isWhole } = await askModels(stub.origin)
    assert.deepEqual([read, isWhole, stub.requests.length], [['a', 'b'], true, 2])
  })

  test('of at most 8 MiB together', async () => {
    const filler = 'x'.repeat(3 * 1024 * 1024)
    let count = 0
    const stub = await stubOf((request, response) => {
      const id = `m${count++}`
      answering({ data: [{ id, filler }], has_more: true, last_id: id })(request, response)
    })
    const { ids: read, isWhole } = await askModels(stub.origin)
    assert.deepEqual([read, isWhole], [['m0', 'm1'], false])
  })
})
