import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'

const manyCount = 450

/** A GIF file of one pixel. */
const pixel = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')

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
      'twin.gif': 'no picture',
      'lost/wreck.txt': 'x',
      'lost/wreck/inside.txt': 'x',
      'lost/other.txt': 'x',
    })
    writeTree(join(driveFolder, 'public'), { 'LISBON.md': 'x', 'twin.gif': pixel })
  })

  const place = ({ page }: FileBrowser) => decodeURIComponent(new URL(page.url()).search)

  /** Types a text in the open folder, and searches below it. */
  async function openSearch(path: string, text: string): Promise<FileBrowser> {
    const files = await openAt(path)
    await files.grid.waitFor()
    await files.page.keyboard.press('Control+k')
    await files.search.and(files.page.locator(':focus')).waitFor()
    await files.page.keyboard.type(`${text}\n`)
    return files
  }

  test('Enter searches below the folder; a result says where it is and has all actions', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=trips/`, 'lisb')
    const { page } = files
    await page.getByText('2 results', { exact: true }).waitFor()
    assert.equal(place(files), '?prefix=trips/&filter=lisb&in=below')
    assert.deepEqual(await files.names(), ['lisbon tickets', 'Lisbon.jpg'])
    await files.row('Lisbon.jpg').getByText(`${testBucket}/trips/2024/`).waitFor()
    assert.deepEqual(await barriers(page), [])
    // The list has the keyboard.
    await page.locator('[role="grid"]:focus').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('Lisbon 2024.jpg')
    await page.keyboard.press('Enter')
    await files.name('Lisbon 2024.jpg').waitFor()
    await files.name('Lisbon.jpg').waitFor({ state: 'detached' })
    await files.dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+z')
    await files.name('Lisbon.jpg').waitFor()
  })

  test('opens a folder, a file and the place of a result; Back leads to the results', async () => {
    const files = await openSearch(`/files/${testBucket}`, 'lisbon')
    const { page } = files
    await files.name('lisbon tickets').click()
    await files.name('plane.pdf').waitFor()
    await page.goBack()
    await files.name('Lisbon.jpg').click()
    await files.dialog.getByText(`s3://${testBucket}/trips/2024/Lisbon.jpg`).waitFor()
    await page.goBack()
    await files.dialog.waitFor({ state: 'detached' })
    await files.row('Lisbon.jpg').getByText(`${testBucket}/trips/2024/`).click()
    await page.locator('[role="row"][aria-selected="true"]').getByText('Lisbon.jpg').waitFor()
    assert.equal(place(files), '?prefix=trips/2024/')
  })

  test('goes from one result to the next, and back to the results', async () => {
    const files = await openSearch(`/files/${testBucket}`, 'LISBON')
    const { page, dialog } = files
    await page.getByText('Everywhere').click()
    await page.getByText('3 results').waitFor()
    await files.name('Lisbon.jpg').click()
    await dialog.getByText(`s3://${testBucket}/trips/2024/Lisbon.jpg`).waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('s3://public/LISBON.md').waitFor()
    await page.keyboard.press('ArrowLeft')
    await dialog.getByText(`s3://${testBucket}/trips/2024/Lisbon.jpg`).waitFor()
    await page.reload()
    await dialog.getByText(`s3://${testBucket}/trips/2024/Lisbon.jpg`).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('3 results').waitFor()
    assert.equal(place(files), '?filter=LISBON&in=all')
  })

  test('what was deleted among the results is not there after Back, and is there after an undo', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=lost/`, 'wreck')
    const { page } = files
    await page.getByText('2 results').waitFor()
    await files.select('wreck.txt')
    await page.keyboard.press('Delete')
    await files.name('wreck.txt').waitFor({ state: 'detached' })
    await page.getByText('1 object moved to the trash').first().waitFor()
    await files.name('wreck').click()
    await files.name('inside.txt').waitFor()
    await page.goBack()
    await files.name('wreck').waitFor()
    assert.deepEqual(await files.names(), ['wreck'])
    await files.search.fill('')
    await files.name('other.txt').waitFor()
    await files.grid.press('Control+z')
    await page.getByText('1 object restored').first().waitFor()
    await page.getByRole('button', { name: 'Clear selection' }).click()
    await files.search.fill('wreck')
    await files.search.press('Enter')
    await files.name('wreck.txt').waitFor()
    await page.getByText('2 results').waitFor()
  })

  test('shows a result whose name and folder another bucket also has', async () => {
    const { page, dialog } = await openAt(`/files?filter=twin&in=all&view=${testBucket}/twin.gif`)
    // The second time, what is known of the files is shown at once.
    for (let time = 1; time <= 2; time += 1) {
      await dialog.getByText('This file cannot be previewed').waitFor()
      await dialog.getByRole('button', { name: 'Next: twin.gif' }).click()
      await dialog.getByText('s3://public/twin.gif').waitFor()
      await dialog.getByRole('img', { name: 'twin.gif' }).waitFor()
      await page.keyboard.press('ArrowLeft')
    }
  })

  test('an action on a shown result is on its bucket, also before the results are there', async () => {
    const files = await openAt('/files')
    const { page, dialog } = files
    const found = Promise.withResolvers<void>()
    await page.route('**/-/api/search?*', async (route) => {
      await found.promise
      await route.continue().catch(() => undefined)
    })
    const refusal = { status: 400, json: { message: 'Not now.' } }
    await page.route('**/-/api/file-jobs', (route) =>
      route.request().method() === 'POST' ? route.fulfill(refusal) : route.continue(),
    )
    const query = '?filter=twin&in=all&view=public/twin.gif'
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}${query}`)
    await dialog.getByRole('img', { name: 'twin.gif' }).waitFor()
    const sent = page.waitForRequest(
      (one) => one.method() === 'POST' && one.url().endsWith('/file-jobs'),
    )
    await dialog.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
    const { bucket, paths } = (await sent).postDataJSON()
    assert.deepEqual([bucket, paths], ['public', ['twin.gif']])
    found.resolve()
    await page.unrouteAll({ behavior: 'wait' })
  })

  test('finds names everywhere, also from the list of buckets', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=trips/2024/`, 'LISBON')
    const { page } = files
    await page.getByText('2 results').waitFor()
    await page.getByText('Everywhere').click()
    await page.getByText('3 results').waitFor()
    // The choice that was pressed takes no text: keys do what they do in the list.
    await page.keyboard.press('/')
    await files.search.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('ArrowDown')
    await files.select('LISBON.md')
    await page.getByText('1 file found').or(page.getByText('3 results')).first().waitFor()
    await files.name('LISBON.md').click()
    await files.dialog.getByText('s3://public/LISBON.md').waitFor()
    const buckets = await openAt('/files')
    await buckets.search.waitFor()
    // The field shows this key.
    await buckets.page.keyboard.press('/')
    await buckets.search.and(buckets.page.locator(':focus')).waitFor()
    await buckets.page.keyboard.type('plane')
    await buckets.page.getByText('Enter', { exact: true }).waitFor()
    await buckets.search.press('Enter')
    await buckets.name('plane.pdf').waitFor()
    assert.equal(place(buckets), '?filter=plane&in=all')
  })

  test('an empty filter offers the search, and results are filtered by kind', async () => {
    const files = await openAt(`/files/${testBucket}?filter=lisbon`)
    const { page } = files
    await page.getByText(`No name in ${testBucket} contains “lisbon”`).waitFor()
    await page.getByRole('button', { name: 'Search in the folders below' }).click()
    await page.getByText('2 results').waitFor()
    await page.getByLabel('Kind').selectOption('Pictures')
    await page.getByText('1 result', { exact: true }).waitFor()
    assert.deepEqual(await files.names(), ['Lisbon.jpg'])
  })

  test('goes on after 200 results', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=many/`, 'entry')
    for (const count of [200, 400]) {
      await files.page.getByText(`${count} results in the first ${count} objects`).waitFor()
      await files.page.getByRole('button', { name: 'Continue the search' }).click()
    }
    await files.page.getByText(`${manyCount} results`, { exact: true }).waitFor()
    assert.equal(await files.grid.getAttribute('aria-rowcount'), String(manyCount + 1))
  })

  test('says that nothing is found, and why a search stops', async () => {
    const files = await openSearch(`/files/${testBucket}?prefix=trips/`, 'none such')
    const { page } = files
    await page.getByText('No name in trips and below contains “none such”').waitFor()
    await page.route('**/-/api/search?*', (route) =>
      route.fulfill({ status: 503, json: { message: 'Too many searches are running.' } }),
    )
    await files.search.fill('lisbon')
    await page.getByText('Too many searches are running.').waitFor()
    await page.unroute('**/-/api/search?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('2 results').waitFor()
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
