import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

describe('The page of the OpenAPI document', { skip: absenceOfChromium() }, () => {
  let browser: Browser
  before(async () => {
    browser = await startChromium()
  })
  after(() => browser?.close())

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [400, 1280]) {
      test(`is accessible and fits, ${colorScheme}, ${width} px wide`, async (t) => {
        const { url } = await startGatewayInProcess(t)
        // axe is put into the page from outside, which its policy would stop.
        const context = await browser.newContext({
          ...{ colorScheme, bypassCSP: true, viewport: { width, height: 900 } },
        })
        t.after(() => context.close())
        const page = await context.newPage()
        await page.goto(`${url}/-/docs`)
        await page.evaluate(axe)
        const violations = await page.evaluate(async () => {
          const { axe: run } = globalThis as unknown as {
            axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
          }
          const result = await run.run()
          return result.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
        })
        assert.deepEqual(violations, [])
        const overflowing = await page.evaluate<number>(
          `[document.documentElement, ...document.querySelectorAll('.table')]
            .filter((box) => box.scrollWidth > box.clientWidth).length`,
        )
        assert.equal(overflowing, 0)
      })
    }
  }

  test('loads nothing beside itself, and its styles are let through', async (t) => {
    const { url } = await startGatewayInProcess(t)
    const page = await browser.newPage()
    t.after(() => page.close())
    const requested: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => requested.push(request.url()))
    page.on('console', (message) => complaints.push(message.text()))
    await page.goto(`${url}/-/docs`)
    const display = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('.layout')).display`,
    )
    assert.equal(display, 'grid')
    assert.deepEqual(
      requested.filter((each) => !each.endsWith('/favicon.ico')),
      [`${url}/-/docs`],
    )
    assert.deepEqual(
      complaints.filter((text) => !text.includes('favicon')),
      [],
    )
  })
})
