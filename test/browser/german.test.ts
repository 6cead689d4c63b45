import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { german } from '../../web/src/texts/de.ts'
import { texts as frame } from '../../web/src/texts/en/frame.ts'
import { texts as settings } from '../../web/src/texts/en/settings.ts'
import { textKit } from '../../web/src/texts/text-kit.ts'
import { barriers, signIn, useDashboard } from '../support/dashboard.ts'
import { layoutProblems } from '../support/layout-problems.ts'

const kit = textKit('en', 'en')
const english = { frame: frame(kit), settings: settings(kit) }

/** Each page, with a text that it shows when it is loaded. */
const pages = [
  ['/settings', 'Start-Einstellungen'],
  ['/none', 'Seite nicht gefunden'],
] as const

/** WCAG 2.2, "Target Size (Minimum)". */
const pointerPx = 24

/** The texts of a catalogue, without those that have values. */
function plainTexts(catalogue: object): string[] {
  return Object.values(catalogue).flatMap((text) => {
    if (typeof text === 'string') return [text]
    return typeof text === 'object' ? plainTexts(text) : []
  })
}

const germanTexts = new Set(plainTexts(german(textKit('de', 'de'))))
const onlyEnglish = plainTexts(english).filter((text) => !germanTexts.has(text))

/** What the page shows or tells screen readers. It runs in the page, which has no types here. */
const textsOfPage = `
  const found = []
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) found.push(walker.currentNode.data.trim())
  for (const element of document.querySelectorAll('*')) {
    for (const name of ['aria-label', 'aria-description', 'title', 'placeholder', 'alt']) {
      found.push(element.getAttribute(name) ?? '')
    }
  }
  return found
`

async function assertGerman(page: Page): Promise<void> {
  const shown = new Set(await page.evaluate<string[]>(`(() => {${textsOfPage}})()`))
  assert.deepEqual(
    onlyEnglish.filter((text) => shown.has(text)),
    [],
  )
}

describe('the dashboard in German', { timeout: 120_000 }, () => {
  const dashboard = useDashboard()
  const options = { locale: 'de-AT', viewport: { width: 390, height: 844 } }

  test('the sign-in page and its failure are German', async () => {
    const page = await dashboard().open('/', options)
    await page.getByRole('heading', { name: 'Bei Bucketry anmelden' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
    await page.getByLabel('Passwort', { exact: true }).fill('falsch')
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByText('Das Passwort ist falsch.').waitFor()
    await assertGerman(page)
  })

  test('the pages are German, fit a phone and keep nobody out', async () => {
    const page = await dashboard().open('/settings', options)
    await signIn(page, 'Passwort')
    for (const [path, shown] of pages) {
      await page.goto(`${dashboard().gateway.url}/-${path}`)
      await page.getByText(shown).first().waitFor()
      await assertGerman(page)
      assert.deepEqual(await barriers(page), [], path)
      assert.deepEqual(await layoutProblems(page, pointerPx), [], path)
    }
  })

  test('another language is chosen in the settings and remembered', async () => {
    const page = await dashboard().openSignedIn('/settings')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  })
})
