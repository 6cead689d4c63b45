import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { absenceOfChromium, pageTimeoutMs, startChromium } from '../support/chromium.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('The API reference', { skip: absenceOfChromium() }, () => {
  let browser: Browser
  before(async () => {
    browser = await startChromium()
  })
  after(() => browser?.close())

  const looks = [
    { colorScheme: 'light', width: 400 },
    { colorScheme: 'dark', width: 1280 },
  ] as const
  for (const { colorScheme, width } of looks) {
    test(`is accessible and fits, ${colorScheme}, ${width} px wide`, async (t) => {
      const { url } = await startGatewayInProcess(t)
      // The page's policy would block axe.
      const context = await browser.newContext({
        ...{ colorScheme, bypassCSP: true, viewport: { width, height: 900 } },
      })
      t.after(() => context.close())
      context.setDefaultTimeout(pageTimeoutMs)
      const page = await context.newPage()
      await page.goto(`${url}/-/docs`)
      await page.getByRole('button', { name: /login Starts a session/ }).click()
      await page.getByText('Request body').waitFor()
      await page.evaluate(axe)
      const violations = await page.evaluate(async () => {
        const { axe: run } = globalThis as unknown as {
          axe: {
            run(): Promise<{
              violations: { id: string; nodes: { html: string }[] }[]
            }>
          }
        }
        const result = await run.run()
        return result.violations.flatMap(({ id, nodes }) =>
          nodes.map(({ html }) => `${id}: ${html}`),
        )
      })
      assert.deepEqual(violations, [])
      const hasOverflow = await page.evaluate<boolean>(
        'document.documentElement.scrollWidth > document.documentElement.clientWidth',
      )
      assert.equal(hasOverflow, false)
    })
  }

  test('loads only files of the gateway, under the policy of the dashboard', async (t) => {
    const { url } = await startGatewayInProcess(t)
    const page = await browser.newPage()
    t.after(() => page.close())
    page.setDefaultTimeout(pageTimeoutMs)
    const requested: string[] = []
    const messages: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    page.on('console', (message) => messages.push(message.text()))
    page.on('pageerror', (error) => messages.push(error.message))
    await page.goto(`${url}/-/docs`)
    await page.getByRole('button', { name: /login Starts a session/ }).click()
    await page.getByText('Request body').waitFor()
    const own = [`${url}/-/docs`, `${url}/-/openapi.json`, `${url}/-/assets/`, 'data:']
    assert.deepEqual(
      requested.filter((each) => !own.some((start) => each.startsWith(start))),
      [],
    )
    assert.deepEqual(messages, [])
  })
})
