import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { signIn, tokenOf, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

const mebibyte = 1024 * 1024

describe('Uploading in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  const disk = mkdtempSync(join(tmpdir(), 'bucketry-uploads-'))
  const big = randomBytes(60 * mebibyte)
  /** Two parts. */
  const middle = randomBytes(17 * mebibyte)
  const many = Array.from({ length: 130 }, (_, index) => `${index}.txt`)
  before(() => {
    writeTree(disk, {
      'big.bin': big,
      'middle.bin': middle,
      'kept/middle.bin': middle,
      'clash.txt': 'new',
      'photo.bin': randomBytes(300_000),
      'trip/a b+c%.txt': 'odd',
      'trip/é/ü.txt': 'letters',
      ...Object.fromEntries(many.map((name) => [`trip/many/${name}`, name])),
    })
    mkdirSync(join(disk, 'trip/empty'))
  })
  after(() => rmSync(disk, { recursive: true, force: true }))

  async function openFolder(prefix: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=${prefix}`)
    await files.page.getByText('does not exist').waitFor()
    return files
  }

  /** The object with this key. */
  async function stored(key: string): Promise<Buffer> {
    const target = targetOf(testBucket, key)
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    assert.equal(reply.status, 200, key)
    return Buffer.from(await reply.arrayBuffer())
  }

  /** The keys of unfinished uploads on the server. */
  async function openUploads(page: Page): Promise<readonly string[]> {
    const reply = await fetch(`${dashboard().gateway.url}/-/api/uploads`, {
      headers: { authorization: `Bearer ${await tokenOf(page)}` },
    })
    const { uploads } = (await reply.json()) as { uploads: { key: string }[] }
    return uploads.map(({ key }) => key)
  }

  /** The part requests of the page, by part number. */
  function partsOf(page: Page): readonly number[] {
    const parts: number[] = []
    page.on('request', (request) => {
      const number = new URL(request.url()).searchParams.get('partNumber')
      if (number !== null) parts.push(Number(number))
    })
    return parts
  }

  /** Delays the next request for the second part until the test releases it. */
  async function holdSecondPart(page: Page): Promise<{ readonly route: Promise<Route> }> {
    const held = Promise.withResolvers<Route>()
    const isSecond = (url: URL) => url.searchParams.get('partNumber') === '2'
    await page.route(isSecond, (route) => held.resolve(route), { times: 1 })
    return { route: held.promise }
  }

  test('uploads a dropped file of 60 MB unchanged, in ordered parts', async () => {
    const files = await openFolder('drop/')
    const parts = partsOf(files.page)
    await files.drop(join(disk, 'big.bin'))
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    await files.row('big.bin').getByText('60.0 MiB').waitFor()
    assert.deepEqual(parts, [1, 2, 3, 4])
    assert.equal(hashOf(await stored('drop/big.bin')), hashOf(big))
  })

  test('uploads keep the dates of their files, in one request and in parts', async () => {
    const files = await openFolder('dates/')
    for (const [name, day] of [
      ['middle.bin', '2003-05-06'],
      ['photo.bin', '2001-02-03'],
    ] as const) {
      utimesSync(join(disk, name), new Date(), new Date(`${day}T12:00:00Z`))
    }
    await files.drop(
      join(disk, 'middle.bin'),
      join(disk, 'photo.bin'),
      join(disk, 'trip/a b+c%.txt'),
    )
    await files.transfers.getByText('3 files uploaded', { exact: true }).waitFor()
    const dates = async () => {
      await files.row('middle.bin').getByText('May 06, 2003').waitFor()
      await files.row('photo.bin').getByText('Feb 03, 2001').waitFor()
    }
    await dates()
    // The newest first, then the oldest.
    await files.grid.getByRole('button', { name: 'Modified' }).dblclick()
    await files.page.reload()
    await dates()
    assert.deepEqual(await files.names(), ['photo.bin', 'middle.bin', 'a b+c%.txt'])
    await files.name('photo.bin').click()
    const { dialog } = files
    await dialog.getByText(/Feb(ruary)? 0?3, 2001/).waitFor()
    await dialog.getByText('Modified', { exact: true }).waitFor()
    // Shown as a date alone.
    assert.equal(await dialog.getByText('x-amz-meta-mtime').count(), 0)
  })

  test('a pause keeps uploaded parts, leaving the page needs confirmation, and the upload resumes', async () => {
    const files = await openFolder('pause/')
    const { page } = files
    const parts = partsOf(page)
    const second = await holdSecondPart(page)
    await files.drop(join(disk, 'middle.bin'))
    await second.route
    await files.transfers.getByRole('button', { name: 'Pause pause/middle.bin' }).click()
    await files.transfers.getByText('Paused at 16.0 MiB of 17.0 MiB').waitFor()
    const question = page.waitForEvent('dialog')
    await page.close({ runBeforeUnload: true })
    assert.equal((await question).type(), 'beforeunload')
    await (await question).dismiss()
    await page.getByRole('link', { name: 'Overview', exact: true }).click()
    await files.transfers.getByRole('button', { name: 'Resume pause/middle.bin' }).click()
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.deepEqual(parts, [1, 2, 2])
    assert.equal(hashOf(await stored('pause/middle.bin')), hashOf(middle))
  })

  test('retries a part automatically if the gateway is busy', async () => {
    const files = await openFolder('again/')
    const { page } = files
    const parts = partsOf(page)
    // The uploader's own retries are used up, so the queue has to restart the upload.
    const isSecond = (url: URL) => url.searchParams.get('partNumber') === '2'
    const slowDown = '<Error><Code>SlowDown</Code><Message>Later.</Message></Error>'
    const answer = { status: 503, contentType: 'application/xml', body: slowDown }
    await page.route(isSecond, (route) => route.fulfill(answer), { times: 4 })
    await files.drop(join(disk, 'middle.bin'))
    await files.transfers.getByText('Retrying soon').waitFor()
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.deepEqual(parts, [1, 2, 2, 2, 2, 2])
    assert.equal(hashOf(await stored('again/middle.bin')), hashOf(middle))
  })

  test('a failed upload whose parts are kept can be resumed or discarded', async () => {
    const files = await openFolder('full/')
    const { page, transfers } = files
    const parts = partsOf(page)
    const isSecond = (url: URL) => url.searchParams.get('partNumber') === '2'
    const full = '<Error><Code>QuotaExceeded</Code><Message>Full.</Message></Error>'
    const answer = { status: 403, contentType: 'application/xml', body: full }
    const failOnce = () => page.route(isSecond, (route) => route.fulfill(answer), { times: 1 })
    await failOnce()
    await files.drop(join(disk, 'middle.bin'))
    await transfers.getByText('The quota of the bucket is used up.').waitFor()
    await transfers.getByText('16.0 MiB of 17.0 MiB are kept: discard them').waitFor()
    await failOnce()
    await transfers.getByRole('button', { name: 'Resume full/middle.bin' }).click()
    await until(() => parts.length === 3)
    await transfers.getByRole('button', { name: 'Resume full/middle.bin' }).click()
    await transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.deepEqual(parts, [1, 2, 2, 2])
    assert.equal(hashOf(await stored('full/middle.bin')), hashOf(middle))
    for (const discard of ['Discard full/kept/middle.bin', 'Discard failed']) {
      await failOnce()
      await files.drop(join(disk, 'kept'))
      await transfers.getByText('are kept').waitFor()
      assert.equal((await openUploads(page)).includes('full/kept/middle.bin'), true)
      await transfers.getByRole('button', { name: discard }).click()
      await transfers.getByText('are kept').waitFor({ state: 'detached' })
      await until(async () => !(await openUploads(page)).includes('full/kept/middle.bin'))
    }
  })

  test('continues the upload in the same folder after an expired session', async () => {
    const files = await openFolder('session/')
    const { page } = files
    const second = await holdSecondPart(page)
    await files.drop(join(disk, 'middle.bin'))
    const route = await second.route
    await fetch(`${dashboard().gateway.url}/auth/logout`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await tokenOf(page)}` },
    })
    await route.continue()
    await page.getByText('Your session has ended.').waitFor()
    await signIn(page)
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.match(page.url(), /\/-\/files\/photos\?prefix=session\/$/)
    await files.row('middle.bin').waitFor()
    assert.equal(hashOf(await stored('session/middle.bin')), hashOf(middle))
  })

  test('continues the upload after another tab has signed out everywhere', async () => {
    const files = await openFolder('everywhere/')
    const { page } = files
    const second = await holdSecondPart(page)
    await files.drop(join(disk, 'middle.bin'))
    const route = await second.route
    const other = await page.context().newPage()
    await other.goto(`${dashboard().gateway.url}/-/settings`)
    await other.getByRole('button', { name: 'Sign out everywhere' }).click()
    const question = other.getByRole('dialog', { name: 'Sign out everywhere?' })
    await question.getByRole('button', { name: 'Sign out everywhere' }).click()
    await other.getByText('Your session has ended.').waitFor()
    await page.getByText('Your session has ended.').waitFor()
    await route.continue()
    await signIn(other)
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.equal(hashOf(await stored('everywhere/middle.bin')), hashOf(middle))
  })

  test('a cancelled upload leaves nothing behind', async () => {
    const files = await openFolder('cancel/')
    const { page } = files
    const second = await holdSecondPart(page)
    await files.drop(join(disk, 'middle.bin'))
    await second.route
    await files.transfers.getByRole('button', { name: 'Cancel all' }).click()
    await files.press('Cancel the upload')
    await files.transfers.waitFor({ state: 'detached' })
    await until(async () => !(await openUploads(page)).includes('cancel/middle.bin'))
  })

  test('uploads a folder with its contents, including empty folders', async () => {
    const files = await openFolder('folder/')
    const signed: string[] = []
    files.page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.startsWith('/-/api/presign')) signed.push(pathname)
    })
    await files.drop(join(disk, 'trip'))
    await files.transfers.getByText('133 files uploaded', { exact: true }).waitFor()
    assert.deepEqual(signed, [])
    // The dock folds itself when everything has arrived.
    await files.transfers.getByRole('button', { name: 'Expand transfers' }).click()
    const row = files.transfers.getByRole('listitem').filter({ hasText: 'a b+c%.txt' })
    await row.getByText('trip/', { exact: true }).waitFor()
    await files.transfers.getByRole('region', { name: 'Uploads' }).press('End')
    const nested = files.transfers.getByRole('listitem').filter({ hasText: 'ü.txt' })
    await nested.getByText('trip/é/', { exact: true }).waitFor()
    const target = `/${testBucket}?list-type=2&prefix=folder/`
    const reply = await signedFetch(dashboard().gateway, { method: 'GET', target })
    const keys = [...(await reply.text()).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key)
    const paths = ['a b+c%.txt', 'é/ü.txt', 'empty/', ...many.map((name) => `many/${name}`)]
    assert.deepEqual(keys.sort(), paths.map((path) => `folder/trip/${path}`).sort())
    assert.equal((await stored('folder/trip/é/ü.txt')).toString(), 'letters')
    await files.name('trip').click()
    await files.name('empty').waitFor()
    assert.deepEqual(await files.names(), ['é', 'empty', 'many', 'a b+c%.txt'])
  })

  test('says which file may not be written, and what to change', async () => {
    const files = await openFolder('denied/')
    const message = 'Could not write photos/denied/clash.txt (EACCES). Check the permissions.'
    const isObject = ({ pathname }: URL) => pathname === `/${testBucket}/denied/clash.txt`
    await files.page.route(isObject, (route) =>
      route.fulfill({
        status: 403,
        contentType: 'application/xml',
        body: `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
      }),
    )
    await files.drop(join(disk, 'clash.txt'))
    await files.transfers.getByText(message).waitFor()
  })

  test('does not replace a file that appeared during the upload without asking', async () => {
    const files = await openFolder('race/')
    const { page } = files
    const second = await holdSecondPart(page)
    await files.drop(join(disk, 'middle.bin'))
    const route = await second.route
    const target = targetOf(testBucket, 'race/middle.bin')
    await signedFetch(dashboard().gateway, { method: 'PUT', target, body: 'theirs' })
    await route.continue()
    await files.transfers.getByText('A file with this name already exists.').waitFor()
    assert.equal((await stored('race/middle.bin')).toString(), 'theirs')
    const replace = files.transfers.getByRole('button', { name: 'Replace race/middle.bin' })
    await replace.click()
    await files.dialog.getByText(/^Existing: 6 bytes, .+/).waitFor()
    await files.dialog.getByText(/^New: 17\.0 MiB, .+/).waitFor()
    await files.press('Skip')
    await replace.click()
    await files.press('Replace')
    await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    assert.equal(hashOf(await stored('race/middle.bin')), hashOf(middle))
  })

  test('uploads picked files', async () => {
    const files = await openFolder('picked/')
    const chooser = files.page.waitForEvent('filechooser')
    await files.choose('New', 'Upload files')
    await (await chooser).setFiles([join(disk, 'clash.txt'), join(disk, 'trip/a b+c%.txt')])
    await files.transfers.getByText('2 files uploaded', { exact: true }).waitFor()
    assert.equal((await stored('picked/a b+c%.txt')).toString(), 'odd')
  })

  for (const name of ['clash.txt', 'photo.bin', 'middle.bin']) {
    test(`stores no Cache-Control that the browser adds: ${name}`, async () => {
      const files = await openFolder(`plain-${name}/`)
      await files.drop(join(disk, name))
      await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
      const target = targetOf(testBucket, `plain-${name}/${name}`)
      const reply = await signedFetch(dashboard().gateway, { method: 'HEAD', target })
      assert.deepEqual([reply.status, reply.headers.get('cache-control')], [200, null])
    })
  }

  test('signing out while an upload runs asks first', async () => {
    const files = await openFolder('leaving/')
    const { page } = files
    const held = await holdSecondPart(page)
    await files.drop(join(disk, 'middle.bin'))
    await held.route
    await page.getByRole('button', { name: 'Sign out' }).click()
    await files.dialog.getByText('Signing out cancels them.').waitFor()
    await files.press('Cancel')
    await files.transfers.getByText('Uploading 0 of 1').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await files.press('Sign out')
    await page.getByLabel('Password', { exact: true }).waitFor()
    await signIn(page)
  })

  test('the transfers lie over the page, are one line when folded, and leave after a success', async () => {
    for (const viewport of [
      { width: 1280, height: 800 },
      { width: 400, height: 800 },
    ]) {
      const prefix = `rows ${viewport.width}/`
      const files = await openFolder(encodeURIComponent(prefix))
      await files.page.setViewportSize(viewport)
      const list = files.page.getByRole('region', { name: 'Contents' })
      const before = await list.boundingBox()
      await files.drop(join(disk, 'trip'))
      await files.transfers.getByText('files uploaded').waitFor()
      // While the pointer is there, they stay.
      await files.transfers.hover()
      assert.deepEqual(await list.boundingBox(), before)
      const box = await files.transfers.boundingBox()
      assert.ok(box !== null && before !== null)
      assert.ok(box.height < 64, `${box.height} px`)
      assert.ok(box.x >= 0 && box.x + box.width <= viewport.width)
      assert.ok(box.y + box.height <= viewport.height)
      await files.page.mouse.move(5, 5)
      await files.transfers.waitFor({ state: 'detached' })
    }
  })

  test('a second batch begins at 0 %', async () => {
    const files = await openFolder('batches/')
    const { page } = files
    await files.drop(join(disk, 'middle.bin'))
    await files.transfers.getByText('1 file uploaded').waitFor()
    const held = Promise.withResolvers<void>()
    await page.route(/batches\/clash\.txt/, async (route) => {
      await held.promise
      await route.continue()
    })
    await files.drop(join(disk, 'clash.txt'))
    await files.transfers.getByText('Uploading 0 of 1').waitFor()
    assert.equal(
      await files.transfers
        .getByRole('progressbar', { name: 'All uploads' })
        .getAttribute('aria-valuenow'),
      '0',
    )
    // One that comes before the end has a progress of its own.
    await files.drop(join(disk, 'photo.bin'))
    await files.transfers.getByRole('region', { name: '1 file uploaded · batches' }).waitFor()
    await files.transfers.getByRole('region', { name: 'Uploading 0 of 1 · batches' }).waitFor()
    held.resolve()
    await files.transfers.getByText('2 files uploaded').waitFor()
  })

  test('the Content-Security-Policy blocks nothing', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}
