import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { assertWithin } from '../support/assert-within.ts'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { FileBrowser, writeTree } from '../support/file-browser.ts'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'

/** Within this time a page says that the service does not respond. */
const noticedWithinMs = 3_000

describe('Without the service, the dashboard', { skip: absenceOfChromium() }, () => {
  // Its own gateway is not used: the tests start and kill theirs, at one address.
  const dashboard = useDashboard()
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-connection-'))
  let gateway: GatewayProcess | undefined
  let port: number | undefined
  const start = async () => {
    gateway = await startGatewayProcess({
      folder,
      ...(port !== undefined && { port }),
      settings: { DASHBOARD_PASSWORD: dashboardPassword, LOG_LEVEL: 'warn' },
    })
    port = gateway.port
  }
  const stop = () => gateway?.kill()
  before(async () => {
    await start()
    writeTree(join(folder, 'drive', testBucket), { 'a.txt': 'a', 'sub/b.txt': 'b' })
  })
  after(async () => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const bar = (page: Page) => page.getByText('Not connected, trying again', { exact: true })

  /** A page with a session on the gateway of these tests. */
  async function openSignedIn(path: string): Promise<Page> {
    const page = await dashboard().open('/')
    await page.goto(`http://127.0.0.1:${port}/-${path}`)
    await page.getByLabel('Password', { exact: true }).fill(dashboardPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    return page
  }

  for (const path of ['/', `/files/${testBucket}`, '/keys', '/models', '/nowhere']) {
    test(`says so on ${path} within 3 seconds, and goes on when it is back`, async () => {
      const page = await openSignedIn(path)
      // Not until the network is idle: the overview asks again and again while it counts.
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await assertWithin(noticedWithinMs, async () => {
        await stop()
        const stoppedAtMs = performance.now()
        await bar(page).waitFor()
        const tookMs = performance.now() - stoppedAtMs
        assert.deepEqual(await barriers(page), [])
        await start()
        await bar(page).waitFor({ state: 'detached' })
        return tookMs
      })
    })
  }

  test('says so before signing in', async () => {
    const page = await dashboard().open('/')
    await page.goto(`http://127.0.0.1:${port}/-/`)
    await stop()
    await bar(page).waitFor()
    await start()
    await bar(page).waitFor({ state: 'detached' })
  })

  test('marks the rows that may be out of date, and refreshes them by itself', async () => {
    const page = await openSignedIn(`/files/${testBucket}`)
    const files = new FileBrowser(page)
    await files.name('a.txt').waitFor()
    await stop()
    await bar(page).waitFor()
    await page.getByText('1 folder, 1 file, not up to date').waitFor()
    await page.locator('main[data-stale]').waitFor()
    writeFileSync(join(folder, 'drive', testBucket, 'later.txt'), 'later')
    await start()
    await files.name('later.txt').waitFor()
    await page.getByText('1 folder, 2 files', { exact: true }).waitFor()
  })

  test('loads a folder that it could not list when the service is back', async () => {
    const page = await openSignedIn(`/files/${testBucket}`)
    const files = new FileBrowser(page)
    await files.name('sub').waitFor()
    await stop()
    await files.name('sub').click()
    await page.getByText('The folder could not be loaded').waitFor()
    await start()
    await files.name('b.txt').waitFor()
  })

  test('opens a page that it could not load when the service is back', async () => {
    const page = await openSignedIn('/overview')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await stop()
    await page.getByRole('link', { name: 'App keys' }).click()
    await page.getByText('The page opens when the service responds').waitFor()
    assert.equal(await page.getByText('may have been updated').count(), 0)
    assert.deepEqual(await barriers(page), [])
    await start()
    await page.getByRole('heading', { name: 'App keys', level: 1 }).waitFor()
  })

  test('shows a page without the list of transfers that it could not load', async () => {
    const page = await openSignedIn('/overview')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await page.route('**/transfer-dock-*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'Files' }).click()
    await page.getByText('The list of transfers could not be shown').waitFor()
    await page.goto(`http://127.0.0.1:${port}/-/files/${testBucket}`)
    await page.getByText('The list of transfers could not be shown').waitFor()
    await new FileBrowser(page).name('a.txt').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.unroute('**/transfer-dock-*.js')
    await page.getByRole('button', { name: 'Reload' }).click()
    await new FileBrowser(page).name('a.txt').waitFor()
    await page.getByText('could not be shown').waitFor({ state: 'detached' })
  })

  test('continues an upload at once when the service is back', async () => {
    const page = await openSignedIn(`/files/${testBucket}?prefix=up/`)
    const files = new FileBrowser(page)
    await page.getByText('does not exist').waitFor()
    const second = Promise.withResolvers<Route>()
    const isSecond = (url: URL) => url.searchParams.get('partNumber') === '2'
    await page.route(isSecond, (route) => second.resolve(route), { times: 1 })
    const file = join(folder, 'film.bin')
    writeFileSync(file, randomBytes(17 * 1024 * 1024))
    await files.drop(file)
    const route = await second.promise
    await stop()
    await route.continue()
    await files.transfers.getByText('Not connected, trying again').waitFor()
    await start()
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
  })
})
