import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { publicBucket } from '../support/contract-gateway.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { ManagementClient, until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('Changing files in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(() => {
    const { driveFolder } = dashboard().gateway
    const tree = Array.from({ length: 60 }, (_, index) => [
      `move/big/d${index % 3}/${index}.txt`,
      'x',
    ])
    writeTree(join(driveFolder, testBucket), {
      'rename/old é+%.txt': 'renamed',
      'rename/taken.txt': 'stays',
      'rename/folder/deep/leaf.txt': 'leaf',
      'rename/other/there.txt': 'there',
      ...Object.fromEntries(tree),
      'move/single.txt': 'single',
      'move/target/1.txt': 'x',
      'delete/a.txt': 'a',
      'delete/b.txt': 'b',
      'delete/tree/c/d.txt': 'd',
      'delete/keep.txt': 'keep',
      'share/a b+c%.txt': 'shared',
      'linked/folder/photo.txt': 'photo',
      'linked/target/1.txt': 'x',
      // The key dots/../x.txt.
      'dots/%2E%2E/x.txt': 'dots',
    })
    writeTree(join(driveFolder, publicBucket), { 'open é.txt': 'public', 'shown/a.txt': 'a' })
  })

  async function openFolder(prefix: string, bucket = testBucket): Promise<FileBrowser> {
    const files = await openAt(`/files/${bucket}?prefix=${prefix}`)
    await files.page.getByRole('navigation', { name: 'Folder' }).waitFor()
    return files
  }

  /** The object with this key; undefined if there is none. */
  async function stored(key: string, bucket = testBucket): Promise<string | undefined> {
    const target = targetOf(bucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    const text = await reply.text()
    if (reply.status === 404) return undefined
    assert.equal(reply.status, 200)
    return text
  }

  async function keysBelow(prefix: string, bucket = testBucket): Promise<readonly string[]> {
    const target = `/${bucket}?list-type=2&prefix=${encodeURIComponent(prefix)}`
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    return [...(await reply.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key)
  }

  test('the folders to move to are found behind more files than S3 lists at once', async () => {
    const many = Array.from({ length: 1_100 }, (_, index) => [`${index}.txt`, ''])
    writeTree(join(dashboard().gateway.driveFolder, testBucket, 'pick'), {
      ...Object.fromEntries(many),
      'behind/them/a.txt': 'a',
    })
    const files = await openFolder('rename/')
    const { dialog } = files
    await files.page.getByRole('button', { name: 'Actions for taken.txt' }).click()
    await files.page.getByRole('menuitem', { name: 'Copy to' }).click()
    await dialog.getByLabel('Folder').fill('pick/')
    await dialog.getByRole('button', { name: 'behind' }).click()
    await dialog.getByRole('button', { name: 'them' }).click()
    await dialog.getByText('This folder contains no folders.').waitFor()
    assert.equal(await dialog.getByLabel('Folder').inputValue(), 'pick/behind/them/')
    await dialog.getByRole('button', { name: 'Copy', exact: true }).click()
    await until(async () => (await stored('pick/behind/them/taken.txt')) === 'stays')
  })

  test('creates a folder, but not twice', async () => {
    const files = await openFolder('new/')
    const { page } = files
    for (const name of ['a//b', 'été 2026']) {
      await files.choose('New', 'New folder')
      await page.getByLabel('Name', { exact: true }).fill(name)
      await files.press('Create')
      if (name === 'a//b') {
        await files.dialog.getByText('Enter a name before and after each slash.').waitFor()
        assert.deepEqual(await barriers(page), [])
        await page.keyboard.press('Escape')
      }
    }
    await files.name('été 2026').waitFor()
    assert.equal(await stored('new/été 2026/'), '')
    await files.choose('New', 'New folder')
    await page.getByLabel('Name', { exact: true }).fill('été 2026')
    await files.press('Create')
    await files.dialog.getByText('A folder with this name already exists.').waitFor()
  })

  test('creates each level of a path, and asks about spaces around its names', async () => {
    const files = await openFolder('levels/')
    const { page } = files
    const create = async (name: string) => {
      await files.choose('New', 'New folder')
      await page.getByLabel('Name', { exact: true }).fill(name)
      await files.press('Create')
    }
    await create('2026/summer/beach')
    await files.name('2026').waitFor()
    await files.dialog.waitFor({ state: 'detached' })
    await create('2026/winter/')
    await files.dialog.waitFor({ state: 'detached' })
    assert.deepEqual(await keysBelow('levels/'), [
      'levels/2026/',
      'levels/2026/summer/',
      'levels/2026/summer/beach/',
      'levels/2026/winter/',
    ])
    await create(' photos/ of us')
    const question = files.dialog.getByRole('alert')
    await question.getByText('·photos/·of us').waitFor()
    assert.deepEqual(await barriers(page), [])
    await question.getByRole('button', { name: 'Remove the spaces' }).click()
    await question.waitFor({ state: 'detached' })
    await files.press('Create')
    await files.name('photos').waitFor()
    await files.dialog.waitFor({ state: 'detached' })
    await create('kept ')
    await files.press('Create with spaces')
    await files.name('kept·').waitFor()
    assert.equal(await stored('levels/photos/of us/'), '')
    assert.equal(await stored('levels/kept /'), '')
    await files.act('kept·', 'Rename')
    await page.getByLabel('New name').fill(' new')
    await page.keyboard.press('Enter')
    await question.getByText('·new').waitFor()
    await page.keyboard.press('Enter')
    await files.name('·new').waitFor()
  })

  test('renames a file by keyboard, never over another file', async () => {
    const files = await openFolder('rename/')
    const { page } = files
    await files.row('old é+%.txt').getByRole('checkbox').click()
    await page.keyboard.press('F2')
    const field = page.getByLabel('New name')
    // The dialog selects the name without its extension when the field gets the focus.
    await field.and(page.locator(':focus')).waitFor()
    await field.fill('taken.txt')
    await page.keyboard.press('Enter')
    await files.dialog.getByText('A file with this name already exists.').waitFor()
    assert.equal(await stored('rename/taken.txt'), 'stays')
    await field.fill('new ü?#&.txt')
    await page.keyboard.press('Enter')
    await files.name('new ü?#&.txt').waitFor()
    // A refresh may come between the copy and the removal.
    await files.name('old é+%.txt').waitFor({ state: 'detached' })
    assert.equal(await stored('rename/new ü?#&.txt'), 'renamed')
    assert.equal(await stored('rename/old é+%.txt'), undefined)
  })

  test('renames a folder with its contents, and merges into an existing folder only after confirmation', async () => {
    const files = await openFolder('rename/')
    const { page } = files
    await files.act('folder', 'Rename')
    await page.getByLabel('New name').fill('other')
    await page.keyboard.press('Enter')
    await files.dialog.getByText('A folder with this name already exists.').waitFor()
    await files.press('Merge')
    await files.transfers.getByText('1 moved.').waitFor()
    await files.name('folder').waitFor({ state: 'detached' })
    assert.deepEqual(await keysBelow('rename/other/'), [
      'rename/other/deep/leaf.txt',
      'rename/other/there.txt',
    ])
    assert.deepEqual(await keysBelow('rename/folder/'), [])
    // The folder was created by hand and is also deleted.
    assert.equal(
      existsSync(join(dashboard().gateway.driveFolder, testBucket, 'rename/folder')),
      false,
    )
  })

  test('says before a rename or a move that links keep the old path', async () => {
    const { url } = dashboard().gateway
    const management = await ManagementClient.signIn(url, dashboardPassword)
    const link = async (kind: 'file' | 'drop', path: string) => {
      const made = await management.done('POST', '/shares', { kind, bucket: testBucket, path })
      return new URL(made.url, url)
    }
    const photo = await link('file', 'linked/folder/photo.txt')
    const inbox = await link('drop', 'linked/folder/')
    const files = await openFolder('linked/')
    const { page } = files
    await files.act('folder', 'Copy to')
    await files.dialog.getByText('target').waitFor()
    assert.equal(await files.dialog.getByText('the old path').count(), 0)
    await files.press('Cancel')
    await files.act('folder', 'Move to')
    await files.dialog.getByText('1 link leads here and keeps the old path').waitFor()
    await files.press('Cancel')
    await files.act('folder', 'Rename')
    await files.dialog.getByText('1 link leads here and keeps the old path').waitFor()
    await files.dialog.getByText('1 upload link leads here and keeps the old path').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByLabel('New name').fill('renamed')
    await page.keyboard.press('Enter')
    await files.name('renamed').waitFor()
    await until(async () => (await fetch(photo)).status === 404)
    const sent = await fetch(`${inbox}/sent.txt`, { method: 'PUT', body: 'sent' })
    assert.equal(sent.status, 201)
    assert.deepEqual(await keysBelow('linked/folder/'), ['linked/folder/sent.txt'])
  })

  test('moves a key that browsers cannot request to one that they can', async () => {
    const files = await openFolder('dots/../')
    const { page } = files
    await files.name('x.txt').click()
    await page.getByText('Browsers cannot open a path with').waitFor()
    await files.select('x.txt')
    await files.choose('More actions', 'Move to')
    await page.getByRole('textbox', { name: 'Folder' }).fill('dots')
    await files.press('Move')
    await files.transfers.getByText('1 moved.').waitFor()
    assert.equal(await stored('dots/x.txt'), 'dots')
    assert.deepEqual(await keysBelow('dots/'), ['dots/x.txt'])
  })

  test('moves files and folders to another bucket and asks about name conflicts', async () => {
    const files = await openFolder('move/')
    const { page } = files
    await files.select('big', 'single.txt')
    await files.choose('More actions', 'Move to')
    await files.press('Move')
    await files.dialog.getByText('This is the current folder').waitFor()
    await page.getByRole('textbox', { name: 'Folder' }).fill('move/big')
    await files.press('Move')
    await files.dialog.getByText('A folder cannot be moved into itself.').waitFor()
    await page.getByLabel('Bucket', { exact: true }).selectOption(publicBucket)
    await page.getByRole('textbox', { name: 'Folder' }).fill('from photos')
    await signedFetch(dashboard().gateway, {
      method: 'PUT',
      target: targetOf(publicBucket, 'from photos/big/d0/3.txt'),
      body: 'theirs',
    })
    await files.press('Move')
    await files.dialog.getByText('A file with this name already exists').waitFor()
    await files.dialog.getByText(/^Existing: 6 bytes, /).waitFor()
    await files.dialog.getByText(/^Moved: \d+ bytes?, /).waitFor()
    assert.deepEqual(await barriers(page), [])
    await files.press('Keep both')
    await files.transfers.getByText('61 moved.').waitFor()
    assert.equal((await keysBelow('from photos/', publicBucket)).length, 62)
    assert.deepEqual(await keysBelow('move/big/'), [])
    assert.ok(await stored('from photos/big/d0/3 (2).txt', publicBucket))
    assert.equal(await stored('from photos/big/d0/3.txt', publicBucket), 'theirs')
    assert.equal(await stored('move/single.txt'), undefined)
    await files.name('single.txt').waitFor({ state: 'detached' })
  })

  test('shows the names and the size of what will be deleted, then deletes it', async () => {
    const files = await openFolder('delete/')
    const { page } = files
    await files.select('a.txt', 'b.txt', 'tree')
    await page.keyboard.press('Shift+Delete')
    await files.dialog.getByText('Delete 1 folder and 2 files?').waitFor()
    await files.dialog.getByText('3 objects, 3 bytes in total.').waitFor()
    assert.deepEqual(await barriers(page), [])
    await files.dialog.getByText('Files are deleted permanently.').waitFor()
    await files.press('Cancel')
    await files.dialog.waitFor({ state: 'detached' })
    assert.equal((await keysBelow('delete/')).length, 4)
    await page.keyboard.press('Shift+Delete')
    await files.dialog.waitFor()
    // A file that no longer exists does not count. The dialog is open, so that a refresh of the list
    // does not remove it from the selection first.
    const gone = targetOf(testBucket, 'delete/a.txt')
    await signedFetch(dashboard().gateway, { method: 'DELETE', target: gone })
    await files.press('Delete permanently')
    await files.transfers.getByText('2 objects deleted.').waitFor()
    for (const name of ['a.txt', 'b.txt', 'tree']) {
      await files.name(name).waitFor({ state: 'detached' })
    }
    assert.deepEqual(await files.names(), ['keep.txt'])
    assert.deepEqual(await keysBelow('delete/'), ['delete/keep.txt'])
  })

  test('shares a link that works without a session and expires', async () => {
    const files = await openFolder('share/')
    const { page } = files
    await files.act('a b+c%.txt', 'Share link')
    await files.dialog.getByRole('tab', { name: 'For scripts' }).click()
    await files.dialog.getByText('1 hour').click()
    const link = page.getByRole('textbox', { name: 'Link', exact: true })
    await until(async () => (await link.inputValue()).includes('X-Amz-Expires=3600'))
    assert.deepEqual(await barriers(page), [])
    const stranger = await dashboard().open('/')
    const reply = await stranger.goto(await link.inputValue())
    assert.equal(reply?.status(), 200)
    assert.equal(await stranger.locator('body').textContent(), 'shared')
    await files.dialog.getByText('Other', { exact: true }).click()
    await page.getByLabel('Duration').fill('8')
    await files.dialog.getByText('Enter a duration from 1 second to 7 days.').waitFor()
    await page.getByLabel('Duration').fill('3')
    await until(async () => (await link.inputValue()).includes('X-Amz-Expires=259200'))
  })

  test('offers the plain address in a public bucket', async () => {
    const files = await openFolder('', publicBucket)
    await files.act('open é.txt', 'Share link')
    const url = await files.page.getByRole('textbox', { name: 'Public link' }).inputValue()
    assert.equal(url, `${dashboard().gateway.url}${targetOf(publicBucket, 'open é.txt')}`)
    assert.equal(await (await fetch(url)).text(), 'public')
  })

  test('a link that receives files says that everybody sees them in a public bucket', async () => {
    const files = await openFolder('', publicBucket)
    await files.act('shown', 'Share link')
    await files.dialog.getByRole('tab', { name: 'Receive files' }).click()
    await files.dialog.getByText('This bucket is public').waitFor()
    await files.dialog.getByText('Everyone can list the names of all files').waitFor()
    assert.equal(await files.dialog.getByRole('textbox', { name: 'Public link' }).count(), 0)
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
