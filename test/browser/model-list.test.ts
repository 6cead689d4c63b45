import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type StubUpstream, startStub } from '../fakes/stub-upstream.ts'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { useContractGateway } from '../support/contract-gateway.ts'

const modelsApiKey = 'models-key-0123456789'

/** A response that the page may read, or the error of its browser. */
type Seen = { readonly status: number; readonly body: unknown } | { readonly refused: string }

interface ListBody {
  readonly object: string
  readonly data: readonly { readonly id: string }[]
}

/** Pages of another origin (here: another port) that use the model list. */
describe('A browser page of another origin', { skip: absenceOfChromium() }, () => {
  const open = useContractGateway()
  const locked = useContractGateway({ MODELS_API_KEY: modelsApiKey })
  let browser: Browser | undefined
  let site: StubUpstream | undefined
  let page: Page

  before(async () => {
    site = await startStub((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>')
    })
    browser = await startChromium()
    page = await browser.newPage()
    await page.goto(site.origin)
  })
  after(async () => {
    await browser?.close()
    await site?.close()
  })

  /** Sends a request from the page. */
  function seen(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Seen> {
    return page.evaluate(
      async (request): Promise<Seen> => {
        try {
          const reply = await fetch(request.url, { headers: request.headers })
          return { status: reply.status, body: await reply.json() }
        } catch (error) {
          return { refused: String(error) }
        }
      },
      { url, headers },
    )
  }

  async function readsList(request: Promise<Seen>): Promise<void> {
    const result = await request
    assert.ok('status' in result, JSON.stringify(result))
    assert.equal(result.status, 200)
    const { object, data } = result.body as ListBody
    assert.equal(object, 'list')
    assert.ok(data.some(({ id }) => id === 'openai/gpt-5'))
  }

  test('reads the ids of the list', () => readsList(seen(`${open().url}/v1/models`)))

  test('reads a list by its kind and a model by its id', async () => {
    const images = await seen(`${open().url}/v1/models/image`)
    assert.ok('status' in images && images.status === 200)
    const model = await seen(`${open().url}/v1/models/${encodeURIComponent('openai/gpt-5')}`)
    assert.ok('body' in model)
    assert.equal((model.body as { readonly id: string }).id, 'openai/gpt-5')
  })

  test('reads the error for an unknown id', async () => {
    const result = await seen(`${open().url}/v1/models/none`)
    assert.ok('status' in result, JSON.stringify(result))
    assert.equal(result.status, 404)
    const { error } = result.body as { readonly error: { readonly code: string } }
    assert.equal(error.code, 'model_not_found')
  })

  test('reads the status of a request without the required key', async () => {
    const result = await seen(`${locked().url}/v1/models`)
    assert.ok('status' in result, JSON.stringify(result))
    assert.equal(result.status, 401)
  })

  test('reads the list with x-api-key, which needs a preflight request', () =>
    readsList(seen(`${locked().url}/v1/models`, { 'x-api-key': modelsApiKey })))

  test('reads the list with other headers that clients send', () =>
    readsList(
      seen(`${open().url}/v1/models`, {
        'content-type': 'application/json',
        'x-stainless-lang': 'js',
        'openai-organization': 'org',
      }),
    ))

  // By the Fetch standard ("CORS non-wildcard request-header name"), `*` does not cover Authorization;
  // Chromium accepts it. If this fails, Chromium follows the standard: change docs/model-list.md.
  test('reads the list with Authorization, which Chromium accepts for *', () =>
    readsList(seen(`${locked().url}/v1/models`, { authorization: `Bearer ${modelsApiKey}` })))
})
