import assert from 'node:assert/strict'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { signIn, useDashboard } from '../support/dashboard.ts'
import { writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { layoutProblems } from '../support/layout-problems.ts'

/** WCAG 2.2, "Target Size (Minimum)". */
const pointerPx = 24

describe('The files where there is little room', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  before(() => {
    writeTree(join(dashboard().gateway.driveFolder, testBucket), {
      'room/notes.txt': 'n',
      'room/table.csv': 'a,b',
      'room/long.txt': 'l',
    })
  })

  /** In German, whose words are longer. */
  async function openGerman(width: number, hasTouch = false): Promise<Page> {
    const page = await dashboard().open(`/files/${testBucket}?prefix=room/`, {
      ...{ locale: 'de-DE', viewport: { width, height: 640 }, hasTouch, isMobile: hasTouch },
    })
    await signIn(page, 'Passwort')
    await page.getByRole('grid').waitFor()
    return page
  }

  for (const width of [1440, 1024, 700, 390, 320]) {
    test(`the actions on a selection and the paste overlap nothing (${width} px)`, async () => {
      const page = await openGerman(width)
      const bar = page.getByRole('toolbar')
      await page.getByRole('checkbox', { name: 'notes.txt auswählen' }).click()
      await bar.getByRole('button', { name: 'Teilen' }).waitFor()
      assert.deepEqual(await layoutProblems(page, pointerPx), [])
      await page.getByRole('grid').press('Control+c')
      await page.getByRole('button', { name: '1 Element einfügen' }).waitFor()
      assert.deepEqual(await layoutProblems(page, pointerPx), [])
    })
  }

  test('the buttons of a finished job are whole beside a long title', async () => {
    const page = await openGerman(1024)
    await page.getByRole('button', { name: 'Aktionen für long.txt' }).click()
    await page.getByRole('menuitem', { name: 'Umbenennen' }).click()
    await page.getByLabel('Neuer Name').fill(`${'long '.repeat(10)}name.txt`)
    await page.keyboard.press('Enter')
    const dock = page.getByRole('region', { name: 'Übertragungen' })
    const hide = dock.getByRole('button', { name: 'Ausblenden', exact: true })
    const [room, button] = [await dock.boundingBox(), await hide.boundingBox()]
    assert.ok(room !== null && button !== null)
    assert.ok(button.x + button.width < room.x + room.width, JSON.stringify([room, button]))
  })

  test('on a phone the menu of a row is in view, in groups and without names of keys', async () => {
    const page = await openGerman(320, true)
    await page.getByRole('button', { name: 'Aktionen für table.csv' }).click()
    const menu = page.getByRole('menu')
    await menu.getByRole('menuitem', { name: 'Umbenennen' }).waitFor()
    const box = await menu.boundingBox()
    assert.ok(box !== null && box.y >= 0 && box.y + box.height <= 640, JSON.stringify(box))
    assert.equal(await menu.getByRole('separator').count(), 4)
    assert.equal(await menu.getByText('F2').isVisible(), false)
    assert.deepEqual(await layoutProblems(page, pointerPx), [])
  })

  test('on a phone an empty folder names the button that is there', async () => {
    const page = await openGerman(390, true)
    await page.goto(`${dashboard().gateway.url}/-/files/public`)
    await page.getByText('Dieser Ordner ist leer').waitFor()
    await page.getByText('Fügen Sie mit + Dateien und Ordner hinzu.').waitFor()
  })

  test('on a phone the filters come with the search, and need no text', async () => {
    const page = await openGerman(390, true)
    await page.getByRole('textbox', { name: 'Suchen' }).click()
    await page.getByLabel('Art').selectOption('Bilder')
    await page.getByText('Nichts dieser Art in room').waitFor()
    assert.deepEqual(await layoutProblems(page, pointerPx), [])
  })

  test('on the narrowest phone a date is whole', async () => {
    const page = await openGerman(320)
    const date = page.getByRole('row').first().getByRole('gridcell').nth(3)
    await date.waitFor()
    assert.match((await date.allInnerTexts()).join(), /^\d+\. \p{L}+\.? \d{4}$/u)
    const sizes = await date.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])
    assert.ok((sizes[0] ?? 0) <= (sizes[1] ?? 0), String(sizes))
  })

  test('on a phone the link has more room than the button that copies it, and its end is said', async () => {
    const page = await openGerman(390, true)
    await page.getByRole('button', { name: 'Aktionen für notes.txt' }).click()
    await page.getByRole('menuitem', { name: 'Teilen…' }).click()
    await page.getByRole('button', { name: 'Link erstellen' }).click()
    const copy = page.getByRole('button', { name: 'Link kopieren' })
    const field = page.getByRole('textbox', { name: 'Link', exact: true })
    const [button, link] = [await copy.boundingBox(), await field.boundingBox()]
    assert.ok(button !== null && link !== null && link.width > button.width)
    await page.getByText(/^Der Link endet am \d+\.\d+\.\d{4}/).waitFor()
  })
})
