import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { BrowserContextOptions, Page } from 'playwright-core'
import {
  absenceOfChromium,
  absenceOfFirefox,
  startChromium,
  startFirefox,
} from '../support/chromium.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { propertyOf, writeTree } from '../support/file-browser.ts'
import { testBucket as bucket } from '../support/gateway-process.ts'
import { layoutProblems } from '../support/layout-problems.ts'
import { ManagementClient, until } from '../support/management-client.ts'
import { samplePdf, samplePng, sampleWebm } from '../support/sample-media.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

/** One load of 500 photos, scrolled to its end. */
const maxLoadBytes = 3_000_000
const home = mkdtempSync(join(tmpdir(), 'bucketry-firefox-'))
after(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }))

for (const [name, absence, start] of [
  ['Chromium', absenceOfChromium(), () => startChromium({ showsPdf: true })],
  ['Firefox', absenceOfFirefox(), () => startFirefox(home)],
] as const) {
  describe(`The page of a link in ${name}`, { skip: absence }, () => {
    const dashboard = useDashboard({}, start)
    let client: ManagementClient
    before(async () => {
      const { gateway } = dashboard()
      client = await ManagementClient.signIn(gateway.url, dashboardPassword)
      const chromium = await startChromium()
      const picture = await samplePng(chromium, 400, 300)
      const film = await sampleWebm(chromium)
      await chromium.close()
      writeTree(join(gateway.driveFolder, bucket), {
        'mixed/<b>one.png': picture,
        'mixed/two.png': picture,
        'mixed/film.webm': film,
        'mixed/notes.txt': 'notes',
        'mixed/inner/deep.txt': 'deep',
        'huge.png': Buffer.concat([picture, Buffer.alloc(9 * 1024 * 1024)]),
      })
      const headers = { 'content-type': 'application/pdf' }
      const request = { method: 'PUT', headers, body: samplePdf() }
      for (const key of ['mixed/paper.pdf', 'paper.pdf']) {
        const reply = await signedFetch(gateway, { ...request, target: targetOf(bucket, key) })
        assert.equal(reply.status, 200)
      }
    })

    async function visit(
      share: object,
      options: BrowserContextOptions = {},
    ): Promise<readonly [page: Page, shareId: string]> {
      const { url, shareId } = await client.done('POST', '/shares', { bucket, ...share })
      const page = await dashboard().open(new URL(url).pathname.slice('/-'.length), options)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return [page, shareId]
    }

    test('pictures, videos and PDF files open one after another over the page', async () => {
      const [page, shareId] = await visit({ kind: 'folder', path: 'mixed/' })
      const originals: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('/file?')) originals.push(request.url())
      })
      await page.reload()
      await page.getByText('1 folder, 5 files').waitFor()
      for (const [file, kind] of [
        ['inner', 'folder'],
        ['notes.txt', 'text'],
      ] as const) {
        const link = page.getByRole('link', { name: file, exact: true })
        await link.locator(`svg[data-file-kind="${kind}"]`).waitFor()
      }
      await until(() => page.evaluate('[...document.images].every(({ complete }) => complete)'))
      assert.deepEqual(originals, [])
      await page.getByRole('img', { name: '<b>one.png' }).click()
      const viewer = page.getByRole('dialog')
      await viewer.getByText('1 of 4').waitFor()
      await viewer.getByRole('img', { name: '<b>one.png' }).waitFor()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('dialog', { name: 'film.webm' }).locator('video').waitFor()
      await viewer.getByRole('button', { name: 'Next' }).click()
      await page.getByRole('dialog', { name: 'paper.pdf' }).locator('iframe').waitFor()
      await page.keyboard.press('ArrowRight')
      await viewer.getByRole('img', { name: 'two.png' }).waitFor()
      assert.deepEqual(await barriers(page), [])
      await viewer.getByRole('button', { name: 'Next' }).click()
      await viewer.getByText('1 of 4').waitFor()
      const downloading = page.waitForEvent('download')
      await viewer.getByRole('link', { name: 'Download' }).click()
      const download = await downloading
      assert.match(download.suggestedFilename(), /^.b.one\.png$/)
      // Back closes the viewer, and not the page.
      await page.goBack()
      await viewer.waitFor({ state: 'hidden' })
      await page.getByRole('img', { name: 'two.png' }).click()
      await page.keyboard.press('Escape')
      await viewer.waitFor({ state: 'hidden' })
      await page.getByRole('heading', { name: 'mixed' }).waitFor()
      const { shares } = await client.done('GET', '/shares')
      const share = shares.find((one: { shareId: string }) => one.shareId === shareId)
      assert.deepEqual([share.views, share.uses], [2, 1])
      assert.deepEqual(dashboard().complaints(), [])
    })

    test('a PDF is shown in the page, and a large picture is not loaded', async () => {
      const [paper] = await visit({ kind: 'file', path: 'paper.pdf' })
      const frame = paper.locator('iframe')
      await frame.waitFor()
      assert.match((await frame.getAttribute('src')) ?? '', /\/file\?inline$/)
      if (name === 'Chromium') {
        await until(() => paper.frames().some((one) => one.url().startsWith('chrome-extension:')))
      }
      const [huge] = await visit({ kind: 'file', path: 'huge.png' })
      const picture = huge.getByRole('img', { name: 'huge.png' })
      assert.match((await picture.getAttribute('src')) ?? '', /\/thumbnail\?/)
      assert.deepEqual(dashboard().complaints(), [])
    })

    test('times are those of the visitor', async () => {
      const expiresAt = '2099-06-30T22:30:00.000Z'
      const [page] = await visit(
        { kind: 'folder', path: 'mixed/', expiresAt },
        { timezoneId: 'Asia/Tokyo' },
      )
      await page.getByText(/until July 1, 2099 at 7:30\sAM/).waitFor()
      assert.equal(await page.getByText('UTC').count(), 0)
    })

    test('500 photos load as thumbnails', { timeout: 300_000 }, async () => {
      const { gateway } = dashboard()
      const chromium = await startChromium()
      const thumbnail = await sampleThumbnail(await chromium.newPage())
      await chromium.close()
      assert.ok(thumbnail.length > 4_000, String(thumbnail.length))
      for (let index = 0; index < 500; index++) {
        const key = `album/${1_000 + index}.jpg`
        const body = `photo ${index}`
        const target = targetOf(bucket, key)
        const reply = await signedFetch(gateway, { method: 'PUT', target, body })
        assert.equal(reply.status, 200)
        const etag = createHash('md5').update(body).digest('hex')
        const picture = thumbnail.toString('base64')
        await client.done('PUT', '/thumbnails', { bucket, key, etag, picture })
      }
      const [page] = await visit({ kind: 'folder', path: 'album/' })
      let bytes = 0
      const types = new Set<string | undefined>()
      let coding: string | undefined
      page.on('response', async (response) => {
        const headers = await response.allHeaders()
        const { 'content-length': length, 'content-type': type } = headers
        if (type?.startsWith('text/html')) coding = headers['content-encoding']
        bytes += Number(length ?? 0)
        types.add(type)
      })
      await page.reload()
      const isFirstShown = () =>
        page.evaluate<boolean>(
          `[...document.querySelectorAll('.gallery canvas')].slice(0, 12).every(({ width }) => width > 0)`,
        )
      await until(isFirstShown)
      const last = page.getByRole('img', { name: '1499.jpg' })
      await last.scrollIntoViewIfNeeded()
      await until(async () => Number(await propertyOf(last, 'width')) > 0)
      // A picture that is far out of view is no longer in memory.
      const held = `[...document.querySelectorAll('.gallery canvas')].filter(({ width }) => width > 0).length`
      await until(async () => Number(await page.evaluate(held)) < 150)
      assert.ok(bytes > 50_000 && bytes < maxLoadBytes, String(bytes))
      assert.equal(coding, 'gzip')
      assert.ok(!types.has('text/plain') && !types.has('image/jpeg'), [...types].join(' '))
      assert.deepEqual(dashboard().complaints(), [])
    })

    for (const [look, minPx, options] of [
      ['light', 24, { viewport: { width: 1440, height: 900 } }],
      ['dark', 24, { viewport: { width: 1024, height: 800 }, colorScheme: 'dark' }],
      ['phone', 44, { viewport: { width: 390, height: 844 } }],
      ['small', 44, { viewport: { width: 320, height: 640 }, colorScheme: 'dark' }],
    ] as const) {
      test(`nothing keeps people out (${look})`, async () => {
        const problems: string[] = []
        const long = 'A title of many words that a sender has typed, as long as senders do'
        for (const [kind, path, title] of [
          ['folder', 'mixed/', ''],
          ['file', 'mixed/two.png', ''],
          ['file', 'paper.pdf', ''],
          ['drop', 'mixed/', long],
        ] as const) {
          const [page] = await visit({ kind, path, title }, options)
          problems.push(...(await layoutProblems(page, minPx)), ...(await barriers(page)))
          await keepPicture(page, `share page ${kind} ${path.replaceAll('/', '')} ${look} ${name}`)
          if (kind !== 'folder') continue
          await page.getByRole('img', { name: 'two.png' }).click()
          await page.getByRole('dialog').getByRole('img').waitFor()
          problems.push(...(await layoutProblems(page, minPx)))
          await keepPicture(page, `share viewer ${look} ${name}`)
        }
        assert.deepEqual(problems, [])
        // axe-core adds a style element, which the page's policy refuses; only Firefox complains of it.
        dashboard().complaints()
      })
    }
  })
}

/** WebP of 256 × 192 pixels, with as many bytes as a photo has. */
async function sampleThumbnail(page: Page): Promise<Buffer> {
  const base64 = await page.evaluate<string>(`(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 256, height: 192 })
    const brush = canvas.getContext('2d')
    for (let index = 0; index < 900; index++) {
      brush.fillStyle = 'hsl(' + index * 37 % 360 + ' 60% ' + (20 + index * 13 % 60) + '%)'
      brush.fillRect(index * 71 % 256, index * 47 % 192, 30, 20)
    }
    return canvas.toDataURL('image/webp', 0.7).split(',')[1]
  })()`)
  return Buffer.from(base64, 'base64')
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env.STATE_PICTURES
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) })
}
