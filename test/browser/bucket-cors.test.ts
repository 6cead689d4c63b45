import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type StubUpstream, startStub } from '../fakes/stub-upstream.ts'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { presignTarget } from '../support/signed-request.ts'

/** A response that the page may read, or the error of its browser. */
type Seen =
  | { readonly status: number; readonly text: string; readonly etag: string | null }
  | { readonly refused: string }

/** Pages of other origins (here: other ports) that use a bucket with CORS rules and presigned URLs. */
describe('A page of another origin and the CORS rules of a bucket', {
  skip: absenceOfChromium(),
}, () => {
  const gateway = useContractGateway({ BUCKET_CREATION: 'on', WORKERS: '1' })
  const sites: StubUpstream[] = []
  let browser: Browser | undefined
  let ours: Page
  let theirs: Page

  async function openPage(opened: Browser): Promise<Page> {
    const site = await startStub((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>')
    })
    sites.push(site)
    const page = await opened.newPage()
    await page.goto(site.origin)
    return page
  }

  before(async () => {
    browser = await startChromium()
    ours = await openPage(browser)
    theirs = await openPage(browser)
    const body =
      `<CORSConfiguration><CORSRule><AllowedOrigin>${sites[0]?.origin}</AllowedOrigin>` +
      '<AllowedMethod>PUT</AllowedMethod><AllowedMethod>GET</AllowedMethod>' +
      '<AllowedHeader>content-type</AllowedHeader><ExposeHeader>ETag</ExposeHeader>' +
      '</CORSRule></CORSConfiguration>'
    const target = `/${testBucket}?cors`
    const reply = await signedFetch(gateway(), { method: 'PUT', target, body })
    assert.equal(reply.status, 200)
  })
  after(async () => {
    await browser?.close()
    for (const site of sites) await site.close()
  })

  function seen(
    page: Page,
    method: string,
    init: { readonly headers?: Record<string, string>; readonly body?: string } = {},
  ): Promise<Seen> {
    const { host, url, credentials } = gateway()
    const target = presignTarget(
      { method, target: `/${testBucket}/page.txt`, host, expiresSeconds: 60 },
      credentials,
    )
    return page.evaluate(
      async (request): Promise<Seen> => {
        try {
          const reply = await fetch(request.url, request.init)
          const text = await reply.text()
          return { status: reply.status, text, etag: reply.headers.get('etag') }
        } catch (error) {
          return { refused: String(error) }
        }
      },
      { url: url + target, init: { ...init, method } },
    )
  }

  test('writes and reads an object, and sees its ETag', async () => {
    const headers = { 'content-type': 'text/plain' }
    const written = await seen(ours, 'PUT', { headers, body: 'from a page' })
    assert.ok('status' in written, JSON.stringify(written))
    assert.equal(written.status, 200)
    assert.match(written.etag ?? '', /^"[0-9a-f]{32}"$/)
    const read = await seen(ours, 'GET')
    assert.ok('status' in read && read.text === 'from a page', JSON.stringify(read))
  })

  test('may not use a header or a method that no rule allows', async () => {
    const headers = { 'x-amz-meta-a': 'b' }
    assert.ok('refused' in (await seen(ours, 'PUT', { headers, body: 'x' })))
    assert.ok('refused' in (await seen(ours, 'DELETE')))
  })

  test('of an origin that no rule allows may do nothing', async () => {
    assert.ok('refused' in (await seen(theirs, 'GET')))
    assert.ok('refused' in (await seen(theirs, 'PUT', { body: 'theirs' })))
    const read = await seen(ours, 'GET')
    assert.ok('text' in read && read.text === 'from a page')
  })
})
