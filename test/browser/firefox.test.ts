import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { absenceOfFirefox, startChromium, startFirefox } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { FileBrowser, propertyOf, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { samplePng, turnedJpeg } from '../support/sample-media.ts'

/** What a person does first, as test/browser/files-*.test.ts do it in Chromium in detail. */
describe('The dashboard in Firefox', { skip: absenceOfFirefox() }, () => {
  const home = mkdtempSync(join(tmpdir(), 'bucketry-firefox-'))
  after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))
  const dashboard = useDashboard({}, () => startFirefox(home))
  let bucketFolder: string
  before(async () => {
    bucketFolder = join(dashboard().gateway.driveFolder, testBucket)
    const chromium = await startChromium()
    const picture = await samplePng(chromium, 40, 30)
    const turned = await turnedJpeg(chromium, 3_000, 2_000)
    await chromium.close()
    writeTree(bucketFolder, {
      'work/a.txt': 'a text',
      'work/b.txt': 'bb',
      'work/inner/deep.txt': 'deep',
      'work/picture.png': picture,
      'work/turned.jpg': turned,
    })
  })

  async function openWork(): Promise<FileBrowser> {
    const files = new FileBrowser(
      await dashboard().openSignedIn(`/files/${testBucket}?prefix=work/`),
    )
    await files.name('a.txt').waitFor()
    return files
  }

  test('each page is shown, without barriers', async () => {
    const page = await dashboard().openSignedIn('/')
    for (const name of [
      'Overview',
      'Links',
      'Trash',
      'Activity',
      'Connect',
      'App keys',
      'Models',
      'Settings',
    ]) {
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      assert.deepEqual(await barriers(page), [], name)
    }
  })

  test('folders, previews and Back', async () => {
    const files = await openWork()
    assert.deepEqual(await barriers(files.page), [])
    await files.name('inner').click()
    await files.name('deep.txt').waitFor()
    await files.page.goBack()
    await files.name('picture.png').click()
    const picture = files.dialog.getByRole('img', { name: 'picture.png' })
    await until(async () => (await propertyOf(picture, 'naturalWidth')) === 40)
    await files.page.keyboard.press('ArrowLeft')
    await files.dialog.getByText('bb', { exact: true }).waitFor()
    await files.page.goBack()
    await files.dialog.waitFor({ state: 'hidden' })
  })

  test('uploads, renames, deletes and takes back by keyboard', async () => {
    const files = await openWork()
    const { page } = files
    const upload = { name: 'new.txt', mimeType: 'text/plain', buffer: Buffer.from('uploaded') }
    await page.locator('input[type="file"]').first().setInputFiles(upload)
    await files.name('new.txt').waitFor()
    await files.row('new.txt').click({ position: { x: 400, y: 10 } })
    await page.keyboard.press('F2')
    await files.dialog.getByLabel('New name').and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('renamed.txt\n')
    await files.name('renamed.txt').waitFor()
    await files.row('renamed.txt').click({ position: { x: 400, y: 10 } })
    await page.keyboard.press('Delete')
    await files.name('renamed.txt').waitFor({ state: 'detached' })
    // A refresh of the list may come before the end of the deletion, which is undone.
    await page.getByText('1 object moved to the trash').first().waitFor()
    await page.keyboard.press('Control+z')
    await files.name('renamed.txt').waitFor()
  })

  test('thumbnails in the grid', async () => {
    const files = await openWork()
    await files.page.getByRole('button', { name: 'Show as grid' }).click()
    const tile = files.page.getByRole('gridcell').filter({ hasText: 'picture.png' })
    await until(async () => (await propertyOf(tile.locator('canvas'), 'width')) === 40)
    const turned = files.page.getByRole('gridcell').filter({ hasText: 'turned.jpg' })
    await until(async () => (await propertyOf(turned.locator('canvas'), 'height')) === 208)
    assert.equal(await propertyOf(turned.locator('canvas'), 'width'), 139)
    assert.deepEqual(await barriers(files.page), [])
  })

  test('finds a file by a part of its name', async () => {
    const files = await openWork()
    await files.grid.focus()
    await files.page.keyboard.press('Control+k')
    await files.search.and(files.page.locator(':focus')).waitFor()
    await files.page.keyboard.type('EEP\n')
    await files.page.getByText('1 result', { exact: true }).waitFor()
    await files.name('deep.txt').waitFor()
  })

  test('nothing is complained of', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
