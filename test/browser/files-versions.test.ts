import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { useFileBrowser } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { ManagementClient, until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('Versions in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({ DRIVE: 'memory:', WORKERS: '1', BUCKET_CREATION: 'on' })
  const openAt = useFileBrowser(dashboard)
  before(async () => {
    const management = await ManagementClient.signIn(dashboard().gateway.url, dashboardPassword)
    await management.done('PATCH', `/buckets/${testBucket}`, { versioning: 'enabled' })
  })

  async function s3(method: 'GET' | 'PUT' | 'DELETE', key: string, body?: string) {
    const target = targetOf(testBucket, key)
    return signedFetch(dashboard().gateway, { method, target, ...(body && { body }) })
  }
  async function stored(key: string): Promise<string | undefined> {
    const reply = await s3('GET', key)
    return reply.status === 404 ? undefined : reply.text()
  }

  test('a former version is shown, downloaded, restored and deleted', async () => {
    for (const text of ['first text', 'second text', 'third text']) {
      await s3('PUT', 'history/notes.txt', text)
    }
    const files = await openAt(`/files/${testBucket}?prefix=history/&view=notes.txt`)
    const { page, dialog } = files
    const versions = dialog.getByRole('region', { name: 'Versions' })
    const rows = versions.getByRole('listitem')
    await dialog.getByText('third text').waitFor()
    await versions.getByText('10 bytes, current').waitFor()
    assert.equal(await rows.count(), 3)
    await rows.nth(2).getByRole('button', { name: 'Show the version' }).click()
    await dialog.getByText('first text').waitFor()
    await dialog.getByText('This is the version of').waitFor()
    assert.deepEqual(await barriers(page), [])

    const download = page.waitForEvent('download')
    await rows.nth(2).getByRole('button', { name: 'Download the version' }).click()
    assert.equal((await download).suggestedFilename(), 'notes.txt')

    await rows.nth(2).getByRole('button', { name: 'Restore the version' }).click()
    await page.getByText('The version was restored.').waitFor()
    await rows.nth(3).waitFor()
    assert.equal(await stored('history/notes.txt'), 'first text')
    await dialog.getByText('This is the version of').waitFor({ state: 'detached' })

    await rows
      .nth(1)
      .getByRole('button', { name: /^Delete the version/ })
      .click()
    const question = page.getByRole('dialog', { name: 'Delete this version permanently?' })
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    assert.ok(await versions.isVisible())
    await rows
      .nth(1)
      .getByRole('button', { name: /^Delete the version/ })
      .click()
    await question.getByRole('button', { name: 'Delete permanently' }).click()
    await rows.nth(3).waitFor({ state: 'detached' })
    assert.equal(await rows.count(), 3)
  })

  test('a locked version says until when, and cannot be deleted', async () => {
    const gateway = dashboard().gateway
    const put = (target: string, headers: Record<string, string>, body = '') =>
      signedFetch(gateway, { method: 'PUT', target, headers, body })
    const made = await put('/locked', { 'x-amz-bucket-object-lock-enabled': 'true' })
    assert.equal(made.status, 200)
    const lock = {
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'x-amz-object-lock-retain-until-date': '2999-03-01T12:00:00.000Z',
    }
    assert.equal((await put('/locked/a.txt', lock, 'kept')).status, 200)
    await put('/locked/a.txt', {}, 'free')
    await put('/locked/a.txt', {}, 'newest')
    const { dialog } = await openAt('/files/locked?view=a.txt')
    const rows = dialog.getByRole('region', { name: 'Versions' }).getByRole('listitem')
    await rows.nth(2).getByText('locked until Mar 1, 2999').waitFor()
    const remove = { name: /^Delete the version/ }
    await rows.nth(1).getByRole('button', remove).waitFor()
    await rows.nth(2).getByRole('button', { name: 'Restore the version' }).waitFor()
    assert.equal(await rows.nth(2).getByRole('button', remove).count(), 0)
  })

  test('the undo of a deletion restores exactly the deleted version', async () => {
    for (const key of ['undo/a.txt', 'undo/tree/b.txt', 'undo/tree/gone.txt'])
      await s3('PUT', key, key)
    await s3('PUT', 'undo/a.txt', 'newer')
    await s3('DELETE', 'undo/tree/gone.txt')
    const files = await openAt(`/files/${testBucket}?prefix=undo/`)
    await files.select('a.txt', 'tree')
    await files.page.keyboard.press('Delete')
    // Nothing is asked: its versions stay.
    await files.transfers.getByText('2 objects deleted.').waitFor()
    await files.page.locator('body').press('Control+z')
    await files.transfers.getByText('2 objects restored.').waitFor()
    assert.equal(await stored('undo/a.txt'), 'newer')
    assert.equal(await stored('undo/tree/b.txt'), 'undo/tree/b.txt')
    assert.equal(await stored('undo/tree/gone.txt'), undefined)
    await files.name('tree').waitFor()
  })

  test('deleted files and folders are shown in their folder, restored, and deleted permanently', async () => {
    for (const key of ['bin/a.txt', 'bin/b.txt', 'bin/c/1.txt', 'bin/c/2.txt', 'bin/stays.txt']) {
      await s3('PUT', key, key)
    }
    for (const key of ['bin/a.txt', 'bin/b.txt', 'bin/c/1.txt', 'bin/c/2.txt'])
      await s3('DELETE', key)
    const files = await openAt(`/files/${testBucket}?prefix=bin/`)
    const { page, dialog } = files
    await files.choose('Folder actions', 'Show deleted')
    await dialog.getByText('2 objects, 22 bytes').waitFor()
    assert.equal(await dialog.getByRole('listitem').count(), 3)
    assert.deepEqual(await barriers(page), [])
    await dialog.getByRole('button', { name: 'c/', exact: true }).click()
    await files.press('Restore 1.txt')
    await dialog.getByText('1.txt').waitFor({ state: 'detached' })
    await dialog.getByText('2.txt').waitFor()
    await files.press('Up from c/')
    await files.press('Restore c/')
    await dialog.getByRole('button', { name: 'c/', exact: true }).waitFor({ state: 'detached' })
    await files.press('Restore a.txt')
    await files.press('Delete b.txt permanently')
    const question = page.getByRole('dialog', { name: 'Delete permanently?' })
    await question.getByText('All versions of b.txt').waitFor()
    await question.getByRole('button', { name: 'Delete permanently' }).click()
    await dialog.getByText('Nothing to restore').waitFor()
    await page.keyboard.press('Escape')
    await files.name('a.txt').waitFor()
    await files.name('c').waitFor()
    await until(async () => (await stored('bin/c/2.txt')) === 'bin/c/2.txt')
  })

  test('the trash shows the deleted files of a bucket with versions', async () => {
    await s3('PUT', 'old/one.txt', 'one')
    await s3('DELETE', 'old/one.txt')
    const files = await openAt('/trash')
    const { page } = files
    await page.getByRole('combobox', { name: 'Bucket' }).selectOption(testBucket)
    await page.getByText('This bucket keeps versions').waitFor()
    await page.getByRole('button', { name: 'Restore old/' }).waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('button', { name: 'Restore old/' }).click()
    await page.getByRole('button', { name: 'Restore old/' }).waitFor({ state: 'detached' })
    assert.equal(await stored('old/one.txt'), 'one')
  })

  test('the settings of a bucket turn versions on, limit them, and suspend them', async () => {
    const page = await dashboard().openSignedIn('/buckets/public/settings')
    const save = async () => {
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
      await page.reload()
    }
    const keep = page.getByLabel('Keep former versions of files')
    assert.equal(await keep.isChecked(), false)
    await keep.click({ force: true })
    await page.getByLabel('But keep the newest of each file').fill('5')
    await page.getByText('1 day after they were replaced, except the newest 5').waitFor()
    assert.deepEqual(await barriers(page), [])
    await save()
    assert.equal(await keep.isChecked(), true)
    assert.equal(await page.getByLabel('But keep the newest of each file').inputValue(), '5')
    await keep.click({ force: true })
    await page.getByText('Suspended: existing versions stay').waitFor()
    await save()
    assert.equal(await keep.isChecked(), false)
    await page.getByText('Suspended: existing versions stay').waitFor()
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
