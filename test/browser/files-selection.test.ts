import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, propertyOf, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'

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
      'drop/in/old.txt': 'o',
      'band/1.txt': '1',
      'band/2.txt': '2',
      'band/3.txt': '3',
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
    await row.getByTitle(name, { exact: true }).waitFor()
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
    await files.name('notes.txt').waitFor()
    await page.keyboard.press('Escape')
    await files.row('a.txt').click({ position: { x: 400, y: 10 } })
    // What is typed at once is the new name.
    await page.keyboard.press('F2')
    await page.keyboard.type('renamed')
    await page.keyboard.press('Enter')
    await isRevealed(files, 'renamed.txt')
    await page.keyboard.press('Escape')
    await files.drop(join(disk, 'dropped.txt'))
    await isRevealed(files, 'dropped.txt')
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
    const address = files.dialog.getByText('s3://photos/keys/d.txt')
    await address.waitFor()
    await page.keyboard.press('Delete')
    await address.waitFor({ state: 'detached' })
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
