import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { presign } from '../../src/storage/s3/sigv4/presign.ts'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { barriers, tokenOf, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, propertyOf, useFileBrowser } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { samplePdf, samplePng, sampleWav, sampleWebm } from '../support/sample-media.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

const script = `
  document.title = 'it ran'
  document.title = 'it read ' + localStorage.getItem('bucketry.session')
  fetch('/-/api/status').then(() => { document.title = 'it asked' })
`

describe('Looking at files in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({}, () => startChromium({ showsPdf: true }))
  const openAt = useFileBrowser(dashboard)
  before(async () => {
    const browser = await startChromium()
    const film = await sampleWebm(browser)
    const image = await samplePng(browser, 40, 30)
    const typeless = await samplePng(browser, 20, 10)
    await browser.close()
    await Promise.all([
      put('view/1 image.png', image, { 'content-type': 'image/png' }),
      put('view/2 typeless.png', typeless, {
        'content-type': 'application/octet-stream',
      }),
      put('view/3 film.webm', film, { 'content-type': 'video/webm' }),
      put('view/4 sound.wav', sampleWav(2), { 'content-type': 'audio/wav' }),
      put('view/5 paper.pdf', samplePdf(), { 'content-type': 'application/pdf' }),
      put('view/6 long.txt', `<b id="bold">tag</b> é\n${'line\n'.repeat(60_000)}`, {
        'content-type': 'text/plain',
        'cache-control': 'no-cache',
        'x-amz-meta-colour': 'blue é',
      }),
      put('view/7 data.bin', Buffer.from([0, 1, 2, 3]), {
        'content-type': 'application/x-unknown',
      }),
      put('view/8 empty.txt', '', { 'content-type': 'text/plain' }),
      put('view/9 broken.png', 'no picture', { 'content-type': 'image/png' }),
      put('evil/page.html', `<title>quiet</title><script>${script}</script>`, {
        'content-type': 'text/html',
      }),
      put('evil/page.xhtml', xhtml, { 'content-type': 'application/xhtml+xml' }),
      put('evil/picture.svg', svg, { 'content-type': 'image/svg+xml' }),
    ])
  })

  const xhtml = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>quiet</title></head><body><script>${script}</script></body></html>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="20"><title>quiet</title><script>${script}</script></svg>`

  async function put(
    key: string,
    body: string | Buffer<ArrayBuffer>,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const latin1 = Object.entries(headers).map(([name, value]) => [
      name,
      Buffer.from(value).toString('latin1'),
    ])
    const reply = await signedFetch(dashboard().gateway, {
      ...{ method: 'PUT', target: targetOf(testBucket, key), body },
      headers: Object.fromEntries(latin1),
    })
    assert.equal(reply.status, 200)
  }

  async function openFile(key: string): Promise<FileBrowser> {
    const [folder, name = ''] = key.split('/')
    const files = await openAt(`/files/${testBucket}?prefix=${folder}/`)
    await files.name(name).click()
    await files.dialog.waitFor()
    return files
  }

  test('shows images, including those with a generic type', async () => {
    const files = await openFile('view/1 image.png')
    const picture = files.dialog.locator('img')
    const width = () => propertyOf(picture, 'naturalWidth')
    await picture.waitFor()
    await until(async () => (await width()) === 40)
    assert.deepEqual(await barriers(files.page), [])
    await files.page.keyboard.press('ArrowRight')
    await files.dialog.getByText('application/octet-stream').waitFor()
    await until(async () => (await width()) === 20)
    await files.page.keyboard.press('ArrowLeft')
    await until(async () => (await width()) === 40)
    await files.page.keyboard.press('Escape')
    await files.dialog.waitFor({ state: 'detached' })
  })

  test('after a deletion the next file is shown, after the last one the list', async () => {
    const keys = ['gone/1.txt', 'gone/2.txt', 'gone/3.txt']
    for (const key of keys) await put(key, `text of ${key}`, { 'content-type': 'text/plain' })
    const files = await openFile('gone/1.txt')
    const { page, dialog } = files
    await dialog.getByText('text of gone/1.txt').waitFor()
    assert.equal(await page.title(), '1.txt · Bucketry')
    await page.keyboard.press('Delete')
    await dialog.getByText('text of gone/2.txt').waitFor()
    await page.keyboard.press('F2')
    await page.getByLabel('New name').fill('renamed.txt')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'renamed.txt' }).waitFor()
    await dialog.getByText('text of gone/2.txt').waitFor()
    await dialog.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
    await dialog.getByText('text of gone/3.txt').waitFor()
    await page.keyboard.press('Delete')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('view'), null)
  })

  test('a dialog lies over the viewer, which is there again after it', async () => {
    const files = await openFile('view/1 image.png')
    const { page } = files
    const viewer = page.getByRole('dialog', { name: '1 image.png', exact: true })
    await viewer.getByRole('button', { name: 'Share', exact: true }).click()
    await page.getByRole('dialog', { name: /^Share/ }).waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: /^Share/ }).waitFor({ state: 'detached' })
    await viewer.getByRole('button', { name: 'More actions' }).click()
    await files.menuHasFocus()
    await page.keyboard.press('Escape')
    await page.getByRole('menu').waitFor({ state: 'detached' })
    await viewer.waitFor()
    await page.keyboard.press('Escape')
    await viewer.waitFor({ state: 'detached' })
  })

  test('details open from the list, without the file', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=view/`)
    const { page, dialog } = files
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      if (request.method() === 'GET') asked.push(pathname + search)
    })
    await files.act('3 film.webm', 'Details')
    await dialog.getByText('s3://photos/view/3 film.webm').waitFor()
    await dialog.getByText('video/webm').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Control+i')
    await dialog.getByText('s3://photos/view/3 film.webm').waitFor()
    assert.deepEqual(
      asked.filter((path) => path.endsWith('film.webm')),
      [],
    )
  })

  test('the details stay closed, and the picture has their room', async () => {
    const files = await openFile('view/1 image.png')
    const { page, dialog } = files
    const panel = dialog.getByRole('region', { name: 'Details' })
    await panel.waitFor()
    await dialog.getByRole('button', { name: 'Details' }).click()
    await panel.waitFor({ state: 'detached' })
    await page.reload()
    await dialog.getByRole('img', { name: '1 image.png' }).waitFor()
    assert.equal(await panel.count(), 0)
    await page.keyboard.press('i')
    await panel.waitFor()
  })

  test('says which file may not be read, and what to change', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=view/`)
    const { page } = files
    const message = 'Could not read photos/x (EACCES). Check the permissions.'
    const answer = {
      status: 403,
      contentType: 'application/xml',
      body: `<Error><Code>AccessDenied</Code><Message>${message}</Message></Error>`,
    }
    const isObject = ({ pathname }: URL) => pathname.startsWith(`/${testBucket}/view/`)
    await page.route(isObject, (route) => {
      // A folder or a file that may not be read: the details of the image are known.
      const isImage = route.request().url().includes('image.png')
      const isHead = route.request().method() === 'HEAD'
      return isImage && isHead ? route.continue() : route.fulfill(answer)
    })
    for (const name of ['1 image.png', '6 long.txt']) {
      await files.name(name).click()
      await files.dialog.getByRole('alert').getByText('The file could not be opened').waitFor()
      await files.dialog.getByRole('alert').getByText(message).first().waitFor()
      await page.keyboard.press('Escape')
      await files.dialog.waitFor({ state: 'detached' })
    }
    await page.unroute(isObject)
  })

  test('offers the download of an invalid image', async () => {
    const files = await openFile('view/9 broken.png')
    await files.dialog.getByText('This file cannot be previewed').waitFor()
    const download = files.page.waitForEvent('download')
    await files.dialog.getByRole('button', { name: 'Download 10 bytes' }).click()
    assert.equal((await download).suggestedFilename(), '9 broken.png')
  })

  for (const [name, element] of [
    ['3 film.webm', 'video'],
    ['4 sound.wav', 'audio'],
  ] as const) {
    test(`${element} is played`, async () => {
      const files = await openFile(`view/${name}`)
      const media = files.dialog.locator(element)
      await media.waitFor()
      await media.evaluate(async (found) => {
        const player = found as unknown as { muted: boolean; play(): Promise<void> }
        player.muted = true
        await player.play()
      })
      await until(async () => Number(await propertyOf(media, 'currentTime')) > 0)
    })
  }

  test('opens a PDF in a frame', async () => {
    const files = await openFile('view/5 paper.pdf')
    const { page } = files
    await files.dialog.locator('iframe').waitFor()
    const isShown = () =>
      page.frames().some((frame) => /^(chrome-extension|blob):/.test(frame.url()))
    await until(isShown)
  })

  test('shows the first page of a text, with the metadata of the file', async () => {
    const files = await openFile('view/6 long.txt')
    const { dialog } = files
    await dialog.locator('pre').getByText('<b id="bold">tag</b> é').waitFor()
    assert.equal(await files.page.locator('#bold').count(), 0)
    await dialog.getByText('Page 1 of 2, 293 KiB').waitFor()
    for (const detail of ['no-cache', 'blue é', 's3://photos/view/6 long.txt', '293 KiB']) {
      await dialog.getByText(detail, { exact: true }).waitFor()
    }
    assert.deepEqual(await barriers(files.page), [])
  })

  test('says that a file cannot be previewed', async () => {
    const files = await openFile('view/7 data.bin')
    await files.dialog.getByText('This file cannot be previewed').waitFor()
    await files.page.keyboard.press('ArrowRight')
    await files.dialog.getByText('The file is empty').waitFor()
  })

  test('shows HTML as source and SVG as an image', async () => {
    const files = await openFile('evil/page.html')
    await files.dialog.locator('pre').getByText('<title>quiet</title>').waitFor()
    await files.page.keyboard.press('ArrowRight')
    await files.dialog.locator('pre').getByText('<html xmlns=').waitFor()
    await files.page.keyboard.press('ArrowRight')
    const picture = files.dialog.locator('img')
    await until(async () => (await propertyOf(picture, 'naturalWidth')) === 30)
    assert.doesNotMatch(await files.page.title(), /^it /)
  })

  for (const name of ['page.html', 'page.xhtml', 'picture.svg']) {
    test(`${name} opened from the dashboard cannot act as the dashboard`, async () => {
      const files = await openAt(`/files/${testBucket}?prefix=evil/`)
      const { page } = files
      const token = await tokenOf(page)
      assert.ok(token !== undefined)
      await files.act(name, 'Share link')
      await files.dialog.getByRole('tab', { name: 'For scripts' }).click()
      const link = page.getByRole('textbox', { name: 'Link', exact: true })
      await until(async () => (await link.inputValue()).includes('X-Amz-Signature'))
      const opened = await page.context().newPage()
      const asked: string[] = []
      opened.on('request', (request) => asked.push(new URL(request.url()).pathname))
      await opened.goto(await link.inputValue())
      assert.equal(await opened.evaluate('self.origin'), 'null')
      const read = `try { localStorage.length } catch (error) { error.name }`
      assert.equal(await opened.evaluate(read), 'SecurityError')
      assert.equal(await opened.evaluate(`document.querySelector('title').textContent`), 'quiet')
      assert.deepEqual(asked, [`/${testBucket}/evil/${name}`])
      assert.equal(await tokenOf(page), token)
      await opened.close()
    })
  }

  test('a preview has an address that survives a reload, and Back closes it', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=view/`)
    const { page, dialog } = files
    const place = () => decodeURIComponent(new URL(page.url()).search)
    await files.name('1 image.png').click()
    await dialog.getByRole('img', { name: '1 image.png' }).waitFor()
    assert.equal(place(), '?prefix=view/&view=1 image.png')
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('img', { name: '2 typeless.png' }).waitFor()
    assert.equal(place(), '?prefix=view/&view=2 typeless.png')
    await page.reload()
    await dialog.getByRole('img', { name: '2 typeless.png' }).waitFor()
    await page.goBack()
    await dialog.waitFor({ state: 'detached' })
    assert.equal(place(), '?prefix=view/')
    await page.goForward()
    await dialog.getByRole('img', { name: '2 typeless.png' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.equal(place(), '?prefix=view/')
  })

  test('the address of a preview opens it anywhere, even for a deleted file', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=view/&filter=1&view=8 empty.txt`)
    const { page, dialog } = files
    await dialog.getByText('The file is empty').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await files.name('1 image.png').waitFor()
    for (const name of ['gone.txt', '..']) {
      const query = `?prefix=view/&view=${name}`
      await page.goto(`${dashboard().gateway.url}/-/files/${testBucket}${query}`)
      await dialog.getByText('This file does not exist').waitFor()
    }
    assert.deepEqual(await barriers(page), [])
  })

  test('does not run an uploaded file as a script of the dashboard', async () => {
    await put('evil/script.js', 'globalThis.hasRun = true', { 'content-type': 'text/javascript' })
    const { host, credentials } = dashboard().gateway
    const source = presign({
      ...credentials,
      method: 'GET',
      origin: `http://${host}`,
      path: `/${testBucket}/evil/script.js`,
      expiresSeconds: 60,
      nowMs: Date.now(),
    })
    const page = await dashboard().open('/')
    const load = `(type) => new Promise((resolve) => {
      const element = document.createElement('script')
      element.onload = () => resolve('ran')
      element.onerror = () => resolve('refused')
      document.head.append(Object.assign(element, { type, src: ${JSON.stringify(source)} }))
    })`
    const outcomes = await page.evaluate(`(async () => {
      const load = ${load}
      const { status } = await fetch(${JSON.stringify(source)})
      return [status, await load('text/javascript'), await load('module')]
    })()`)
    assert.deepEqual(outcomes, [200, 'refused', 'refused'])
    assert.equal(await page.evaluate('globalThis.hasRun'), undefined)
    // Objects opened by earlier tests log that they are sandboxed.
    const refusals = dashboard()
      .complaints()
      .filter((text) => !text.includes('sandboxed'))
    assert.ok(refusals.length > 0)
    for (const text of refusals) assert.match(text, /evil\/script\.js.*script-src/s)
  })

  test('the Content-Security-Policy blocks nothing', () => {
    // Violations by objects are expected.
    const own = dashboard()
      .complaints()
      .filter((text) => !text.includes('sandboxed'))
    assert.deepEqual(own, [])
  })
})
