import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { publicBucket } from '../support/contract-gateway.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'
import { tipped } from '../support/tipped.ts'

describe('Carrying files in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    const { driveFolder } = dashboard().gateway
    writeTree(join(driveFolder, testBucket), {
      'drag/in/old.txt': 'o',
      'drag/a.txt': 'a',
      'drag/b.txt': 'b',
      'drag/keep.txt': 'k',
      'cut/one.txt': '1',
      'cut/tree/two.txt': '2',
      'copy/c.txt': 'c',
      'copy/tree/d/e.txt': 'e',
      'clash/a.txt': 'new a',
      'clash/b.txt': 'new b',
      'clash/c.txt': 'new c',
      'clash/to/a.txt': 'a',
      'clash/to/b.txt': 'b',
      'clash/to/c.txt': 'c',
      'type/alpha.txt': '',
      'type/beta.txt': '',
      'type/beta two.txt': '',
    })
  })

  async function openFolder(prefix: string, bucket = testBucket): Promise<FileBrowser> {
    const files = await openAt(`/files/${bucket}?prefix=${prefix}`)
    await files.page.getByRole('navigation', { name: 'Folder' }).waitFor()
    return files
  }

  /** The keys below a prefix with their contents. */
  async function contentOf(prefix: string, bucket = testBucket): Promise<Record<string, string>> {
    const target = `/${bucket}?list-type=2&prefix=${encodeURIComponent(prefix)}`
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    const keys = [...(await reply.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(
      ([, key = '']) => key,
    )
    const content: Record<string, string> = {}
    for (const key of keys) {
      const one = { method: 'GET', target: targetOf(bucket, key) }
      content[key.slice(prefix.length)] = await (await signedFetch(dashboard().gateway, one)).text()
    }
    return content
  }

  test('drags a selection to a folder and to the path above, and undoes it', async () => {
    const files = await openFolder('drag/')
    const { page } = files
    await files.select('a.txt', 'b.txt')
    await files.row('a.txt').dragTo(files.row('in'))
    await files.transfers.getByText('2 moved.').waitFor()
    // While the pointer is there, they stay.
    await files.transfers.hover()
    await files.name('a.txt').waitFor({ state: 'detached' })
    const moved = { 'in/a.txt': 'a', 'in/b.txt': 'b', 'in/old.txt': 'o', 'keep.txt': 'k' }
    assert.deepEqual(await contentOf('drag/'), moved)
    // What came to the old place meanwhile stays.
    await signedFetch(dashboard().gateway, {
      ...{ method: 'PUT', target: targetOf(testBucket, 'drag/a.txt'), body: 'newer' },
    })
    await files.transfers.getByRole('button', { name: 'Undo' }).click()
    await files.transfers.getByText('1 moved, 1 not moved.').waitFor()
    assert.deepEqual(await contentOf('drag/'), {
      ...{ 'a.txt': 'newer', 'b.txt': 'b', 'in/a.txt': 'a', 'in/old.txt': 'o', 'keep.txt': 'k' },
    })
    await files.name('in').click()
    await files.name('old.txt').waitFor()
    const above = page
      .getByRole('navigation', { name: 'Folder' })
      .getByText('drag', { exact: true })
    await page.keyboard.down('Control')
    await files.row('old.txt').dragTo(above)
    await page.keyboard.up('Control')
    await files.transfers.getByText('1 copied.').waitFor()
    const { 'old.txt': copied, 'in/old.txt': original } = await contentOf('drag/')
    assert.deepEqual([copied, original], ['o', 'o'])
  })

  test('cuts and pastes across buckets by keyboard, and undoes it by keyboard', async () => {
    const files = await openFolder('cut/')
    const { page } = files
    await files.select('one.txt', 'tree')
    await page.keyboard.press('Control+x')
    await files.row('one.txt').and(page.locator('[data-cut]')).waitFor()
    await page.getByRole('button', { name: 'Paste 2 items' }).waitFor()
    assert.deepEqual(await barriers(page), [])
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true })
    await pages.getByRole('link', { name: 'Files' }).click()
    await page.getByRole('link', { name: publicBucket }).click()
    await page.getByRole('button', { name: 'Paste 2 items' }).waitFor()
    await page.locator('body').press('Control+v')
    await files.transfers.getByText('2 moved.').waitFor()
    assert.deepEqual(await contentOf('cut/'), {})
    const { 'one.txt': one, 'tree/two.txt': two } = await contentOf('', publicBucket)
    assert.deepEqual([one, two], ['1', '2'])
    await page.getByRole('button', { name: 'Paste 2 items' }).waitFor({ state: 'detached' })
    await page.locator('body').press('Control+z')
    await files.transfers.getByRole('region', { name: 'Undone: Moving 2 items' }).waitFor()
    await until(async () => Object.keys(await contentOf('cut/')).length === 2)
    assert.deepEqual(await contentOf('cut/'), { 'one.txt': '1', 'tree/two.txt': '2' })
  })

  test('copies to a folder, duplicates, and pastes beside the original', async () => {
    const files = await openFolder('copy/')
    const { page } = files
    await files.select('c.txt', 'tree')
    await files.choose('More actions', 'Copy to')
    await page.getByRole('textbox', { name: 'Folder' }).fill('copy/tree/')
    await files.press('Copy')
    await files.dialog.getByText('A folder cannot be copied into itself.').waitFor()
    await page.getByRole('textbox', { name: 'Folder' }).fill('copy/there')
    await files.press('Copy')
    await files.transfers.getByText('2 copied.').waitFor()
    // What an action adds is selected in place of what was.
    const selected = page.locator('[role="row"][aria-selected="true"]')
    const clear = page.getByRole('button', { name: 'Clear selection' })
    await selected.locator(tipped('there')).waitFor()
    await clear.click()
    await files.select('c.txt', 'tree')
    await files.choose('More actions', 'Duplicate')
    const areAdded = async (...names: readonly string[]) => {
      for (const name of names) await selected.locator(tipped(name)).waitFor()
    }
    await areAdded('c (2).txt', 'tree (2)')
    await clear.click()
    await files.select('c.txt', 'tree')
    await files.grid.focus()
    await page.keyboard.press('Control+c')
    await page.keyboard.press('Control+v')
    await areAdded('c (3).txt', 'tree (3)')
    assert.deepEqual(await contentOf('copy/'), {
      ...{ 'c.txt': 'c', 'c (2).txt': 'c', 'c (3).txt': 'c', 'there/c.txt': 'c' },
      ...{ 'there/tree/d/e.txt': 'e', 'tree/d/e.txt': 'e' },
      ...{ 'tree (2)/d/e.txt': 'e', 'tree (3)/d/e.txt': 'e' },
    })
    await page.keyboard.press('Control+z')
    await files.name('c (3).txt').waitFor({ state: 'detached' })
    await files.transfers.getByRole('region', { name: 'Undone: Duplicating 2 items' }).waitFor()
    await until(async () => Object.keys(await contentOf('copy/')).length === 6)
    const left = await contentOf('copy/')
    assert.deepEqual([left['c (3).txt'], left['tree (3)/d/e.txt']], [undefined, undefined])
  })

  test('asks for each conflict, with a choice for all', async () => {
    const files = await openFolder('clash/')
    const { page } = files
    await files.select('a.txt', 'b.txt', 'c.txt')
    await files.row('a.txt').dragTo(files.row('to'))
    await files.dialog.getByText('3 files with these names already exist').waitFor()
    assert.equal(await files.dialog.getByText(/^Existing: 1 byte, /).count(), 3)
    assert.equal(await files.dialog.getByText(/^Moved: 5 bytes, /).count(), 3)
    assert.deepEqual(await barriers(page), [])
    await page.getByLabel('For all files').selectOption('Skip')
    await page.getByLabel('For clash/to/a.txt').selectOption('Replace')
    await page.getByLabel('For clash/to/b.txt').selectOption('Keep both')
    await files.press('Continue')
    await files.transfers.getByText('2 moved, 1 not moved.').waitFor()
    assert.deepEqual(await contentOf('clash/'), {
      ...{ 'c.txt': 'new c', 'to/a.txt': 'new a', 'to/b (2).txt': 'new b' },
      ...{ 'to/b.txt': 'b', 'to/c.txt': 'c' },
    })
  })

  test('goes to the row whose name is typed', async () => {
    const files = await openFolder('type/')
    const { page } = files
    await files.name('alpha.txt').waitFor()
    await files.grid.focus()
    await page.keyboard.type('beta t')
    await files.row('beta two.txt').and(page.locator('[data-active]')).waitFor()
    assert.equal(await page.locator('[aria-selected="true"]').count(), 0)
  })

  test('uploads what is pasted from another program', async () => {
    const files = await openFolder('paste/')
    const { page } = files
    await page
      .getByText('Drop files and folders here')
      .or(page.getByText('does not exist'))
      .first()
      .waitFor()
    await page.evaluate(`
      const clipboardData = new DataTransfer()
      clipboardData.items.add(new File(['note'], 'note.txt'))
      clipboardData.items.add(new File(['picture'], 'image.png', { type: 'image/png' }))
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    `)
    await files.name('note.txt').waitFor()
    await until(async () => Object.keys(await contentOf('paste/')).length === 2)
    const [note, picture = ''] = Object.keys(await contentOf('paste/')).toReversed()
    assert.equal(note, 'note.txt')
    assert.match(picture, /^Pasted \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png$/)
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
