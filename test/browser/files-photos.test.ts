import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Route } from 'playwright-core'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { type FileBrowser, propertyOf, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { heicWithThumbnail, plainHeic } from '../support/sample-heic.ts'
import { sampleJpeg, turnedJpeg } from '../support/sample-media.ts'
import { tiffBytes } from '../support/thumbnail-bytes.ts'

const [width, height] = [40, 20]
const pixels = Buffer.alloc(3 * width * height, 200)
const largeBytes = 64 * 1024 * 1024

describe('Photos and scans that Chromium does not decode', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(async () => {
    const browser = await startChromium()
    const preview = await sampleJpeg(browser, 320, 160)
    const turned = await turnedJpeg(browser, 320, 160)
    await browser.close()
    const folder = join(dashboard().gateway.driveFolder, testBucket, 'roll')
    writeTree(folder, {
      '1.heic': heicWithThumbnail(),
      '2.HEIF': plainHeic(),
      '3.tif': tiffBytes([scan], pixels),
      '4.dng': tiffBytes([sensor, { ...previewOf(preview), 273: 'data' as const }], preview),
      '5.arw': tiffBytes([sensor, { ...previewOf(turned), 273: 'data' as const }], turned),
      '6.heic': plainHeic().subarray(0, 400),
      '7.tif': tiffBytes([scan], pixels),
    })
    truncateSync(join(folder, '7.tif'), largeBytes)
  })

  const picture = ({ dialog }: FileBrowser, name: string) => dialog.getByRole('img', { name })
  const preparing = ({ dialog }: FileBrowser) => dialog.getByText('Preparing the picture…')
  /** Resolves when the list has come: until then, nothing is beside the picture. */
  async function view(name: string): Promise<FileBrowser> {
    const files = await openAt(`/files/${testBucket}?prefix=roll/&view=${name}`)
    await files.dialog.locator('[data-what="Next"]:enabled').waitFor({ state: 'attached' })
    return files
  }

  test('are shown as other pictures are', async () => {
    const files = await view('1.heic')
    const { page, dialog } = files
    for (const [name, across, down] of [
      // The photo, not the thumbnail in it.
      ['1.heic', 640, 320],
      ['2.HEIF', 300, 150],
      ['3.tif', width, height],
      // Turned by the orientation of the photo.
      ['4.dng', 160, 320],
      // Turned once, although the preview says it again.
      ['5.arw', 160, 320],
    ] as const) {
      const shown = picture(files, name)
      await dialog.getByText(`${across} × ${down}`).waitFor()
      assert.equal(await propertyOf(shown, 'naturalWidth'), across, name)
      assert.equal(await propertyOf(shown, 'naturalHeight'), down, name)
      if (name === '1.heic') {
        assert.deepEqual(await barriers(page), [])
        await dialog.getByRole('button', { name: 'Zoom in' }).click()
        const isZoomed = async () => (await shown.getAttribute('style'))?.includes('scale(1.5)')
        await until(async () => (await isZoomed()) ?? false)
        // The arrow keys move an enlarged picture.
        await dialog.getByRole('button', { name: 'Zoom out' }).click()
      }
      await page.keyboard.press('ArrowRight')
    }
    await dialog.getByText('This file cannot be previewed').waitFor()
    await dialog.getByRole('button', { name: 'Download 400 bytes' }).waitFor()
  })

  test('are not loaded as a whole to be refused', async () => {
    const files = await view('6.heic')
    const { page, dialog } = files
    await dialog.getByRole('button', { name: 'Download 400 bytes' }).waitFor()
    const loaded: string[] = []
    page.on('request', (request) => {
      if (request.resourceType() === 'image') loaded.push(new URL(request.url()).pathname)
    })
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('button', { name: 'Download 64.0 MiB' }).waitFor()
    assert.deepEqual(loaded, [])
  })

  test('are shown as their thumbnails while they are prepared, which ends with the next file', async () => {
    const files = await view('3.tif')
    const { page } = files
    await picture(files, '3.tif').waitFor()
    const isPhoto = ({ pathname }: URL) => pathname === `/${testBucket}/roll/2.HEIF`
    const held: Route[] = []
    await page.route(isPhoto, (route) => {
      if (route.request().method() === 'GET') held.push(route)
      else return route.continue()
    })
    await page.keyboard.press('ArrowLeft')
    await preparing(files).waitFor()
    await until(() => held.length > 0)
    const isEnded = new Promise((resolve) => page.once('requestfailed', resolve))
    assert.deepEqual(await barriers(page), [])
    await page.evaluate(swipeRight)
    await picture(files, '1.heic').waitFor()
    await isEnded
    assert.equal(await preparing(files).count(), 0)
    await page.unroute(isPhoto)
    await page.keyboard.press('ArrowRight')
    await files.dialog.getByText('300 × 150').waitFor()
  })
})

/** With a finger, over what is shown instead of the picture. */
const swipeRight = `(() => {
  const target = document.querySelector('[role="dialog"] [role="status"]')
  const touch = (clientX) => new Touch({ identifier: 1, target, clientX, clientY: 400 })
  const send = (type, x, touches) =>
    target.dispatchEvent(new TouchEvent(type, { bubbles: true, touches, changedTouches: [touch(x)] }))
  send('touchstart', 100, [touch(100)])
  send('touchend', 300, [])
})()`

const scan = {
  ...{ 256: [width], 257: [height], 258: [8, 8, 8], 259: [1], 262: [2], 273: 'data' as const },
  ...{ 277: [3], 278: [height], 279: [pixels.length] },
}

/** The photo is turned by 90° to the right. */
const sensor = { 254: [0], 256: [4_000], 257: [2_500], 259: [7], 262: [32_803], 273: [8], 274: [6] }

function previewOf(preview: Buffer) {
  return { 254: [1], 256: [320], 257: [160], 259: [7], 262: [6], 279: [preview.length] }
}
