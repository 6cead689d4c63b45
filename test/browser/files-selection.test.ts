import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Route } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, propertyOf, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { tipped } from '../support/tipped.ts'

describe('Where the keyboard is in the files', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  const disk = mkdtempSync(join(tmpdir(), 'bucketry-disk-'))
  after(() => rmSync(disk, { recursive: true, force: true }))
  before(() => {
    writeTree(disk, { 'dropped.txt': 'd', 'other.txt': 'o' })
    const many = Array.from({ length: 400 }, (_, index) => [`many/${1_000 + index}/x.txt`, ''])
    writeTree(join(dashboard().gateway.driveFolder, testBucket), {
      ...Object.fromEntries(many),
      'new/a.txt': 'a',
      'new/z.txt': 'z',
      'early/a.txt': 'a',
      'drop/in/old.txt': 'o',
      'band/1.txt': '1',
      'band/2.txt': '2',
      'band/3.txt': '3',
      'typed/a.txt': 'a',
      'typed/b.txt': 'b',
      'keys/a.txt': 'a',
      'keys/b.txt': 'b',
      'keys/c.txt': 'c',
    })
  })

  async function openFolder(prefix: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=${prefix}`)
    await files.grid.waitFor()
    return files
  }

  /** The only selected row, which is also the active one. */
  async function isRevealed({ page }: FileBrowser, name: string): Promise<void> {
    const row = page.locator('[role="row"][aria-selected="true"][data-active]')
    await row.locator(tipped(name)).waitFor()
    await page.getByText('1 selected').waitFor()
    await page.locator('[role="grid"]:focus').waitFor()
  }

  test('what is made, renamed or uploaded is selected, in view and focused', async () => {
    const files = await openFolder('new/')
    const { page } = files
    await files.choose('New', 'New folder')
    await page.getByLabel('Name', { exact: true }).fill('folder')
    await page.keyboard.press('Enter')
    await isRevealed(files, 'folder')
    await files.choose('New', 'New text file')
    await page.getByLabel('Name', { exact: true }).fill('notes')
    await page.keyboard.press('Enter')
    await files.dialog.getByRole('textbox', { name: 'Text of notes.txt' }).waitFor()
    await page.keyboard.press('Escape')
    await files.row('a.txt').click({ position: { x: 400, y: 10 } })
    // What is typed at once is the new name.
    await page.keyboard.press('F2')
    await page.keyboard.type('renamed')
    await page.keyboard.press('Enter')
    await isRevealed(files, 'renamed.txt')
    // Who moves on does not mean it, for example with Delete.
    await page.keyboard.press('ArrowUp')
    await page.getByText('1 selected').waitFor({ state: 'detached' })
    await files.drop(join(disk, 'dropped.txt'))
    await isRevealed(files, 'dropped.txt')
  })

  test('a new folder is selected also if the list learns of it before its dialog', async () => {
    const files = await openFolder('early/')
    const { page } = files
    const learn = Promise.withResolvers<void>()
    await page.route(/\/early\/folder\/$/, async (route) => {
      const response = await route.fetch()
      await learn.promise
      await route.fulfill({ response })
    })
    await files.choose('New', 'New folder')
    await page.getByLabel('Name', { exact: true }).fill('folder')
    await page.keyboard.press('Enter')
    await files.name('folder').waitFor()
    learn.resolve()
    await isRevealed(files, 'folder')
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('what is typed at once after the first F2 is the new name', async () => {
    const files = await openFolder('typed/')
    const { page } = files
    // The dialogs are loaded when the page is used.
    const held = Promise.withResolvers<void>()
    await page.route(/open-overlays/, async (route) => {
      await held.promise
      await route.continue()
    })
    for (const key of ['ArrowDown', 'F2']) await page.keyboard.press(key)
    await page.keyboard.type('given up')
    await page.keyboard.press('Escape')
    for (const key of ['F2', 'Delete']) await page.keyboard.press(key)
    await page.keyboard.type('typed at oncer')
    for (const key of ['Backspace', 'Enter']) await page.keyboard.press(key)
    held.resolve()
    await isRevealed(files, 'typed at once.txt')
    await files.dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await files.names(), ['b.txt', 'typed at once.txt'])
  })

  test('Back restores the scroll position and the active row', async () => {
    const files = await openFolder('many/')
    const { page, grid } = files
    await page.getByText('400 folders').waitFor()
    const scroller = grid.locator('[role="presentation"]')
    await scroller.hover()
    await page.mouse.wheel(0, 5_000)
    await until(async () => Number(await propertyOf(scroller, 'scrollTop')) >= 5_000)
    await files.name('1140').click()
    await files.name('x.txt').waitFor()
    await page.goBack()
    await page.locator('[data-active]').getByText('1140').waitFor()
    await until(async () => Math.abs(Number(await propertyOf(scroller, 'scrollTop')) - 5_000) < 2)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await until(() => page.url().endsWith('/1141/'))
  })

  test('after Back, who scrolls while the list still comes is not pulled to where it was left', async () => {
    const files = await openFolder('many/')
    const { page, grid } = files
    const scroller = grid.locator('[role="presentation"]')
    const top = async () => Number(await propertyOf(scroller, 'scrollTop'))
    await page.getByText('400 folders').waitFor()
    await scroller.hover()
    await page.mouse.wheel(0, 5_000)
    await until(async () => (await top()) >= 5_000)
    await files.name('1140').click()
    await files.name('x.txt').waitFor()
    const isList = ({ pathname, searchParams }: URL) =>
      pathname === '/-/api/folder' && searchParams.get('prefix') === 'many/'
    const held: Route[] = []
    await page.route(isList, async (route) => {
      held.push(route)
      if (held.length > 1) return
      const [line = ''] = (await (await route.fetch()).text()).split('\n')
      const entries = (JSON.parse(line) as { entries: readonly object[] }).entries.slice(0, 100)
      await route.fulfill({ body: `${JSON.stringify({ entries })}\n` })
    })
    await page.goBack()
    await until(async () => held.length > 1 && (await top()) > 2_000)
    await scroller.hover()
    await page.mouse.wheel(0, -10_000)
    await files.name('1000').waitFor()
    const frames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'
    await page.evaluate(frames)
    assert.equal(await top(), 0)
  })

  test('files of the desktop that are dropped on a folder go into it', async () => {
    const files = await openFolder('drop/')
    const { page } = files
    const box = await files.row('in').boundingBox()
    assert.ok(box !== null)
    const devtools = await page.context().newCDPSession(page)
    const data = { items: [], files: [join(disk, 'other.txt')], dragOperationsMask: 1 }
    const at = { x: box.x + 300, y: box.y + 10 }
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await devtools.send('Input.dispatchDragEvent', { type, ...at, data })
    }
    await files.transfers.getByText('1 file uploaded').waitFor()
    await page.getByText('Drop to upload').waitFor({ state: 'detached' })
    assert.deepEqual(await files.names(), ['in'])
    await files.name('in').click()
    await files.name('other.txt').waitFor()
  })

  test('a rectangle from empty space selects what it touches, and empty space has a menu', async () => {
    const files = await openFolder('band/')
    const { page } = files
    const [second, third] = [
      await files.row('2.txt').boundingBox(),
      await files.row('3.txt').boundingBox(),
    ]
    assert.ok(second !== null && third !== null)
    await page.mouse.move(third.x + 300, third.y + third.height + 60)
    await page.mouse.down()
    await page.mouse.move(second.x + 200, second.y + 10, { steps: 4 })
    await page.mouse.up()
    await page.getByText('2 selected').waitFor()
    await page.mouse.click(third.x + 300, third.y + third.height + 60, { button: 'right' })
    await page.getByRole('menuitem', { name: 'Select all' }).click()
    await page.getByText('3 selected').waitFor()
  })

  test('arrow keys work at once after loading, F2 and Delete in the preview', async () => {
    const files = await openFolder('keys/')
    const { page } = files
    for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
    await files.dialog.getByText('s3://photos/keys/b.txt').waitFor()
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('d.txt')
    await page.keyboard.press('Enter')
    await page.getByLabel('New name').waitFor({ state: 'detached' })
    const address = files.dialog.getByText('s3://photos/keys/d.txt')
    await address.waitFor()
    await page.keyboard.press('Delete')
    await address.waitFor({ state: 'detached' })
    // A refresh of the list may come before the end of the deletion, which is undone.
    await page.getByText('1 object moved to the trash').first().waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('1 object restored').first().waitFor()
    await page.keyboard.press('Escape')
    await files.dialog.waitFor({ state: 'detached' })
    await isRevealed(files, 'd.txt')
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
