import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'

describe('Starred and recent files', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    writeTree(join(dashboard().gateway.driveFolder, testBucket), {
      'a/one.txt': 'one',
      'a/two.txt': 'two',
      'a/deep/three.txt': 'three',
    })
  })

  test('stars of files and folders have a view, follow a rename, and can be removed', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=a/`)
    const { page } = files
    await files.act('one.txt', 'Add to Starred')
    await files.row('one.txt').getByRole('img', { name: 'Starred' }).waitFor()
    await files.act('deep', 'Add to Starred')
    await files.row('deep').getByRole('img', { name: 'Starred' }).waitFor()
    await files.act('one.txt', 'Rename')
    await files.dialog.getByRole('textbox').fill('uno.txt')
    await page.keyboard.press('Enter')
    await files.name('uno.txt').waitFor()
    await files.dialog.waitFor({ state: 'detached' })
    await files.row('uno.txt').getByRole('img', { name: 'Starred' }).waitFor()
    // The server keeps them: another browser has them.
    const other = await dashboard().openSignedIn('/files')
    await other.getByRole('link', { name: 'Starred' }).click()
    await other.getByRole('heading', { name: 'Starred' }).waitFor()
    await other
      .getByRole('link', { name: `${testBucket}/a/` })
      .first()
      .waitFor()
    assert.equal(await other.getByRole('row').filter({ hasText: 'uno.txt' }).count(), 1)
    assert.equal(await other.getByRole('row').filter({ hasText: 'deep' }).count(), 1)
    await other.reload()
    await other.getByRole('row').filter({ hasText: 'uno.txt' }).waitFor()
    assert.deepEqual(await barriers(other), [])
    await page.goto(`${dashboard().gateway.url}/-/files?in=starred`)
    await files.act('uno.txt', 'Remove from Starred')
    await files.row('uno.txt').waitFor({ state: 'detached' })
    await files.name('deep').click()
    await files.name('three.txt').waitFor()
  })

  test('what was opened and uploaded lately has a view, the latest first', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=a/`)
    const { page } = files
    await files.name('two.txt').click()
    await files.dialog.getByText('two', { exact: true }).first().waitFor()
    await page.goto(`${dashboard().gateway.url}/-/files?in=recent`)
    await page.getByRole('heading', { name: 'Recent' }).waitFor()
    await files.name('two.txt').waitFor()
    await files.search.fill('nothing')
    await page.getByText('No name among the recent files contains').waitFor()
    await files.search.fill('TWO')
    await files.name('two.txt').click()
    await page.waitForURL(/in=recent.*view=.*two.txt/)
  })
})
