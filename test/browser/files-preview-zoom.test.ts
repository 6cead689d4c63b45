import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { useFileBrowser } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { samplePng } from '../support/sample-media.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

describe('Zooming into a picture in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(async () => {
    const browser = await startChromium()
    for (const [key, width, height] of [
      ['view/1 image.png', 40, 30],
      ['view/2 small.png', 20, 10],
      ['large/1 large.png', 2400, 1600],
    ] as const) {
      const reply = await signedFetch(dashboard().gateway, {
        ...{ method: 'PUT', target: targetOf(testBucket, key) },
        body: await samplePng(browser, width, height),
        headers: { 'content-type': 'image/png' },
      })
      assert.equal(reply.status, 200)
    }
    await browser.close()
  })

  async function openFile(folder: string, name: string) {
    const files = await openAt(`/files/${testBucket}?prefix=${folder}/`)
    await files.name(name).click()
    await files.dialog.waitFor()
    return files
  }

  test('zooms by keys, wheel and double click, and moves what is enlarged', async () => {
    const files = await openFile('view', '1 image.png')
    const { page, dialog } = files
    const picture = dialog.locator('img')
    const shown = async () => {
      const box = await picture.boundingBox()
      assert.ok(box !== null)
      return box
    }
    const at = (width: number) => until(async () => Math.abs((await shown()).width - width) < 1)
    await dialog.getByText('40 × 30').waitFor()
    await dialog.getByText('100 %').waitFor()
    await page.keyboard.press('+')
    await dialog.getByText('150 %').waitFor()
    await at(60)
    await page.keyboard.press('0')
    await at(40)
    const { x, y, width, height } = await shown()
    await page.mouse.move(x + width / 2, y + height / 2)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -50)
    await page.keyboard.up('Control')
    await at(40 * Math.exp(0.5))
    assert.equal(await page.evaluate('devicePixelRatio'), 1)
    await dialog.getByRole('button', { name: '165 %' }).click()
    await at(40)
    await picture.dblclick()
    await at(80)
    for (let press = 0; press < 10; press += 1) {
      await dialog.getByRole('button', { name: 'Zoom in' }).click()
    }
    // At eight times its size, the picture still fits into the stage, so it cannot be panned.
    await at(320)
    await page.keyboard.press('ArrowRight')
    await at(320)
    assert.deepEqual(await barriers(page), [])
    await picture.dblclick()
    await at(40)
    await page.keyboard.press('ArrowRight')
    await dialog.getByRole('img', { name: '2 small.png' }).waitFor()
    await dialog.getByText('100 %').waitFor()
  })

  test('a large picture is moved by the pointer, and never out of view', async () => {
    const files = await openFile('large', '1 large.png')
    const { page, dialog } = files
    const picture = dialog.locator('img')
    const left = async () => (await picture.boundingBox())?.x ?? Number.NaN
    await dialog.getByText('2,400 × 1,600').waitFor()
    const fitted = await left()
    await picture.dblclick({ position: { x: 5, y: 5 } })
    await dialog.getByText('100 %').waitFor()
    await until(async () => Math.abs((await left()) - 0) < 20)
    const beginning = await left()
    await page.mouse.move(400, 300)
    await page.mouse.down()
    await page.mouse.move(300, 300, { steps: 4 })
    await page.mouse.up()
    await until(async () => Math.abs((await left()) - beginning + 100) < 1)
    await page.keyboard.press('ArrowRight')
    await until(async () => Math.abs((await left()) - beginning + 180) < 1)
    for (let press = 0; press < 6; press += 1) await page.keyboard.press('ArrowLeft')
    await until(async () => (await left()) <= fitted + 1)
    assert.ok(Math.abs(await left()) < 1)
  })
})
