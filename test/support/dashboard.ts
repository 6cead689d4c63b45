import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, afterEach, before } from 'node:test'
import type { Result } from 'axe-core'
import type { Browser, BrowserContext, BrowserContextOptions, Page, Request } from 'playwright-core'
import { pageTimeoutMs, startChromium } from './chromium.ts'
import { useContractGateway } from './contract-gateway.ts'
import type { GatewayProcess } from './gateway-process.ts'
import { until } from './management-client.ts'

export const dashboardPassword = 'correct horse battery'

/** The dashboard in a browser, of a gateway that ends with the `describe`. */
export interface Dashboard {
  readonly gateway: GatewayProcess
  /** A page in a new browser context, at a path below `/-`. It closes when the test ends. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>
  /** The same, with a session. */
  openSignedIn(path: string, options?: BrowserContextOptions): Promise<Page>
  /** Leaves the page open until the `describe` ends. */
  keepOpen(page: Page): void
  /**
   * What the browser complained of since it was last asked: errors of scripts, and of the page's
   * policy. Refusals of the service are none.
   */
  complaints(): readonly string[]
}

export function useDashboard(
  settings: Readonly<Record<string, string>> = {},
  startBrowser: () => Promise<Browser> = startChromium,
): () => Dashboard {
  const gateway = useContractGateway({ DASHBOARD_PASSWORD: dashboardPassword, ...settings })
  let browser: Browser | undefined
  let complaints: string[] = []
  before(async () => {
    browser = await startBrowser()
  })
  after(() => browser?.close())
  const contexts = new Set<BrowserContext>()
  // Open pages go on refreshing, which slows down the tests after them.
  afterEach(async () => {
    await Promise.all(Array.from(contexts, (context) => context.close()))
    contexts.clear()
  })
  const open: Dashboard['open'] = async (path, options) => {
    assert.ok(browser !== undefined)
    // Dialogs come at once: while they fade in nothing has its colours, and a press may miss what still moves.
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
    contexts.add(context)
    context.setDefaultTimeout(pageTimeoutMs)
    context.on('weberror', (complaint) => complaints.push(complaint.error().message))
    context.on('console', (message) => {
      const text = message.text()
      if (message.type() === 'error' && !text.startsWith('Failed to load resource')) {
        complaints.push(text)
      }
    })
    const page = await context.newPage()
    await page.goto(`${gateway().url}/-${path}`)
    return page
  }
  return () => ({
    gateway: gateway(),
    open,
    async openSignedIn(path, options) {
      const page = await open(path, options)
      await signIn(page)
      return page
    },
    keepOpen: (page) => void contexts.delete(page.context()),
    complaints() {
      const before = complaints
      complaints = []
      return before
    },
  })
}

/**
 * Fills in the form that is shown; resolves when it is gone.
 *
 * @param label of the field, in the language of the page
 */
export async function signIn(page: Page, label = 'Password'): Promise<void> {
  const field = page.getByLabel(label, { exact: true })
  // A dialog that closes may take the focus meanwhile.
  await until(async () => {
    await field.focus()
    await page.keyboard.press('ControlOrMeta+a')
    // React does not see what Playwright fills into a field of Firefox.
    await page.keyboard.type(dashboardPassword)
    return (await field.inputValue()) === dashboardPassword
  })
  await field.press('Enter')
  await field.waitFor({ state: 'detached' })
}

/** The session that the page keeps. */
export function tokenOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => {
    const stored = localStorage.getItem('bucketry.session')
    return stored === null ? undefined : (JSON.parse(stored) as { token: string }).token
  })
}

/** Ends the session when the page sends the first such request, so that no earlier one finds that out. */
export async function endSessionAt(
  page: Page,
  isSuch: (request: Request) => boolean,
): Promise<void> {
  let isOver = false
  await page.route('**', async (route) => {
    const { authorization } = route.request().headers()
    if (!isOver && authorization !== undefined && isSuch(route.request())) {
      isOver = true
      const url = new URL('/auth/logout', page.url())
      await fetch(url, { method: 'POST', headers: { authorization } })
    }
    await route.fallback()
  })
}

const axeSource = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** What axe-core finds that keeps people out, or makes it harder for them. */
export async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeSource)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: Result[] }> } }
    return (await axe.run()).violations
  })
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
}
