import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('Editing texts in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({ COMPATIBILITY: 'aws' })
  const openAt = useFileBrowser(dashboard)

  async function s3(
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    body?: string | Buffer<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const target = targetOf(testBucket, key)
    const request = { method, target, headers, ...(body !== undefined && { body }) }
    return signedFetch(dashboard().gateway, request)
  }
  const stored = async (key: string) => (await s3('GET', key)).text()

  async function edit(key: string): Promise<FileBrowser> {
    const [folder, name = ''] = key.split('/')
    const files = await openAt(`/files/${testBucket}?prefix=${folder}/`)
    await files.act(name, 'Edit')
    await fieldOf(files).waitFor()
    return files
  }
  const fieldOf = ({ page }: FileBrowser) => page.getByRole('textbox', { name: /^Text of/ })

  test('a person opens a file, edits and saves it, and everything else of it stays', async () => {
    await s3('PUT', 'docs/notes.md', '\ufeff# Old\r\n\r\ntext é\r\n', {
      ...{ 'content-type': 'text/markdown; charset=utf-8', 'cache-control': 'no-cache' },
      ...{ 'x-amz-meta-colour': 'blue', 'x-amz-meta-mtime': '1000000000' },
      ...{ 'x-amz-tagging': 'a=b%20c', 'x-amz-acl': 'private' },
    })
    const files = await openAt(`/files/${testBucket}?prefix=docs/&view=notes.md`)
    const { page, dialog } = files
    await dialog.getByRole('heading', { name: 'Old' }).waitFor()
    await files.press('Edit')
    const field = fieldOf(files)
    await field.and(page.locator(':focus')).waitFor()
    assert.equal(await field.inputValue(), '# Old\n\ntext é\n')
    await field.fill('# New\n\ntext ü\n')
    await dialog.getByText('Not saved').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.keyboard.press('Control+s')
    await dialog.getByText('Saved', { exact: true }).waitFor()
    const reply = await s3('GET', 'docs/notes.md')
    // fetch removes the byte order mark from a text.
    const bytes = Buffer.from(await reply.arrayBuffer())
    assert.equal(bytes.toString(), '\ufeff# New\r\n\r\ntext ü\r\n')
    const fields = ['content-type', 'cache-control', 'x-amz-meta-colour']
    const ofReaders = ['x-amz-tagging-count', 'x-bucketry-acl']
    assert.deepEqual(
      [...fields, ...ofReaders].map((name) => reply.headers.get(name)),
      ['text/markdown; charset=utf-8', 'no-cache', 'blue', '1', 'private'],
    )
    const seconds = Number(reply.headers.get('x-amz-meta-mtime'))
    assert.ok(Math.abs(seconds - Date.now() / 1_000) < 120)
    await page.getByRole('button', { name: 'Close', exact: true }).last().click()
    await dialog.getByRole('heading', { name: 'New' }).waitFor()
    assert.equal(await field.count(), 0)
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('asks before changes are lost, on Close, Escape and Back', async () => {
    await s3('PUT', 'guard/a.txt', 'old')
    const files = await edit('guard/a.txt')
    const { page } = files
    const field = fieldOf(files)
    await field.fill('mine')
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    const ways = [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Close', exact: true }).click(),
      () => page.evaluate('history.back()'),
    ]
    for (const leave of ways) {
      await leave()
      await question.getByRole('button', { name: 'Keep editing' }).click()
      await question.waitFor({ state: 'detached' })
      assert.equal(await field.inputValue(), 'mine')
    }
    await page.evaluate('history.back()')
    await question.getByRole('button', { name: 'Discard' }).click()
    await field.waitFor({ state: 'detached' })
    await files.row('a.txt').waitFor()
    assert.equal(await stored('guard/a.txt'), 'old')
  })

  test('a clash is asked: keep mine, take theirs, or a copy', async () => {
    for (const [answer, mine, copy] of [
      ['Keep mine: replace theirs', 'mine', undefined],
      ['Take theirs: discard mine', 'theirs', undefined],
      ['Save mine as a copy', 'theirs', 'mine'],
    ] as const) {
      await s3('PUT', 'clash/a.txt', 'old')
      const files = await edit('clash/a.txt')
      const { page } = files
      await fieldOf(files).fill('mine')
      await s3('PUT', 'clash/a.txt', 'theirs')
      await files.press('Save')
      const question = page.getByRole('dialog', { name: 'The file was changed by someone else' })
      await question.waitFor()
      assert.deepEqual(await barriers(page), [])
      assert.equal(await stored('clash/a.txt'), 'theirs')
      await question.getByRole('button', { name: answer }).click()
      await question.waitFor({ state: 'detached' })
      await until(async () => (await stored('clash/a.txt')) === mine)
      await until(async () => (await fieldOf(files).inputValue()) === mine)
      if (copy !== undefined) assert.equal(await stored('clash/a (my changes).txt'), copy)
    }
  })

  test('a file that was deleted meanwhile is created again, and no other is replaced', async () => {
    await s3('PUT', 'lost/a.txt', 'old')
    const files = await edit('lost/a.txt')
    await fieldOf(files).fill('mine')
    await s3('DELETE', 'lost/a.txt')
    await files.press('Save')
    const question = files.page.getByRole('dialog', { name: 'The file was deleted' })
    await question.getByRole('button', { name: 'Keep mine: create the file again' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal(await stored('lost/a.txt'), 'mine')
  })

  test('says which texts cannot be edited, and why', async () => {
    await s3('PUT', 'not/large.txt', Buffer.alloc(1024 * 1024 + 1, 'x'))
    await s3('PUT', 'not/latin1.txt', Buffer.from([0x66, 0xfc, 0x72]))
    const files = await openAt(`/files/${testBucket}?prefix=not/`)
    for (const [name, reason] of [
      ['large.txt', 'Texts up to 1 MiB can be edited here.'],
      ['latin1.txt', 'This is not a text in UTF-8 or UTF-16.'],
    ] as const) {
      await files.act(name, 'Edit')
      await files.dialog.getByText(reason).waitFor()
      await files.page.keyboard.press('Escape')
      await files.dialog.waitFor({ state: 'detached' })
    }
  })

  test('a new text file is written at once', async () => {
    await s3('PUT', 'new/other.txt', 'other')
    const files = await openAt(`/files/${testBucket}?prefix=new/`)
    await files.row('other.txt').waitFor()
    await files.choose('New', 'New text file')
    await files.dialog.getByLabel('Name').fill('list')
    await files.press('Create')
    await fieldOf(files).fill('milk\nbread\n')
    await files.press('Save')
    await files.dialog.getByText('Saved', { exact: true }).waitFor()
    assert.equal(await stored('new/list.txt'), 'milk\nbread\n')
    await files.page.keyboard.press('Escape')
    await files.row('list.txt').waitFor()
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})
