import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type StubUpstream, startStub } from '../fakes/stub-upstream.ts'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { signedFields } from '../support/post-form.ts'
import { signedFetch } from '../support/signed-fetch.ts'

/** A page of another origin (here: another port) that uploads with a form which its backend has signed. */
describe('A signed form in a browser', { skip: absenceOfChromium() }, () => {
  const gateway = useContractGateway({
    ...{ COMPATIBILITY: 'aws', CORS_ALLOWED_ORIGINS: '*', WORKERS: '1' },
  })
  let site: StubUpstream
  let browser: Browser | undefined
  let page: Page

  before(async () => {
    browser = await startChromium()
    page = await browser.newPage()
    site = await startStub((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title>')
    })
  })
  after(async () => {
    await browser?.close()
    await site.close()
  })

  const file = { name: 'ä "b".txt', mimeType: 'text/plain', buffer: Buffer.from('from a page') }
  const fieldsFor = (version: 2 | 4, key: string, more: readonly (readonly [string, string])[]) =>
    signedFields(
      { bucket: testBucket, fields: [['key', key], ...more], version },
      gateway().credentials,
    )

  async function stored(name: string): Promise<string> {
    const target = `/${testBucket}/${name}`
    return await (await signedFetch(gateway(), { method: 'GET', target })).text()
  }

  for (const version of [2, 4] as const) {
    test(`HTML of Version ${version}: the browser goes to the page of success`, async () => {
      await page.goto(site.origin)
      const fields = fieldsFor(version, `html-${version}`, [
        ['success_action_redirect', `${site.origin}/done`],
      ])
      const inputs = fields.map(
        ([name, value]) => `<input type=hidden name="${name}" value="${value}">`,
      )
      await page.setContent(
        `<form method=post accept-charset=utf-8 enctype=multipart/form-data action="${gateway().url}/${testBucket}">` +
          `${inputs.join('')}<input type=file name=file><button>Upload</button></form>`,
      )
      await page.setInputFiles('input[type=file]', file)
      await Promise.all([page.waitForURL(/\/done/), page.click('button')])
      assert.match(
        page.url(),
        new RegExp(`/done\\?bucket=${testBucket}&key=html-${version}&etag=%22`),
      )
      assert.equal(await stored(`html-${version}`), 'from a page')
    })
  }

  test('FormData: the page reads the reply, also that of a refusal', async () => {
    await page.goto(site.origin)
    const post = (fields: readonly (readonly [string, string])[]) =>
      page.evaluate(
        async ({ url, sent }) => {
          const body = new FormData()
          for (const [name, value] of sent) body.append(name, value)
          body.append('file', new File(['from a page'], 'ä.txt'))
          const reply = await fetch(url, { method: 'POST', body })
          return { status: reply.status, etag: reply.headers.get('etag'), text: await reply.text() }
        },
        { url: `${gateway().url}/${testBucket}`, sent: fields },
      )
    const done = await post(fieldsFor(4, 'form-data', [['success_action_status', '201']]))
    assert.equal(done.status, 201)
    assert.match(done.etag ?? '', /^"[0-9a-f]{32}"$/)
    assert.equal(await stored('form-data'), 'from a page')
    const refused = await post([...fieldsFor(4, 'other', []), ['acl', 'private']])
    assert.equal(refused.status, 403)
    assert.match(refused.text, /Extra input fields: acl/)
  })
})
