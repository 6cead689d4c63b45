import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { withinTime } from '../../src/platform/process/time-limit.ts'
import { absenceOfChromium, pageTimeoutMs, startChromium } from '../support/chromium.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { dashboardStates } from '../support/dashboard-states.ts'
import { FileBrowser, writeTree } from '../support/file-browser.ts'
import { type GatewayProcess, testBucket } from '../support/gateway-process.ts'
import { layoutProblems } from '../support/layout-problems.ts'
import { ManagementClient } from '../support/management-client.ts'
import { samplePng } from '../support/sample-media.ts'
import { sampleZip } from '../support/sample-zip.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import type { DashboardState } from '../support/state-steps.ts'
import { versionedBucket } from '../support/version-states.ts'

/** WCAG 2.2, "Target Size (Enhanced)". */
const fingerPx = 44

/** A state waits for several elements, one after the other. */
const stateTimeoutMs = 2 * pageTimeoutMs

const phone = { hasTouch: true, isMobile: true } as const
const looks = [
  { name: 'light, 1280 px', options: { viewport: { width: 1280, height: 800 } } },
  {
    name: 'dark, 1280 px',
    options: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
  },
  { name: 'light, 390 px', options: { ...phone, viewport: { width: 390, height: 844 } } },
  {
    name: 'dark, 320 px',
    options: { ...phone, viewport: { width: 320, height: 568 }, colorScheme: 'dark' },
  },
] as const

// Playwright looks for an element only twice a second: several looks are checked at once.
describe('Every state of the dashboard', { concurrency: true, skip: absenceOfChromium() }, () => {
  for (const { name, options } of looks) {
    const isPhone = 'isMobile' in options
    describe(name, () => {
      const dashboard = useDashboard()
      before(() => fill(dashboard().gateway))
      test(`has no axe-core finding${isPhone ? ' and fits a finger' : ''}`, async () => {
        const page = await dashboard().openSignedIn('/', options)
        await page.addInitScript({ content: watchDialogs })
        const problemsOf = async (state: DashboardState) => {
          await page.goto(`${dashboard().gateway.url}/-${state.path}`)
          await reach(state, page)
          const found = await barriers(page)
          const nameless = await page.evaluate<readonly string[]>('namelessDialogs')
          const misfits = isPhone ? await layoutProblems(page, fingerPx) : []
          await takePicture(page, `${state.name} ${name}`)
          await page.unrouteAll()
          return [...found, ...nameless, ...misfits].map((problem) => `${state.name}: ${problem}`)
        }
        const problems: string[] = []
        for (const state of dashboardStates) {
          // Code in a page has no time limit of its own.
          const found = await withinTime(problemsOf(state), stateTimeoutMs).catch((cause) => {
            throw new Error(`cannot check the state: ${state.name}`, { cause })
          })
          problems.push(...found)
        }
        assert.deepEqual(problems, [])
      })
    })
  }
})

async function reach({ reach, shown }: DashboardState, page: Page): Promise<void> {
  const files = new FileBrowser(page)
  await reach?.(files)
  const sign = typeof shown === 'function' ? shown(files) : page.getByText(shown)
  await sign.filter({ visible: true }).first().waitFor()
  // Transfers and notifications may come before the page.
  await page.locator('h1').first().waitFor()
}

/** Keeps what screen readers would announce without a name: a dialog needs its name when it comes into the page. */
const watchDialogs = `
  globalThis.namelessDialogs = []
  const selector = '[role=dialog]:not([aria-label], [aria-labelledby])'
  new MutationObserver(() => {
    for (const { outerHTML } of document.querySelectorAll(selector)) namelessDialogs.push(outerHTML.slice(0, 200))
  }).observe(document, { childList: true, subtree: true })`

/** With STATE_PICTURES, into that folder. */
async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.STATE_PICTURES
  if (folder === undefined) return
  await page.screenshot({ path: join(folder, `${name}.png`.replaceAll(/[^\w.]+/g, '-')) })
}

/** Makes the files, links, keys and failures that the states show. */
async function fill(gateway: GatewayProcess): Promise<void> {
  const browser = await startChromium()
  const picture = await samplePng(browser, 40, 30)
  await browser.close()
  const states = join(gateway.driveFolder, testBucket, 'states')
  writeTree(states, {
    'text.txt': 'the text',
    'notes.md':
      '# A heading\n\n[link](text.txt) and `code`\n\n| a |\n|---|\n| 1 |\n\n```js\nconst a = 1\n```\n',
    'data.json': '{"list": [1, "two"], "object": {"a": null}}',
    'table.csv': 'head,second\na cell,2\n',
    'long.log': 'line\n'.repeat(60_000),
    'archive.zip': sampleZip(['folder/file.txt']),
    'data.bin': new Uint8Array([0, 1, 2, 3]),
    'a file with a name that is much too long for a line of any phone.txt': 'long',
    'picture.png': picture,
  })
  mkdirSync(join(states, 'empty'))
  await signedFetch(gateway, {
    method: 'POST',
    target: `${targetOf(testBucket, 'states/open.mov')}?uploads`,
  })
  await fetch(`${gateway.url}/${testBucket}/refused`)
  const management = await ManagementClient.signIn(gateway.url, dashboardPassword)
  await fillVersions(gateway, management)
  for (const [path, more] of [
    ['states/picture.png', { note: 'For the printer', maxUses: 3, password: 'eight letters' }],
    ['states/none.txt', {}],
  ] as const) {
    await management.done('POST', '/shares', {
      kind: 'file',
      bucket: testBucket,
      path,
      ...more,
    })
  }
  await management.done('POST', '/keys', {
    name: 'sample',
    note: 'A key of an app',
    grants: [{ bucket: testBucket, prefix: 'states/', actions: ['list', 'read'] }],
  })
}

/** Makes a file of several versions and some deleted files. */
async function fillVersions(gateway: GatewayProcess, management: ManagementClient): Promise<void> {
  await management.done('PATCH', `/buckets/${versionedBucket}`, { versioning: 'enabled' })
  for (const [method, key] of [
    ['PUT', 'notes.md'],
    ['DELETE', 'notes.md'],
    ['PUT', 'notes.md'],
    ['PUT', 'a file with a name that is much too long for a line of any phone.txt'],
    ['DELETE', 'a file with a name that is much too long for a line of any phone.txt'],
    ['PUT', 'old/b.txt'],
    ['DELETE', 'old/b.txt'],
  ] as const) {
    const target = targetOf(versionedBucket, `kept/${key}`)
    await signedFetch(gateway, { method, target, ...(method === 'PUT' && { body: '# A heading' }) })
  }
}
