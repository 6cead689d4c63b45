import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, propertyOf, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { layoutProblems } from '../support/layout-problems.ts'
import { until } from '../support/management-client.ts'
import { samplePng } from '../support/sample-media.ts'

/** WCAG 2.2, "Target Size (Enhanced)". */
const fingerPx = 44

describe('Shared links', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(async () => {
    const browser = await startChromium()
    const picture = await samplePng(browser, 400, 300)
    await browser.close()
    writeTree(join(dashboard().gateway.driveFolder, testBucket, 'links'), {
      'once.txt': 'only once',
      'kept.txt': 'kept',
      'picture.png': picture,
      'album/one.png': picture,
      'album/notes.txt': 'notes',
      'album/inner/two.png': picture,
      'inbox/private.txt': 'private',
    })
  })

  /** Makes a link in the dialog that is open. */
  async function linkOf({ page }: FileBrowser): Promise<string> {
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    const link = page.getByRole('textbox', { name: 'Link', exact: true })
    await link.waitFor()
    const url = await link.inputValue()
    assert.match(url, /^http:\/\/[^/]+\/-\/s\/[\w-]{22}$/)
    return url
  }

  /** Opens a link as somebody without an account, and without scripts. */
  async function visit(url: string, options: object = {}): Promise<Page> {
    const path = new URL(url).pathname.slice('/-'.length)
    return dashboard().open(path, { javaScriptEnabled: false, ...options })
  }

  test('a link with a password and one download is made, used up and shown', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=links/`)
    const { page } = files
    await files.act('once.txt', 'Share link')
    await page.getByLabel('Downloads').fill('1')
    await page.getByLabel('Password', { exact: true }).fill('open sesame')
    await page.getByLabel('Note').fill('for Ada')
    const url = await linkOf(files)

    const visitor = await visit(url)
    await visitor.getByLabel('Password').fill('open sesam')
    await visitor.getByRole('button', { name: 'Continue' }).click()
    await visitor.getByText('This password is wrong').waitFor()
    await visitor.getByLabel('Password').fill('open sesame')
    await visitor.getByLabel('Password').press('Enter')
    await visitor.getByRole('heading', { name: 'once.txt' }).waitFor()
    await visitor.getByText('1 download left').waitFor()
    const downloading = visitor.waitForEvent('download')
    await visitor.getByRole('link', { name: 'Download' }).click()
    const download = await downloading
    assert.equal(download.suggestedFilename(), 'once.txt')
    await download.path()
    await visitor.reload()
    await visitor.getByText('This link has been used up').waitFor()

    await page.getByRole('dialog').getByRole('link', { name: 'Links' }).click()
    await page.getByText('for Ada').waitFor()
    await page.getByText('1 view, 1 of 1 download').waitFor()
    await page.getByText('used up').waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('a revoked link says so to its visitors', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=links/`)
    const { page } = files
    await files.act('picture.png', 'Share link')
    const url = await linkOf(files)
    const visitor = await visit(url)
    const picture = visitor.getByRole('img', { name: 'picture.png' })
    await picture.waitFor()
    await page.goto(`${dashboard().gateway.url}/-/shares`)
    const revoke = page.getByRole('button', { name: 'Revoke the link to picture.png' })
    await revoke.click()
    await page.getByRole('button', { name: 'Revoke the link', exact: true }).click()
    // Others may have ended before.
    await revoke.waitFor({ state: 'detached' })
    const ended = page.getByRole('heading', { name: 'Ended in the last 30 days' })
    await ended.waitFor()
    const gap = await ended.evaluate((heading) => {
      const card = heading.closest('section')
      const above = card?.previousElementSibling?.getBoundingClientRect().bottom ?? 0
      return (card?.getBoundingClientRect().top ?? 0) - above
    })
    assert.ok(gap >= 8, `the cards are ${gap} px apart`)
    await visitor.reload()
    await visitor.getByText('This link has ended').waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('a folder is seen with its pictures, and its files are downloaded', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=links/`)
    await files.act('album', 'Share link')
    const visitor = await visit(await linkOf(files))
    await visitor.getByRole('img', { name: 'one.png' }).waitFor()
    await visitor.getByRole('link', { name: 'inner' }).click()
    await visitor.getByRole('img', { name: 'two.png' }).waitFor()
    await visitor.getByRole('link', { name: 'album' }).click()
    const downloading = visitor.waitForEvent('download')
    await visitor.getByRole('link', { name: 'notes.txt' }).click()
    assert.equal((await downloading).suggestedFilename(), 'notes.txt')
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('the dialog has the links that exist, which are changed and seen as a QR code', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=links/`)
    const { page, dialog } = files
    await files.act('kept.txt', 'Share link')
    await page.getByLabel('Password', { exact: true }).fill('open sesame')
    const url = await linkOf(files)
    await dialog.getByRole('button', { name: 'Show the QR code' }).click()
    const code = page.getByRole('img', { name: 'QR code of the link to kept.txt' })
    await code.waitFor()
    assert.equal(decodeQR(await pixelsOf(await code.screenshot({ scale: 'css' }), page)), url)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })

    await files.act('kept.txt', 'Share link')
    await dialog.getByText('Existing links').waitFor()
    await dialog.getByRole('button', { name: 'Edit the link to kept.txt' }).click()
    const form = dialog.locator('form').filter({ has: page.getByRole('button', { name: 'Save' }) })
    await form.getByLabel('Title').fill('Your papers')
    await form.getByLabel('Downloads').fill('5')
    await form.getByLabel('Ends').selectOption('On a date')
    const ends = await form.getByLabel('Ends').boundingBox()
    const day = await form.getByLabel('Last day').boundingBox()
    assert.ok(ends !== null && day !== null)
    const gap = day.x - ends.x - ends.width
    assert.deepEqual([day.y, gap > 0 && gap < 20], [ends.y, true])
    await form.getByLabel('Ends').selectOption('Never')
    await form.getByLabel('Remove the password').check()
    await form.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('“Your papers”').waitFor()
    await dialog.getByText('0 of 5 downloads').waitFor()
    const visitor = await visit(url)
    await visitor.getByRole('heading', { name: 'Your papers' }).waitFor()
    await visitor.getByText('5 downloads left').waitFor()
    assert.equal(await visitor.getByText('until').count(), 0)
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('several files and folders are one link, with thumbnails', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=links/album/`)
    const { page } = files
    await files.row('one.png').getByRole('checkbox').click()
    await files.row('inner').getByRole('checkbox').click()
    await files.row('inner').getByRole('button', { name: 'Actions for' }).click()
    await page.getByRole('menuitem', { name: 'Share link' }).click()
    await files.dialog.getByText('Share 2 items').waitFor()
    assert.equal(await files.dialog.getByRole('tab').count(), 0)
    const url = await linkOf(files)
    await files.dialog.getByText('Only this computer can open this address').waitFor()
    await page.getByRole('button', { name: 'Show the QR code' }).waitFor()
    const making = page.getByText('Making thumbnails')
    await until(async () => (await making.count()) === 0)
    const visitor = await visit(url)
    await visitor.getByRole('heading', { name: '2 items' }).waitFor()
    assert.equal(await visitor.getByText('notes.txt').count(), 0)
    // The browser that made the link made the thumbnail.
    const picture = visitor.getByRole('img', { name: 'one.png' })
    await until(async () => {
      await visitor.reload()
      return (
        (await visitor.request.get(await sourceOf(picture))).headers()['content-type'] !==
        'image/svg+xml'
      )
    })
    await visitor.getByRole('link', { name: 'inner' }).click()
    await visitor.getByRole('img', { name: 'two.png' }).waitFor()
    await page.goto(`${dashboard().gateway.url}/-/shares`)
    await page.getByText('2 items').waitFor()
    // They are not a folder.
    const title = page.locator('b', { hasText: '2 items' }).locator('..')
    assert.equal(await title.getByText('folder', { exact: true }).count(), 0)
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('visitors send files to a folder that they do not see', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=links/`)
    const { page } = files
    await files.act('inbox', 'Share link')
    await files.dialog.getByRole('tab', { name: 'Receive files' }).click()
    await page.getByLabel('Files', { exact: true }).fill('2')
    await page.getByLabel('Largest file').fill('1')
    await page.getByLabel('Types').fill('.txt, PDF')
    const visitor = await visit(await linkOf(files), { javaScriptEnabled: true })
    await visitor.getByText('Only txt, pdf · up to 1 MiB each · 2 files left').waitFor()
    const file = (name: string, size: number) => ({
      ...{ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'x') },
    })
    await visitor
      .getByLabel('Choose files')
      .setInputFiles([file('private.txt', 9), file('large.txt', 1_100_000), file('odd.exe', 9)])
    const row = (name: string) => visitor.getByRole('listitem').filter({ hasText: name })
    await row('private.txt').getByText('sent').waitFor()
    await row('large.txt').getByText('This file is too large').waitFor()
    await row('odd.exe').getByText('This type of file is not accepted here').waitFor()
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=links/inbox/`)
    await files.name('private (2).txt').waitFor()
    await page.goto(`${dashboard().gateway.url}/-/shares`)
    await page.getByText('1 of 2 uploaded files').waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  for (const [name, options] of [
    ['light', { viewport: { width: 1280, height: 800 } }],
    ['dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ] as const) {
    test(`its pages have no axe-core finding (${name})`, async () => {
      const files = await openAt(`/files/${testBucket}?prefix=links/`)
      await files.act('picture.png', 'Share link')
      const open = await linkOf(files)
      await files.page.keyboard.press('Escape')
      await files.act('picture.png', 'Share link')
      await files.page.getByLabel('Password', { exact: true }).fill('open sesame')
      const locked = await linkOf(files)
      await files.page.keyboard.press('Escape')
      await files.act('album', 'Share link')
      const folder = await linkOf(files)
      await files.page.keyboard.press('Escape')
      await files.act('inbox', 'Share link')
      await files.dialog.getByRole('tab', { name: 'Receive files' }).click()
      const drop = await linkOf(files)
      const unknown = `${dashboard().gateway.url}/-/s/${'A'.repeat(22)}`
      const problems: string[] = []
      for (const [page, url] of [
        ['file', open],
        ['password', locked],
        ['folder', folder],
        ['drop', drop],
        ['unknown', unknown],
      ] as const) {
        const visitor = await visit(url, { ...options, javaScriptEnabled: true })
        await visitor.getByRole('heading').waitFor()
        const misfits = name === 'phone' ? await layoutProblems(visitor, fingerPx) : []
        problems.push(...(await barriers(visitor)), ...misfits)
        const pictures = process.env.STATE_PICTURES
        if (pictures)
          await visitor.screenshot({ path: join(pictures, `share ${page} ${name}.png`) })
      }
      assert.deepEqual(problems, [])
      assert.deepEqual(dashboard().complaints(), [])
    })
  }
})

/** The pixels of a screenshot, as the page decodes them. */
async function pixelsOf(png: Buffer, page: Page) {
  const { width, height, base64 } = await page.evaluate<{
    width: number
    height: number
    base64: string
  }>(`(async () => {
    const bytes = Uint8Array.from(atob('${png.toString('base64')}'), (letter) => letter.charCodeAt(0))
    const bitmap = await createImageBitmap(new Blob([bytes]))
    const { width, height } = bitmap
    const brush = new OffscreenCanvas(width, height).getContext('2d')
    brush.drawImage(bitmap, 0, 0)
    const { data } = brush.getImageData(0, 0, width, height)
    return { width, height, base64: btoa(Array.from(data, (byte) => String.fromCharCode(byte)).join('')) }
  })()`)
  return { width, height, data: new Uint8ClampedArray(Buffer.from(base64, 'base64')) }
}

async function sourceOf(picture: Locator): Promise<string> {
  return String(await propertyOf(picture, 'src'))
}
