import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { absenceOfChromium, startChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { FileBrowser, useFileBrowser, writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { samplePng } from '../support/sample-media.ts'

describe('Pictures one after the other', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  const openAt = useFileBrowser(dashboard)
  before(async () => {
    const browser = await startChromium()
    const picture = await samplePng(browser, 400, 300)
    await browser.close()
    writeTree(join(dashboard().gateway.driveFolder, testBucket, 'show'), {
      '1.png': picture,
      '2.txt': 'text',
      '3.png': picture,
      '4.png': picture,
    })
  })

  const first = `/files/${testBucket}?prefix=show/&view=1.png`
  const picture = ({ dialog }: FileBrowser, name: string) => dialog.getByRole('img', { name })
  const press = ({ dialog }: FileBrowser, name: string) =>
    dialog.getByRole('button', { name, exact: true }).click()

  /** The list has come: until then, nothing is beside the picture. */
  const hasNeighbours = ({ dialog }: FileBrowser) =>
    dialog.locator('[data-what="Next"]:enabled').waitFor({ state: 'attached' })

  test('fill the screen, go on by arrow keys, and leave it with Esc', async () => {
    const files = await openAt(first)
    const { page, dialog } = files
    await picture(files, '1.png').waitFor()
    await press(files, 'Full screen')
    const stage = picture(files, '1.png').locator('..')
    const whole = { x: 0, y: 0, ...page.viewportSize() }
    await until(async () => isDeepStrictEqual(await stage.boundingBox(), whole))
    assert.deepEqual(await barriers(page), [])
    await hasNeighbours(files)
    // The text between them is left out.
    await page.keyboard.press('ArrowRight')
    await picture(files, '3.png').waitFor()
    await page.keyboard.press('ArrowRight')
    await picture(files, '4.png').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Next: no file' }).isDisabled(), true)
    await page.keyboard.press('ArrowLeft')
    await picture(files, '3.png').waitFor()
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Details' }).waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('have nothing over them until the pointer moves', async () => {
    const files = await openAt(first)
    await picture(files, '1.png').waitFor()
    await press(files, 'Full screen')
    const bar = `document.querySelector('[role="toolbar"][aria-label="Picture"]')`
    const opacity = () => files.page.evaluate(`getComputedStyle(${bar}).opacity`)
    await until(async () => (await opacity()) === '0')
    await files.page.mouse.move(300, 300)
    await until(async () => (await opacity()) === '1')
  })

  test('go on by themselves, and end with the last one', async () => {
    const files = await openAt(first)
    const { clock } = files.page
    await clock.install()
    await picture(files, '1.png').waitFor()
    await hasNeighbours(files)
    // From here on, time passes only as this test says. Otherwise a picture could be gone before it was looked for.
    await clock.pauseAt(Date.now() + 60_000)
    await press(files, 'Slideshow')
    const pause = files.dialog.getByRole('button', { name: 'Pause the slideshow' })
    await pause.waitFor()
    for (const name of ['3.png', '4.png']) {
      await until(async () => {
        await clock.runFor(1_000)
        return await picture(files, name).isVisible()
      })
    }
    await until(async () => {
      await clock.runFor(1_000)
      return !(await pause.isVisible())
    })
    await press(files, 'Slideshow')
    await pause.click()
    await pause.waitFor({ state: 'detached' })
    // The other tests have the same clock.
    await clock.resume()
  })

  test('load the pictures beside the shown one', async () => {
    const files = await openAt(`/files/${testBucket}?prefix=show/`)
    const loaded: string[] = []
    files.page.on('request', (request) => {
      if (request.resourceType() === 'image') loaded.push(new URL(request.url()).pathname)
    })
    await files.name('3.png').click()
    await until(async () => loaded.some((path) => path.endsWith('/4.png')))
    await picture(files, '3.png').waitFor()
    await files.page.keyboard.press('ArrowRight')
    await picture(files, '4.png').waitFor()
    const times = loaded.filter((path) => path.endsWith('/4.png')).length
    assert.equal(times, 1)
  })

  test('change with a swipe', async () => {
    const page = await dashboard().openSignedIn(first, {
      ...{ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } },
    })
    const files = new FileBrowser(page)
    await picture(files, '1.png').waitFor()
    await press(files, 'Full screen')
    await hasNeighbours(files)
    const swipe = (from: number, to: number) =>
      page.evaluate(`(() => {
        const target = document.querySelector('[role="dialog"] img')
        const touch = (clientX) => new Touch({ identifier: 1, target, clientX, clientY: 400 })
        const send = (type, x, touches) => target.dispatchEvent(new TouchEvent(type, {
          bubbles: true, touches, changedTouches: [touch(x)]
        }))
        send('touchstart', ${from}, [touch(${from})])
        send('touchend', ${to}, [])
      })()`)
    await swipe(300, 100)
    await picture(files, '3.png').waitFor()
    await swipe(100, 120)
    await picture(files, '3.png').waitFor()
    await swipe(100, 300)
    await picture(files, '1.png').waitFor()
    // A finger moves an enlarged picture.
    await page.keyboard.press('+')
    await picture(files, '1.png').and(page.locator('[style*="scale(1.5)"]')).waitFor()
    await swipe(300, 100)
    assert.equal(new URL(page.url()).searchParams.get('view'), '1.png')
    await page.keyboard.press('0')
    await picture(files, '1.png').and(page.locator('[style*="scale(1)"]')).waitFor()
    await swipe(300, 100)
    await picture(files, '3.png').waitFor()
  })
})
