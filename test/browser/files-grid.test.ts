import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, beforeEach, describe, test } from 'node:test'
import type { Locator, Page, Request } from 'playwright-core'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { FileBrowser, propertyOf, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { colorAt, shownPicture } from '../support/picture-color.ts'
import { hugePng, sampleJpeg, samplePng, sampleWebm, turnedJpeg } from '../support/sample-media.ts'
import { photoBytes } from '../support/thumbnail-bytes.ts'
import { tipped } from '../support/tipped.ts'

const many = 60

describe('The grid of Files', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  let seen: Request[] = []
  before(async () => {
    const browser = await startChromium()
    const picture = await samplePng(browser, 600, 300)
    const names = Array.from({ length: many }, (_, index) => `many/${100 + index}.png`)
    const folder = join(dashboard().gateway.driveFolder, testBucket)
    writeTree(folder, {
      'photos/turned.jpg': await turnedJpeg(browser, 80, 40),
      'photos/turned-large.jpg': await turnedJpeg(browser, 3_000, 2_000),
      'camera/photo.jpg': photoBytes(await sampleJpeg(browser, 160, 120)),
      'photos/wide.png': picture,
      'photos/film.webm': await sampleWebm(browser),
      'photos/huge.png': hugePng(),
      'photos/broken.jpg': 'no picture',
      'photos/notes.txt': 'x',
      // Each has another time, and so another ETag.
      ...Object.fromEntries(names.map((name, index) => [name, withComment(picture, index)])),
      ...Object.fromEntries(
        Array.from('abcdefghijklmnopqrst', (name) => [`keys/${name}.txt`, 'x']),
      ),
      'keys/folder/inside.txt': 'x',
    })
    await browser.close()
  })
  beforeEach(() => {
    seen = []
  })

  async function openGrid(prefix: string, options = {}): Promise<FileBrowser> {
    const path = `/files/${testBucket}?prefix=${prefix}`
    const page = await dashboard().openSignedIn(path, options)
    page.context().on('request', (request) => void seen.push(request))
    const files = new FileBrowser(page)
    await page.getByRole('button', { name: 'Show as grid' }).click()
    await page.getByRole('gridcell').first().waitFor()
    return files
  }

  const tile = ({ page }: FileBrowser, name: string) =>
    page.getByRole('gridcell').filter({ has: page.locator(tipped(name)) })
  const pictureOf = (files: FileBrowser, name: string) => tile(files, name).locator(shownPicture)
  const sizeOf = async (picture: Locator) => [
    await propertyOf(picture, 'width'),
    await propertyOf(picture, 'height'),
  ]
  const readings = (folder: string) =>
    seen.filter((one) => one.url().includes(`/${testBucket}/${folder}`) && one.method() === 'GET')
  const stores = () => seen.filter((one) => one.method() === 'PUT')
  const activeName = ({ page }: FileBrowser) =>
    page.locator('[data-files-grid] [data-active] [data-tip]').first().getAttribute('data-tip')

  test('shows pictures as they stand, and a frame of a video; others keep their icon', async () => {
    const files = await openGrid('photos/')
    await pictureOf(files, 'wide.png').waitFor()
    assert.deepEqual(await sizeOf(pictureOf(files, 'wide.png')), [208, 104])
    await pictureOf(files, 'turned.jpg').waitFor()
    assert.deepEqual(await sizeOf(pictureOf(files, 'turned.jpg')), [40, 80])
    assert.match(await colorAt(pictureOf(files, 'turned.jpg'), 20, 10), /red/)
    assert.match(await colorAt(pictureOf(files, 'turned.jpg'), 20, 70), /blue/)
    await pictureOf(files, 'film.webm').waitFor()
    assert.deepEqual(await sizeOf(pictureOf(files, 'film.webm')), [64, 48])
    // Decoded at a quarter of its size.
    await pictureOf(files, 'turned-large.jpg').waitFor()
    assert.deepEqual(await sizeOf(pictureOf(files, 'turned-large.jpg')), [139, 208])
    assert.match(await colorAt(pictureOf(files, 'turned-large.jpg'), 70, 20), /red/)
    assert.match(await colorAt(pictureOf(files, 'turned-large.jpg'), 70, 190), /blue/)
    await until(async () => (await answered(stores())) === 4)
    // Both were read, and neither is a picture that this browser would decode.
    await until(async () => (await answered(readings('photos/huge.png'))) === 1)
    await until(async () => (await answered(readings('photos/broken.jpg'))) === 1)
    for (const name of ['huge.png', 'broken.jpg', 'notes.txt']) {
      assert.equal(await pictureOf(files, name).count(), 0, name)
    }
    assert.deepEqual(readings('photos/notes.txt'), [])
    assert.deepEqual(await barriers(files.page), [])
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('shows the preview that a camera has put into a photo, without reading the photo', async () => {
    const files = await openGrid('camera/')
    await pictureOf(files, 'photo.jpg').waitFor()
    assert.deepEqual(await sizeOf(pictureOf(files, 'photo.jpg')), [160, 120])
    assert.deepEqual(readings('camera/'), [])
    assert.deepEqual(stores(), [])
  })

  test('the list shows small pictures that the server has or finds, and reads no file', async () => {
    const page = await dashboard().openSignedIn('/files')
    page.context().on('request', (request) => void seen.push(request))
    const files = new FileBrowser(page)
    const { url } = dashboard().gateway
    await page.goto(`${url}/-/files/${testBucket}?prefix=camera/`)
    await files.row('photo.jpg').locator(shownPicture).waitFor()
    await page.goto(`${url}/-/files/${testBucket}?prefix=many/`)
    await files.row('100.png').waitFor()
    const asked = () => seen.filter((one) => one.url().includes('/-/api/thumbnails?'))
    await until(async () => (await answered(asked())) > 5)
    assert.equal(await files.row('100.png').locator('[data-file-kind="image"]').count(), 1)
    assert.deepEqual([...readings('camera/'), ...readings('many/'), ...stores()], [])
  })

  test('is remembered, and shows what was made without reading the objects again', async () => {
    const first = await openGrid('photos/')
    await pictureOf(first, 'turned.jpg').waitFor()
    seen = []
    await first.page.reload()
    await pictureOf(first, 'turned.jpg').waitFor()
    await pictureOf(first, 'film.webm').waitFor()
    // Another browser, which has nothing in its cache.
    const second = await openGrid('photos/')
    await pictureOf(second, 'turned.jpg').waitFor()
    await pictureOf(second, 'film.webm').waitFor()
    assert.deepEqual(await sizeOf(pictureOf(second, 'turned.jpg')), [40, 80])
    for (const name of ['turned.jpg', 'film.webm', 'wide.png']) {
      assert.deepEqual(readings(`photos/${name}`), [], name)
    }
    assert.deepEqual(stores(), [])
    await second.page.getByRole('button', { name: 'Show as list' }).click()
    await second.row('turned.jpg').waitFor()
    await second.page.reload()
    await second.row('turned.jpg').waitFor()
  })

  test('moves in two dimensions, selects, goes by letters, and opens', async () => {
    const files = await openGrid('keys/', { viewport: { width: 1280, height: 800 } })
    const { page } = files
    const columns = Number(await files.grid.getAttribute('aria-colcount'))
    assert.ok(columns >= 4 && columns <= 6, `${columns} columns`)
    const names = ['folder', ...Array.from('abcdefghijklmnopqrst', (name) => `${name}.txt`)]
    await files.grid.focus()
    const press = async (keys: readonly string[], expected: string | undefined) => {
      for (const key of keys) await page.keyboard.press(key)
      await until(async () => (await activeName(files)) === expected)
    }
    await press(['Home'], names[0])
    await press(['ArrowRight', 'ArrowRight'], names[2])
    await press(['ArrowDown'], names[2 + columns])
    await press(['ArrowLeft'], names[1 + columns])
    await press(['ArrowUp', 'ArrowUp'], names[1])
    await press(['End', 'ArrowDown', 'ArrowRight'], names.at(-1))
    await press(['q'], 'q.txt')
    await press(['Home', 'Shift+ArrowDown'], names[columns])
    await page.getByText(`${columns + 1} selected`).waitFor()
    await page.keyboard.press('Control+a')
    await page.getByText(`${names.length} selected`).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await files.dialog.getByText('s3://photos/keys/a.txt').waitFor()
    await page.keyboard.press('Escape')
    await files.grid.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Shift+F10')
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
    await files.menuHasFocus()
    await page.keyboard.press('Escape')
    await tile(files, 'folder').dblclick({ position: { x: 80, y: 60 } })
    await tile(files, 'inside.txt').waitFor()
    assert.deepEqual(await barriers(page), [])
  })

  test('takes the mouse as the list does: press, menu, order, and drag to a folder', async () => {
    const files = await openGrid('keys/')
    const { page } = files
    await tile(files, 'b.txt').click({ position: { x: 80, y: 60 } })
    await tile(files, 'd.txt').click({ position: { x: 80, y: 60 }, modifiers: ['Shift'] })
    await page.getByText('3 selected').waitFor()
    await tile(files, 'c.txt').hover()
    await tile(files, 'c.txt').getByRole('checkbox').click()
    await page.getByText('2 selected').waitFor()
    await tile(files, 'e.txt').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Edit metadata' }).waitFor()
    await files.menuHasFocus()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await until(async () => (await firstFile(page)) === 't.txt')
    await tile(files, 't.txt').dragTo(tile(files, 'folder'))
    await tile(files, 't.txt').waitFor({ state: 'detached' })
    await tile(files, 'folder').locator(tipped('folder')).click()
    await tile(files, 't.txt').waitFor()
  })

  test('reads a few pictures at a time, those in sight, and drops what is scrolled away', async () => {
    const held = new Map<string, () => void>()
    const page = await dashboard().openSignedIn('/files')
    page.context().on('request', (request) => void seen.push(request))
    const release = Promise.withResolvers<void>()
    await page.route(
      (url) => url.pathname.startsWith(`/${testBucket}/many/`),
      async (route) => {
        held.set(route.request().url(), () => undefined)
        await release.promise
        await route.continue().catch(() => undefined)
      },
    )
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=many/`)
    await page.getByRole('button', { name: 'Show as grid' }).click()
    await until(() => held.size === 2)
    const first = [...held.keys()]
    assert.match(first.join(), /100\.png/)
    const files = new FileBrowser(page)
    await files.grid.focus()
    await page.keyboard.press('End')
    // Those were given up: two of the end have their places.
    await until(() => held.size === 4)
    const last = [...held.keys()].slice(2)
    assert.doesNotMatch(last.join(), /\/1[0-2]\d\.png/)
    release.resolve()
    await pictureOf(files, `${99 + many}.png`).waitFor()
    assert.ok(readings('many/').length < many / 2, `${readings('many/').length} were read`)
  })

  test('keeps the icon of a file whose stored picture the browser cannot decode', async () => {
    const page = await dashboard().openSignedIn('/files')
    const files = new FileBrowser(page)
    let answers = 0
    await page.route('**/-/api/thumbnails?*', async (route) => {
      await route.fulfill({ contentType: 'image/webp', body: 'no picture' })
      answers += 1
    })
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=camera/`)
    await until(() => answers > 0)
    await page.getByRole('button', { name: 'Show as grid' }).click()
    await tile(files, 'photo.jpg').locator('[data-file-kind="image"]').waitFor()
  })

  test('makes no thumbnails for a person who saves data', async () => {
    const page = await dashboard().openSignedIn('/files')
    page.context().on('request', (request) => void seen.push(request))
    const saving = 'Object.defineProperty(navigator, "connection", { value: { saveData: true } })'
    await page.addInitScript(saving)
    await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}?prefix=photos/`)
    const files = new FileBrowser(page)
    await page.getByRole('button', { name: 'Show as grid' }).click()
    await tile(files, 'wide.png').waitFor()
    // Longer than a tile waits before it asks, in the time of the page.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 500)))
    assert.deepEqual(readings('photos/'), [])
    assert.equal(seen.filter((one) => one.url().includes('/-/api/thumbnails')).length, 0)
    assert.equal(await page.getByRole('gridcell').locator('canvas').count(), 0)
  })
})

/** Bytes behind the end of a PNG, which are ignored. */
function withComment(picture: Buffer, index: number): Buffer {
  return Buffer.concat([picture, Buffer.from(String(index))])
}

async function answered(requests: readonly Request[]): Promise<number> {
  const replies = await Promise.all(requests.map((request) => request.response()))
  return replies.filter((reply) => reply?.ok()).length
}

function firstFile(page: Page): Promise<string | null> {
  return page.getByRole('gridcell').nth(1).locator('[data-tip]').first().getAttribute('data-tip')
}
