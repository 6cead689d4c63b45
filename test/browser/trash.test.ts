import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('The trash of the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    writeTree(join(dashboard().gateway.driveFolder, testBucket), {
      'undo/a.txt': 'a',
      'undo/tree/b.txt': 'b',
      'bin/old.txt': 'old',
      'bin/other.txt': 'other',
      'trip/day 1/sea.jpg': 'sea',
      'trip/day 1/hill.jpg': 'hill',
      'trip/notes.txt': 'notes',
    })
  })

  async function stored(key: string): Promise<string | undefined> {
    const target = targetOf(testBucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    return reply.status === 404 ? undefined : reply.text()
  }

  test('a deletion can be undone by keyboard', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=undo/`)
    await files.select('a.txt', 'tree')
    await files.page.keyboard.press('Delete')
    // Nothing is asked: it can be undone.
    await files.transfers.getByText('2 objects moved to the trash.').waitFor()
    assert.deepEqual(
      [await stored('undo/a.txt'), await stored('undo/tree/b.txt')],
      [undefined, undefined],
    )
    await files.page.locator('body').press('Control+z')
    await files.transfers.getByText('2 objects restored.').waitFor()
    assert.deepEqual([await stored('undo/a.txt'), await stored('undo/tree/b.txt')], ['a', 'b'])
    await files.name('tree').waitFor()
  })

  test('restores from the trash beside what came meanwhile, and empties it', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=bin/`)
    const { page } = files
    await files.select('old.txt', 'other.txt')
    await page.keyboard.press('Delete')
    await files.transfers.getByText('2 objects moved to the trash.').waitFor()
    const target = targetOf(testBucket, 'bin/old.txt')
    await signedFetch(dashboard().gateway, { method: 'PUT', target, body: 'newer' })
    await page.getByRole('link', { name: 'Trash' }).first().click()
    await page.getByRole('combobox', { name: 'Bucket' }).selectOption(testBucket)
    await page.getByText('and 1 other').waitFor()
    await page
      .getByText(/Will be deleted permanently on \w+ \d+, \d{4}/)
      .first()
      .waitFor()
    // The address keeps the choice, and all buckets are shown without one.
    await page.reload()
    await page.getByText('and 1 other').waitFor()
    assert.equal(await page.getByRole('combobox', { name: 'Bucket' }).inputValue(), testBucket)
    await page.getByRole('combobox', { name: 'Bucket' }).selectOption('public')
    await page.getByText('The trash is empty').waitFor()
    await page.getByRole('combobox', { name: 'Bucket' }).selectOption('')
    await page.getByText(`from ${testBucket}/bin/`).waitFor()
    assert.deepEqual(await barriers(page), [])
    const restore = page.getByRole('button', { name: 'Restore', exact: true })
    assert.equal(await restore.getAttribute('data-tip'), `To ${testBucket}/bin/`)
    await restore.click()
    await files.dialog.getByText('Some names are taken').waitFor()
    await files.dialog.getByText(`In ${testBucket}/bin/, files with the name`).waitFor()
    await files.press('Restore under new names')
    await page.getByText('The trash is empty').waitFor()
    await files.transfers.getByText(`Restored 2 items to “${testBucket}/bin/”`).waitFor()
    assert.equal(await stored('bin/old.txt'), 'newer')
    assert.equal(await stored('bin/old (2).txt'), 'old')
    assert.equal(await stored('bin/other.txt'), 'other')
  })

  test('names folders as folders, finds a file in them, and restores or deletes it alone', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=`)
    const { page } = files
    await files.act('trip', 'Delete')
    await files.transfers.getByText('3 objects moved to the trash.').waitFor()
    await page.getByRole('link', { name: 'Trash' }).first().click()
    const row = page.getByRole('listitem').filter({ hasText: 'Folder with 3 files' })
    await row.getByText('trip', { exact: true }).waitFor()
    const search = page.getByRole('textbox', { name: 'Search the trash' })
    await search.fill('nothing like it')
    await page.getByText('Nothing in the trash has this name').waitFor()
    await search.fill('SEA')
    await page.waitForURL(/search=SEA/)
    await page.reload()
    assert.equal(await search.inputValue(), 'SEA')
    await row.getByRole('button', { name: 'Show files' }).click()
    await row.getByText('trip/day 1/sea.jpg').waitFor()
    assert.equal(await row.getByText('trip/notes.txt').count(), 0)
    assert.deepEqual(await barriers(page), [])
    await row.getByRole('button', { name: 'Restore trip/day 1/sea.jpg' }).click()
    // It is in the trash no more, and nothing else has the name.
    await page.getByText('Nothing in the trash has this name').waitFor()
    assert.equal(await stored('trip/day 1/sea.jpg'), 'sea')
    await search.fill('')
    const rest = page.getByRole('listitem').filter({ hasText: 'Folder with 2 files' })
    await rest.getByRole('button', { name: 'Show files' }).click()
    await rest.getByRole('button', { name: 'Delete trip/notes.txt permanently' }).click()
    await files.dialog.getByText('trip/notes.txt cannot be restored').waitFor()
    await files.press('Delete permanently')
    await page.getByText('Folder with 1 file,').waitFor()
    assert.equal(await stored('trip/day 1/hill.jpg'), undefined)
    await page.getByRole('button', { name: 'Restore', exact: true }).click()
    await page.getByText('The trash is empty').waitFor()
    assert.equal(await stored('trip/day 1/hill.jpg'), 'hill')
    assert.equal(await stored('trip/notes.txt'), undefined)
  })

  test('deletes permanently, at once or by emptying the trash', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=bin/`)
    const { page } = files
    await files.act('other.txt', 'Delete permanently')
    await files.dialog.getByText('This cannot be undone.').waitFor()
    await files.press('Delete permanently')
    await files.transfers.getByText('1 object deleted.').waitFor()
    await files.act('old.txt', 'Delete')
    await files.transfers.getByText('1 object moved to the trash.').waitFor()
    await page.getByRole('link', { name: 'Trash' }).first().click()
    await page.getByRole('combobox', { name: 'Bucket' }).selectOption(testBucket)
    await page.getByRole('button', { name: 'Empty the trash' }).click()
    await files.press('Delete permanently')
    await page.getByText('The trash is empty').waitFor()
    await until(async () => (await stored('bin/old.txt')) === undefined)
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
