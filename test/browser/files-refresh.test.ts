import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { watchEveryMs } from '../../web/src/files/listing/folder-watch.ts'
import { absenceOfChromium } from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { FileBrowser, propertyOf, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'

describe('Lists of the dashboard refresh by themselves', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  const folderOf = (path: string) => join(dashboard().gateway.driveFolder, testBucket, path)

  before(() => {
    const many = Array.from({ length: 3_000 }, (_, index) => [
      `many/file-${String(index).padStart(4, '0')}.txt`,
      '',
    ])
    writeTree(folderOf(''), {
      ...Object.fromEntries(many),
      'shared/a.txt': 'a',
      'shared/b.txt': 'b',
      'hidden/a.txt': 'a',
      'gone/a.txt': 'a',
    })
  })

  /** Counts the requests of a page: folder checks and listing pages. */
  function countRequests(page: Page) {
    const counts = { checks: 0, lists: 0 }
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('/folder-revision')) counts.checks += 1
      if (pathname.endsWith('/api/folder')) counts.lists += 1
    })
    return counts
  }

  const checked = (page: Page) =>
    page.waitForResponse((reply) => reply.url().includes('/folder-revision'))

  /** Simulates switching to another tab and back. */
  const setVisible = (page: Page, isVisible: boolean) =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', {
        value: '${isVisible ? 'visible' : 'hidden'}',
        configurable: true,
      })
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))
    `)

  const hasFocus = async (element: Locator) =>
    (await element.and(element.page().locator(':focus')).count()) === 1

  test('shows changes of others in every open tab', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=shared/`)
    await files.name('b.txt').waitFor()
    const second = new FileBrowser(await files.page.context().newPage())
    await second.page.goto(files.page.url())
    await second.name('b.txt').waitFor()
    writeFileSync(folderOf('shared/c.txt'), 'c')
    rmSync(folderOf('shared/b.txt'))
    for (const tab of [files, second]) {
      await tab.name('c.txt').waitFor()
      // It may have looked between the two changes.
      await tab.name('b.txt').waitFor({ state: 'detached' })
      assert.deepEqual(await tab.names(), ['a.txt', 'c.txt'])
    }
    await second.page.close()
  })

  test('checks an unchanged folder of many pages without downloading it again', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=many/`)
    await files.page.getByText('3,000 files').waitFor()
    const counts = countRequests(files.page)
    for (let round = 0; round < 3; round += 1) await checked(files.page)
    assert.equal(counts.lists, 0)
  })

  test('a refresh keeps the selection, the scroll position, the keyboard position and a rename', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=many/`)
    const { page } = files
    await page.getByText('3,000 files').waitFor()
    const scroller = files.grid.locator('[role="presentation"]')
    await scroller.evaluate((element) => {
      element.scrollTop = 40_000
    })
    await files.name('file-0010.txt').waitFor({ state: 'detached' })
    const shown = (await files.names()).slice(10, 13)
    const [first = '', between = '', last = ''] = shown
    await files.select(first, last)
    const scrollTop = await propertyOf(scroller, 'scrollTop')
    writeFileSync(folderOf('many/zz.txt'), 'z')
    rmSync(folderOf(`many/${between}`))
    await files.row(between).waitFor({ state: 'detached' })
    await page.getByText('2 selected').waitFor()
    assert.equal(await propertyOf(scroller, 'scrollTop'), scrollTop)
    assert.ok(await hasFocus(files.grid))

    await page.keyboard.press('F2')
    const field = files.dialog.getByLabel('New name')
    // The dialog selects the name without its extension when the field gets the focus.
    await field.and(page.locator(':focus')).waitFor()
    await field.fill('half a na')
    rmSync(folderOf('many/zz.txt'))
    await page.getByText('2,999 files').waitFor()
    assert.equal(await field.inputValue(), 'half a na')
    assert.ok(await hasFocus(field))
  })

  test('a hidden tab sends no requests, and refreshes when it becomes visible', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=hidden/`)
    const { page } = files
    await page.clock.install()
    await page.reload()
    await files.name('a.txt').waitFor()
    const next = checked(page)
    await page.clock.runFor(watchEveryMs)
    await next
    await setVisible(page, false)
    const counts = countRequests(page)
    writeFileSync(folderOf('hidden/b.txt'), 'b')
    await page.clock.runFor(10 * watchEveryMs)
    assert.deepEqual(counts, { checks: 0, lists: 0 })
    await setVisible(page, true)
    await files.name('b.txt').waitFor()
  })

  test('says that an unknown bucket does not exist', async () => {
    const { page } = await openAt('/files/phots')
    await page.getByText('The bucket “phots” does not exist').waitFor()
    await page.getByRole('link', { name: 'Show all buckets' }).click()
    await page.getByRole('link', { name: testBucket }).waitFor()
  })

  test('distinguishes a missing folder from an empty one', async () => {
    mkdirSync(folderOf('empty'))
    const files = await openAt(`/files/${testBucket}?prefix=empty/`)
    const { page } = files
    await page.getByText('This folder is empty').waitFor()
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=gone/nowhere/`)
    await page.getByText('The folder “nowhere” does not exist').waitFor()
    await page.getByRole('button', { name: 'Go to “gone”' }).click()
    await files.name('a.txt').waitFor()
    rmSync(folderOf('gone'), { recursive: true })
    await page.getByText('The folder “gone” does not exist').waitFor()
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
