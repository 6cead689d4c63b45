import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'

const manyCount = 450

describe('Search in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    const { driveFolder } = dashboard().gateway
    const many = Array.from({ length: manyCount }, (_, index) => [`many/entry ${index}.txt`, ''])
    writeTree(join(driveFolder, testBucket), {
      ...Object.fromEntries(many),
      'trips/2024/Lisbon.jpg': 'x',
      'trips/2024/lisbon tickets/plane.pdf': 'x',
      'trips/notes.txt': 'xx',
      'top.txt': 'x',
    })
    writeTree(join(driveFolder, 'public'), { 'LISBON.md': 'x' })
  })

  async function openSearch(path: string): Promise<FileBrowser> {
    const files = await openAt(path)
    await files.grid.waitFor()
    await files.page.keyboard.press('Control+k')
    // The dialog is shown before its field has the focus: what is typed until then is lost.
    await field(files).and(files.page.locator(':focus')).waitFor()
    return files
  }

  const field = ({ dialog }: FileBrowser) => dialog.getByLabel('Part of a name')
  const found = ({ dialog }: FileBrowser) => dialog.getByRole('option')
  const place = ({ page }: FileBrowser) => decodeURIComponent(new URL(page.url()).search)

  test('finds names below the folder as they are typed, and opens one by keyboard', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=trips/`)
    await files.page.keyboard.type('lisb')
    // Who types slowly sees what a part of it finds: the same, as it happens.
    await files.dialog
      .locator('mark')
      .filter({ hasText: /^lisb$/ })
      .waitFor()
    await files.dialog.getByText('2 results', { exact: true }).waitFor()
    assert.deepEqual(await found(files).allInnerTexts(), [
      `Lisbon.jpg\n${testBucket}/trips/2024/\n\n1 byte`,
      `lisbon tickets\n${testBucket}/trips/2024/`,
    ])
    assert.deepEqual(await files.dialog.locator('mark').allInnerTexts(), ['Lisb', 'lisb'])
    assert.deepEqual(await barriers(files.page), [])
    await files.page.keyboard.press('ArrowDown')
    await files.page.keyboard.press('Enter')
    await files.name('lisbon tickets').waitFor()
    assert.equal(place(files), '?prefix=trips/2024/')
    await files.page
      .locator('[role="row"][aria-selected="true"]')
      .getByText('lisbon tickets')
      .waitFor()
    // The list has the keyboard.
    await files.page.keyboard.press('Enter')
    await files.name('plane.pdf').waitFor()
  })

  test('finds names everywhere, also from the list of buckets', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=trips/2024/`)
    await field(files).fill('LISBON')
    await files.dialog.getByText('2 results').waitFor()
    await files.dialog.getByText('Everywhere').click()
    await files.dialog.getByText('3 results').waitFor()
    await found(files).filter({ hasText: 'public/' }).click()
    await files.name('LISBON.md').waitFor()
    const buckets = await openAt('/files')
    await buckets.page.getByRole('button', { name: 'Search', exact: true }).click()
    await buckets.dialog.getByLabel('Part of a name').fill('plane')
    await buckets.dialog.getByRole('option').waitFor()
    await buckets.page.keyboard.press('Enter')
    await buckets.name('plane.pdf').waitFor()
  })

  test('selects a result of the open folder, whatever its filter is', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=trips/&filter=2024`)
    await field(files).fill('notes')
    await found(files).waitFor()
    await files.page.keyboard.press('Enter')
    await files.page.getByText('1 selected').waitFor()
    await files.page.locator('[role="row"][aria-selected="true"]').getByText('notes.txt').waitFor()
  })

  test('goes on after 200 results', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=many/`)
    await field(files).fill('entry')
    for (const count of [200, 400]) {
      await files.dialog.getByText(`${count} results in the first ${count} objects`).waitFor()
      await files.dialog.getByRole('button', { name: 'Continue the search' }).click()
    }
    await files.dialog.getByText(`${manyCount} results`, { exact: true }).waitFor()
    assert.equal(await found(files).count(), manyCount)
  })

  test('says that nothing is found, and why a search stops', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=trips/`)
    await field(files).fill('none such')
    await files.dialog.getByText('No name contains “none such”').waitFor()
    await files.page.route('**/-/api/search?*', (route) =>
      route.fulfill({ status: 503, json: { message: 'Too many searches are running.' } }),
    )
    await field(files).fill('lisbon')
    await files.dialog.getByText('Too many searches are running.').waitFor()
    await files.page.unroute('**/-/api/search?*')
    await files.press('Try again')
    await files.dialog.getByText('2 results').waitFor()
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
