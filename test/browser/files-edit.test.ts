import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('Editing the metadata of files in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({ COMPATIBILITY: 'aws' })
  const openAt = useFileBrowser(dashboard)

  async function put(key: string, headers: Readonly<Record<string, string>> = {}, body = 'text') {
    const target = targetOf(testBucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'PUT', target, headers, body })
    assert.equal(reply.status, 200)
  }

  before(async () => {
    const { driveFolder } = dashboard().gateway
    writeTree(join(driveFolder, testBucket), { 'many/by hand.css': 'a {}' })
    await put('one/é +%.txt', {
      ...{ 'content-type': 'text/plain', 'content-language': 'de', expires: 'never' },
      ...{ 'x-amz-meta-kept': 'yes', 'x-amz-meta-gone': 'x', 'x-amz-tagging': 'a=b' },
    })
    await put('one/raced.txt')
    await put('many/a.txt', { 'content-type': 'text/plain', 'x-amz-meta-own': 'a' })
    await put('many/b.html', { 'content-type': 'text/html', 'x-amz-meta-own': 'b' })
    await put('many/deep/er/c.txt', { 'cache-control': 'no-store' })
    await put('many/raced.txt')
  })

  async function openFolder(prefix: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=${prefix}`)
    await files.grid.waitFor()
    return files
  }

  async function fieldsOf(key: string): Promise<Headers> {
    const target = targetOf(testBucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    assert.equal(await reply.text(), key.endsWith('.css') ? 'a {}' : 'text')
    return reply.headers
  }

  test('a person edits a file, whose content, tags and other fields stay', async () => {
    const files = await openFolder('one/')
    await files.act('é +%.txt', 'Edit metadata…')
    const { dialog, page } = files
    const type = dialog.getByLabel('Content-Type')
    assert.equal(await type.inputValue(), 'text/plain')
    await type.and(page.locator(':focus')).waitFor()
    await type.fill('html')
    await dialog.getByText('Write a type and a subtype').waitFor()
    await type.fill('text/html; charset=utf-8')
    await dialog.getByRole('button', { name: 'Remove the line gone' }).click()
    await dialog.getByRole('button', { name: 'Add metadata' }).click()
    const added = dialog.getByRole('group', { name: 'Metadata' }).last()
    await added.getByLabel('Name').fill('kept')
    await dialog.getByText('This name is already used').waitFor()
    await added.getByLabel('Name').fill('Colour')
    await added.getByLabel('Value').fill('grün ')
    assert.deepEqual(await barriers(page), [])
    await files.press('Save')
    await dialog.waitFor({ state: 'detached' })

    const fields = await fieldsOf('one/é +%.txt')
    assert.equal(fields.get('content-type'), 'text/html; charset=utf-8')
    // Browsers send this field by themselves if a request says no-store.
    assert.equal(fields.get('cache-control'), null)
    assert.equal(fields.get('content-language'), 'de')
    assert.equal(fields.get('expires'), 'never')
    assert.equal(fields.get('x-amz-meta-kept'), 'yes')
    assert.equal(fields.get('x-amz-meta-gone'), null)
    assert.equal(fields.get('x-amz-meta-colour'), '=?UTF-8?B?Z3LDvG4g?=')
    assert.equal(fields.get('x-amz-tagging-count'), '1')
    await files.name('é +%.txt').click()
    await dialog.getByText('text/html; charset=utf-8').waitFor()
    await dialog.getByText('grün').waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('tags are beside the metadata, and are checked before they are saved', async () => {
    await put('one/tagged.txt', { 'x-amz-tagging': 'project=mars&state=draft' })
    const files = await openFolder('one/')
    const { dialog, page } = files
    await files.act('tagged.txt', 'Edit metadata…')
    await dialog.getByRole('group', { name: 'Tag project' }).getByLabel('Value').fill('venus & co')
    await dialog.getByText('Use letters, digits, spaces').waitFor()
    await dialog.getByRole('group', { name: 'Tag project' }).getByLabel('Value').fill('Vénus 2')
    await dialog.getByRole('button', { name: 'Remove the tag state' }).click()
    await dialog.getByRole('button', { name: 'Add tag' }).click()
    await dialog.getByRole('group').last().getByLabel('Name').fill('owner')
    await dialog.getByRole('group').last().getByLabel('Value').fill('Anna')
    assert.deepEqual(await barriers(page), [])
    const before = (await fieldsOf('one/tagged.txt')).get('last-modified')
    await files.press('Save')
    await dialog.waitFor({ state: 'detached' })
    const target = `${targetOf(testBucket, 'one/tagged.txt')}?tagging`
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    const text = await reply.text()
    assert.match(text, /<Key>owner<\/Key><Value>Anna<\/Value>.*<Key>project<\/Key><Value>Vénus 2</)
    assert.doesNotMatch(text, /draft/)
    // The file was not copied.
    assert.equal((await fieldsOf('one/tagged.txt')).get('last-modified'), before)
    await files.act('tagged.txt', 'Details')
    await dialog.getByText('Tag project').waitFor()
    await dialog.getByText('Vénus 2').waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('a version that is uploaded meanwhile is not mixed with what is shown', async () => {
    const files = await openFolder('one/')
    await files.act('raced.txt', 'Edit metadata…')
    await files.dialog.getByLabel('Cache-Control').fill('max-age=60')
    await put('one/raced.txt', { 'content-type': 'image/png' }, 'new')
    await files.press('Save')
    await files.dialog.getByRole('alert').getByText('It has changed since it was shown').waitFor()
    await put('one/raced.txt', { 'content-type': 'image/png' })
    const fields = await fieldsOf('one/raced.txt')
    assert.deepEqual([fields.get('content-type'), fields.get('cache-control')], ['image/png', null])
  })

  test('several files and folders get a field, and keep what is their own', async () => {
    const files = await openFolder('many/')
    const { dialog, transfers } = files
    await files.select('deep', 'a.txt', 'b.html', 'by hand.css', 'raced.txt')
    await files.choose('More actions', 'Edit metadata')
    await dialog.getByLabel('Change Cache-Control').check()
    await dialog.getByLabel('Cache-Control', { exact: true }).fill('max-age=60')
    for (const [name, value] of [['all', '1'], ['own']] as const) {
      await dialog.getByRole('button', { name: 'Add metadata' }).click()
      const row = dialog.getByRole('group').last()
      await row.getByLabel('Name').fill(name)
      if (value === undefined) await row.getByLabel('What to do').selectOption('Remove')
      else await row.getByLabel('Value').fill(value)
    }
    assert.deepEqual(await barriers(files.page), [])
    await put('many/raced.txt', {}, 'other')
    await files.press('Save')
    await transfers.getByText('4 files changed, 1 not changed.').waitFor()
    await transfers.getByText('many/raced.txt: It has changed since it was shown').waitFor()
    for (const [key, type] of [
      ['many/a.txt', 'text/plain'],
      ['many/b.html', 'text/html'],
      ['many/by hand.css', 'text/css'],
      ['many/deep/er/c.txt', 'text/plain;charset=UTF-8'],
    ] as const) {
      const fields = await fieldsOf(key)
      assert.deepEqual(
        [
          ...['content-type', 'cache-control', 'x-amz-meta-all', 'x-amz-meta-own'].map((name) =>
            fields.get(name),
          ),
        ],
        [type, 'max-age=60', '1', null],
      )
    }
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('what is made and uploaded has no header that the browser adds', async () => {
    const files = await openFolder('one/')
    const chooser = files.page.waitForEvent('filechooser')
    await files.choose('New', 'Upload files')
    const buffer = Buffer.from('text')
    await (await chooser).setFiles({ name: 'up.txt', mimeType: 'text/plain', buffer })
    await files.row('up.txt').waitFor()
    assert.equal((await fieldsOf('one/up.txt')).get('cache-control'), null)
    await files.choose('New', 'New folder')
    await files.dialog.getByLabel('Name').fill('made')
    await files.press('Create')
    await files.row('made').waitFor()
    const target = targetOf(testBucket, 'one/made/')
    const reply = await signedFetch(dashboard().gateway, { method: 'HEAD', target })
    assert.equal(reply.headers.get('cache-control'), null)
  })
})

describe('Editing metadata in a read-only bucket', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({ READ_ONLY: testBucket })
  const openAt = useFileBrowser(dashboard)

  test('says what to change, and saves nothing', async () => {
    writeTree(join(dashboard().gateway.driveFolder, testBucket), { 'a.txt': 'a' })
    const files = await openAt(`/files/${testBucket}`)
    await files.act('a.txt', 'Edit metadata…')
    await files.dialog.getByText('Remove it, or its drive, from READ_ONLY').waitFor()
    const save = files.dialog.getByRole('button', { name: 'Save' })
    assert.equal(await save.isDisabled(), true)
  })
})
