import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, endSessionAt, signIn, useDashboard } from '../support/dashboard.ts'
import { FileBrowser, propertyOf, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { tipped } from '../support/tipped.ts'

const entryCount = 10_000

describe('Browsing in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    const { driveFolder } = dashboard().gateway
    const many = Array.from({ length: entryCount }, (_, index) => [`many/file-${index}.txt`, ''])
    writeTree(join(driveFolder, testBucket), {
      ...Object.fromEntries(many),
      'tree/b/leaf.txt': 'leaf',
      'tree/a/other.txt': 'other',
      'tree/large.bin': 'x'.repeat(3_000),
      'tree/small.txt': 'x',
      'tree/middle.txt': 'x'.repeat(200),
      'odd/photo\u202egpj.exe': 'x',
      'odd/ spaces ': 'x',
      'odd/<img src=x onerror=document.title=1>.txt': 'x',
      'odd/a b+c%25.txt': 'x',
    })
  })

  async function openFolder(query: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}${query}`)
    await files.grid.waitFor()
    return files
  }

  const place = (page: Page) => decodeURIComponent(new URL(page.url()).search)

  test('lists 10,000 entries, renders few of them, and all are reachable by keyboard', async () => {
    const files = await openFolder('?prefix=many/')
    await files.page.getByText('10,000 files').waitFor()
    assert.equal(await files.grid.getAttribute('aria-rowcount'), String(entryCount + 1))
    const inPage = await files.page.getByRole('row').count()
    assert.ok(inPage < 100, `${inPage} rows are in the page`)
    await files.grid.focus()
    await files.page.keyboard.press('End')
    await files.name('file-9999.txt').waitFor()
    const id = await files.grid.getAttribute('aria-activedescendant')
    const row = files.page.locator(`[id="${id}"]`)
    assert.equal(await row.getAttribute('aria-rowindex'), String(entryCount + 1))
    await files.page.keyboard.press('Control+a')
    await files.page.getByText('10,000 selected').waitFor()
    assert.deepEqual(await barriers(files.page), [])
  })

  test('stops loading the list, and loads the rest on request', async () => {
    const files = await openAt('/files')
    const { page } = files
    // The connection is cut after some lines, and does not respond to the next request.
    let requests = 0
    const second = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    await page.route(
      (url) => url.pathname === '/-/api/folder',
      async (route) => {
        requests += 1
        if (requests === 1) {
          const reply = await route.fetch()
          const lines = (await reply.text()).split('\n').slice(0, 4)
          await route.fulfill({ response: reply, body: `${lines.join('\n')}\n` })
          return
        }
        if (requests === 2) {
          second.resolve()
          await held.promise
        }
        // The page aborted the request when it was stopped.
        await route.continue().catch(() => undefined)
      },
    )
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=many/`)
    await second.promise
    await page.getByText(/^Loading: .* so far$/).waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    held.resolve()
    await page.getByText('Only the first 2,000 are loaded').waitFor()
    assert.equal(await files.grid.getAttribute('aria-rowcount'), '-1')
    await page.getByRole('button', { name: 'Load the rest' }).click()
    await page.getByText('10,000 files').waitFor()
  })

  test('filters by any part of a name and any case, keeps the filter in the address, and Back undoes it', async () => {
    const files = await openFolder('?prefix=many/')
    const { page, search } = files
    await page.getByText('10,000 files', { exact: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('LE-123')
    await page.getByText('11 files found').waitFor()
    assert.equal(place(page), '?prefix=many/&filter=LE-123')
    await page.reload()
    await page.getByText('11 files found').waitFor()
    assert.equal(await search.inputValue(), 'LE-123')
    await search.fill('nothing')
    await page.getByText('No name in many contains “nothing”').waitFor()
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await page.getByText('10,000 files', { exact: true }).waitFor()
  })

  test('a folder in the path of the address is that folder', async () => {
    const files = await openAt(`/files/${testBucket}/tree/b/`)
    await files.name('leaf.txt').waitFor()
  })

  test('navigates folders by mouse, keyboard, breadcrumbs and Back', async () => {
    const files = await openFolder('?prefix=tree/')
    const { page } = files
    assert.deepEqual(await files.names(), ['a', 'b', 'large.bin', 'middle.txt', 'small.txt'])
    await files.name('b').click()
    await files.name('leaf.txt').waitFor()
    assert.equal(place(page), '?prefix=tree/b/')
    await page.goBack()
    await files.name('large.bin').waitFor()
    // The folder that was opened is the active row again.
    await page.locator('[data-active]').locator(tipped('b')).waitFor()
    await page.keyboard.press('Enter')
    await files.name('leaf.txt').waitFor()
    await page.keyboard.press('Backspace')
    await files.name('large.bin').waitFor()
    // The folder that was left is the active row.
    await page.locator('[data-active]').locator(tipped('b')).waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await files.name('other.txt').waitFor()
    assert.equal(place(page), '?prefix=tree/a/')
    await page.getByRole('navigation', { name: 'Folder' }).getByText('tree').click()
    await files.name('large.bin').waitFor()
  })

  test('a double-click anywhere on a row opens it', async () => {
    const files = await openFolder('?prefix=tree/')
    const { page } = files
    await files.row('small.txt').getByText('1 byte').dblclick()
    await files.dialog.getByText('s3://photos/tree/small.txt').waitFor()
    await page.keyboard.press('Escape')
    await files.dialog.waitFor({ state: 'detached' })
    await files.row('large.bin').getByRole('checkbox').dblclick()
    assert.equal(await files.dialog.count(), 0)
    await files.row('b').dblclick({ position: { x: 700, y: 10 } })
    await files.name('leaf.txt').waitFor()
  })

  test('sorts by column and remembers the order', async () => {
    const files = await openFolder('?prefix=tree/')
    await files.page.getByRole('button', { name: 'Size' }).click()
    assert.deepEqual(await files.names(), ['a', 'b', 'large.bin', 'middle.txt', 'small.txt'])
    await files.page.getByRole('button', { name: 'Size' }).click()
    assert.deepEqual(await files.names(), ['a', 'b', 'small.txt', 'middle.txt', 'large.bin'])
    await files.page.reload()
    await files.name('small.txt').waitFor()
    assert.deepEqual(await files.names(), ['a', 'b', 'small.txt', 'middle.txt', 'large.bin'])
    const column = files.page.getByRole('columnheader', { name: 'Size' })
    assert.equal(await column.getAttribute('aria-sort'), 'ascending')
    await files.page.getByRole('button', { name: 'Name' }).click()
    await files.row('a').waitFor()
  })

  test('starts at the beginning after another order or filter; the filter keeps the focus', async () => {
    const files = await openFolder('?prefix=many/')
    const { page } = files
    await page.getByText('10,000 files').waitFor()
    const scroller = files.grid.locator('[role="presentation"]')
    const toEnd = async () => {
      await files.grid.focus()
      for (const key of ['Home', 'End']) await page.keyboard.press(key)
      await until(async () => Number(await propertyOf(scroller, 'scrollTop')) > 100_000)
    }
    const isAtBeginning = async () => (await propertyOf(scroller, 'scrollTop')) === 0
    for (const column of ['Size', 'Modified', 'Name']) {
      await toEnd()
      await page.getByRole('button', { name: column }).click()
      await until(isAtBeginning)
    }
    await toEnd()
    const field = files.search
    await field.fill('file-9')
    await page.getByText('1,111 files found').waitFor()
    await until(isAtBeginning)
    await field.fill('file-x')
    await page.getByText('No name in many contains').waitFor()
    await field.and(page.locator(':focus')).waitFor()
    await field.press('Escape')
    await page.getByText('10,000 files', { exact: true }).waitFor()
    assert.ok(await isAtBeginning())
    await field.and(page.locator(':focus')).waitFor()
  })

  for (const key of ['Shift+F10', 'ContextMenu']) {
    test(`${key} opens the menu of the active row, which stays and is used by keyboard`, async () => {
      const files = await openFolder('?prefix=tree/')
      const { page } = files
      await files.grid.focus()
      for (const press of ['Home', 'End', key]) await page.keyboard.press(press)
      const menu = page.getByRole('menu')
      await files.menuHasFocus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Escape')
      await menu.waitFor({ state: 'detached' })
      await page.keyboard.press(key)
      await files.menuHasFocus()
      await menu.getByRole('menuitem', { name: 'Rename' }).press('Enter')
      await files.dialog.getByLabel('New name').waitFor()
      assert.equal(await files.dialog.getByLabel('New name').inputValue(), 'small.txt')
    })
  }

  test('the menu of a row has groups, with what is used most first', async () => {
    const files = await openFolder('?prefix=tree/')
    const { page } = files
    await files.row('small.txt').getByRole('button', { name: 'Actions for' }).click()
    await files.menuHasFocus()
    const lines = page.locator('[role="menuitem"], [role="menu"] [role="separator"]')
    const texts = await lines.evaluateAll((found) =>
      found.map((line) => (line.querySelector('[class*="itemLabel"]') ?? line).textContent),
    )
    assert.deepEqual(texts.join(', ').split(', , '), [
      'Open, Edit, Download',
      'Share link…, Add to Starred, Copy S3 address',
      'Rename…, Move to…, Copy to…, Duplicate',
      'Details, Edit metadata…',
      'Delete, Delete permanently…',
    ])
    await page.keyboard.press('Escape')
  })

  test('selects ranges with shift, by mouse and by keyboard', async () => {
    const files = await openFolder('?prefix=tree/')
    const { page } = files
    await files.row('b').getByRole('checkbox').click()
    await files
      .row('middle.txt')
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await page.keyboard.press('Shift+ArrowUp')
    await page.getByText('2 selected').waitFor()
    await page.keyboard.press('Escape')
    await files.search.waitFor()
    await page.keyboard.press('Space')
    await page.getByText('1 selected').waitFor()
  })

  test('shows hidden characters in names, and renders no name as markup', async () => {
    const files = await openFolder('?prefix=odd/')
    const { page } = files
    await files.name('photo[U+202E]gpj.exe').waitFor()
    await files.name('·spaces·').waitFor()
    await files.name('<img src=x onerror=document.title=1>.txt').click()
    await files.dialog.getByText('odd/<img src=x onerror').first().waitFor()
    assert.equal(await page.locator('img[src="x"]').count(), 0)
    assert.notEqual(await page.title(), '1')
  })

  test('the help dialog lists the keyboard shortcuts', async () => {
    const files = await openFolder('?prefix=tree/')
    await files.page.keyboard.press('?')
    await files.dialog.getByText('Go up one folder').waitFor()
    assert.deepEqual(await barriers(files.page), [])
  })

  test('returns to the same folder and filter after an expired session', async () => {
    const path = `/files/${testBucket}?prefix=tree/&filter=s`
    const page = await dashboard().openSignedIn(path)
    const files = new FileBrowser(page)
    await files.name('small.txt').waitFor()
    await endSessionAt(page, (request) => new URL(request.url()).pathname === '/-/api/folder')
    await files.choose('Folder actions', 'Refresh')
    await page.getByText('Your session has ended.').waitFor()
    await signIn(page)
    await files.name('small.txt').waitFor()
    assert.equal(place(page), '?prefix=tree/&filter=s')
  })

  test('shows why a folder could not be loaded, and retries', async () => {
    const files = await openAt('/files')
    const { page } = files
    // Otherwise the page may load the folder by itself, after a busy service did not say in time that it is there.
    await page.route('**/-/livez', (route) => route.fulfill())
    await page.route(
      (url) => url.pathname === '/-/api/folder',
      (route) => route.abort(),
      { times: 1 },
    )
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=tree/`)
    await page.getByText('The folder could not be loaded').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await files.name('small.txt').waitFor()
  })

  test('is usable at 400 px in dark mode', async () => {
    const options = {
      viewport: { width: 400, height: 800 },
      colorScheme: 'dark',
    } as const
    const page = await dashboard().openSignedIn(`/files/${testBucket}?prefix=tree/`, options)
    const files = new FileBrowser(page)
    await files.name('small.txt').waitFor()
    assert.deepEqual(await barriers(page), [])
    await files.act('small.txt', 'Open')
    await files.press('Details')
    await files.dialog.getByText('s3://photos/tree/small.txt').waitFor()
    const width = await page.evaluate<number>('document.documentElement.scrollWidth')
    assert.ok(width <= 400, `${width} px wide`)
    assert.deepEqual(await barriers(page), [])
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
