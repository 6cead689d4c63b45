import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import { tipped } from '../support/tipped.ts'

describe('The header of a folder in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    const { driveFolder } = dashboard().gateway
    writeTree(join(driveFolder, testBucket), {
      'tree/b/leaf.txt': 'leaf',
      'tree/a/other.txt': 'other',
      'tree/large.bin': 'x'.repeat(3_000),
      'tree/small.txt': 'x',
      'tree/middle.txt': 'x'.repeat(200),
    })
  })

  async function openFolder(query: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}${query}`)
    await files.grid.waitFor()
    return files
  }

  const place = (page: Page) => decodeURIComponent(new URL(page.url()).search)

  test('filters by kind and size, with and without a text', async () => {
    const files = await openFolder('?prefix=tree/')
    const { page } = files
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Kind').selectOption('Folders')
    await page.getByText('2 folders found').waitFor()
    await page.getByLabel('Kind').selectOption('Documents')
    await page.getByText('2 files found').waitFor()
    await page.getByLabel('Size').selectOption('Above 1 GB')
    await page.getByText('Nothing in tree is of this kind').waitFor()
    await page.reload()
    await page.getByText('Nothing in tree is of this kind').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.getByText('2 folders, 3 files').waitFor()
  })

  test('nothing can be added in an unknown bucket', async () => {
    const { page } = await openAt('/files/unknown')
    await page.getByText('The bucket “unknown” does not exist').waitFor()
    assert.equal(await page.getByRole('button', { name: 'New', exact: true }).isDisabled(), true)
    await page.keyboard.press('Tab')
    await page.getByRole('button', { name: 'Folder actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Refresh' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'New folder' }).count(), 0)
  })

  test('the menu of new entries is used by keyboard, and another press of its button closes it', async () => {
    const files = await openFolder('?prefix=tree/')
    const { page } = files
    // Before the menu opens: a key press may reach the page before the browser takes the request to listen.
    const chooser = page.waitForEvent('filechooser')
    const add = page.getByRole('button', { name: 'New', exact: true })
    await add.focus()
    await page.keyboard.press('Enter')
    const items = page.getByRole('menuitem')
    await page.locator('[role=menuitem]:focus').getByText('Upload files').waitFor()
    await page.keyboard.press('Enter')
    await chooser
    await add.press('Enter')
    await files.menuHasFocus()
    await page.keyboard.press('Escape')
    await items.first().waitFor({ state: 'hidden' })
    await page.locator('button:focus').getByText('New').waitFor()
    await add.click()
    await items.first().waitFor()
    const right = ({ x, width }: { x: number; width: number }) => Math.round(x + width)
    const [button, menu] = [await add.boundingBox(), await page.getByRole('menu').boundingBox()]
    assert.ok(button !== null && menu !== null)
    assert.equal(right(menu), right(button))
    await add.click()
    await items.first().waitFor({ state: 'hidden' })
    assert.equal(await add.getAttribute('aria-expanded'), 'false')
  })

  for (const width of [1440, 1024, 390, 320]) {
    test(`a selection replaces the path and the search, and moves no row (${width} px)`, async () => {
      const files = await openFolder('?prefix=tree/')
      const { page } = files
      await page.setViewportSize({ width, height: 800 })
      const rowHeight = width < 640 ? 56 : 38
      await until(async () => (await files.row('b').boundingBox())?.height === rowHeight)
      const before = await files.row('small.txt').boundingBox()
      await files.select('small.txt', 'middle.txt')
      const bar = page.getByRole('toolbar', { name: 'Selected' })
      await bar.getByText('2 selected').waitFor()
      assert.deepEqual(await files.row('small.txt').boundingBox(), before)
      assert.equal(await files.search.count(), 0)
      const box = await bar.boundingBox()
      assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width)
      await bar.getByRole('button', { name: 'Share' }).waitFor()
      if (width < 640) {
        await bar.getByRole('button', { name: 'More actions' }).click()
        await page.getByRole('menuitem', { name: 'Move to' }).click()
      } else {
        for (const word of ['Download', 'Move', 'Delete']) await bar.getByText(word).waitFor()
        await bar.getByRole('button', { name: 'Move' }).click()
      }
      await files.dialog.getByText('Move 2 items').waitFor()
      await page.keyboard.press('Escape')
      await bar.getByRole('button', { name: 'Clear selection' }).click()
      await bar.waitFor({ state: 'detached' })
      await files.search.waitFor()
    })
  }

  test('a tooltip is shown after 300 ms, and leaves with the pointer', async () => {
    const { page } = await openFolder('?prefix=tree/')
    await page.getByRole('button', { name: 'Filters' }).hover()
    const tip = page.getByText('Filters', { exact: true })
    await tip.waitFor()
    await page.mouse.move(10, 400)
    await tip.waitFor({ state: 'detached' })
  })

  test('dates and sizes of rows have the same tooltip, and a name only if it is cut', async () => {
    const long = `${'a name that is much too long for its row '.repeat(6)}.txt`
    const target = targetOf(testBucket, `tree/${long}`)
    await signedFetch(dashboard().gateway, { method: 'PUT', target, body: 'x' })
    const files = await openFolder('?prefix=tree/')
    const { page } = files
    const tip = page.locator('[popover]')
    await files.name(long).waitFor()
    await page.clock.install()
    await files.name('small.txt').hover()
    await page.clock.runFor(600)
    assert.equal(await tip.count(), 0)
    await files.name(long).hover()
    await page.clock.runFor(300)
    assert.equal(await tip.textContent(), long)
    await page.locator(tipped('3,000 bytes')).hover()
    await page.clock.runFor(300)
    assert.equal(await tip.textContent(), '3,000 bytes')
    assert.equal(await files.grid.locator('[title]').count(), 0)
  })

  test('the breadcrumbs show the current folder at any depth, and a menu has those above', async () => {
    const options = { viewport: { width: 400, height: 800 } }
    const prefix = Array.from({ length: 12 }, (_, index) => `a long folder name ${index}/`).join('')
    const path = `/files/${testBucket}?prefix=${encodeURIComponent(prefix)}`
    const page = await dashboard().openSignedIn(path, options)
    const current = page.getByRole('navigation', { name: 'Folder' }).getByRole('heading')
    await current.waitFor()
    await until(async () => {
      const { x = -1, width = 0 } = (await current.boundingBox()) ?? {}
      return x >= 0 && width > 80 && x + width <= 400
    })
    await page.getByRole('button', { name: 'Folders above' }).click()
    await page.getByRole('menuitem', { name: 'a long folder name 10' }).waitFor()
    await page.getByRole('menuitem', { name: testBucket }).click()
    await page.getByRole('row').first().waitFor()
    assert.equal(place(page), '')
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
