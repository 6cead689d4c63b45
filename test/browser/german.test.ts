import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { german } from '../../web/src/texts/de.ts'
import { texts as activity } from '../../web/src/texts/en/activity.ts'
import { texts as buckets } from '../../web/src/texts/en/buckets.ts'
import { texts as connect } from '../../web/src/texts/en/connect.ts'
import { texts as fileChange } from '../../web/src/texts/en/file-change.ts'
import { texts as fileEdit } from '../../web/src/texts/en/file-edit.ts'
import { texts as fileWork } from '../../web/src/texts/en/file-work.ts'
import { texts as files } from '../../web/src/texts/en/files.ts'
import { texts as filesDialogs } from '../../web/src/texts/en/files-dialogs.ts'
import { texts as frame } from '../../web/src/texts/en/frame.ts'
import { texts as keys } from '../../web/src/texts/en/keys.ts'
import { texts as models } from '../../web/src/texts/en/models.ts'
import { texts as overview } from '../../web/src/texts/en/overview.ts'
import { texts as plots } from '../../web/src/texts/en/plots.ts'
import { texts as preview } from '../../web/src/texts/en/preview.ts'
import { texts as refusals } from '../../web/src/texts/en/refusals.ts'
import { texts as settings } from '../../web/src/texts/en/settings.ts'
import { texts as shares } from '../../web/src/texts/en/shares.ts'
import { texts as transfers } from '../../web/src/texts/en/transfers.ts'
import { texts as trash } from '../../web/src/texts/en/trash.ts'
import { texts as versions } from '../../web/src/texts/en/versions.ts'
import { textKit } from '../../web/src/texts/text-kit.ts'
import { barriers, dashboardPassword, signIn, useDashboard } from '../support/dashboard.ts'
import { testBucket } from '../support/gateway-process.ts'
import { layoutProblems } from '../support/layout-problems.ts'
import { ManagementClient } from '../support/management-client.ts'
import { signedFetch, targetOf } from '../support/signed-fetch.ts'

const kit = textKit('en', 'en')
const english = [
  ...[activity(kit), buckets(kit), connect(), fileChange(kit), fileEdit(kit), files(kit)],
  ...[filesDialogs(), fileWork(kit), frame(kit), keys(kit), models(kit), overview(kit), plots()],
  ...[
    preview(kit),
    refusals(),
    settings(kit),
    shares(kit),
    transfers(kit),
    trash(kit),
    versions(kit),
  ],
]

/** Each page, with a text that it shows when it is loaded. */
const pages = [
  ['/overview', 'Gespeichert in'],
  ['/shares', 'Noch keine Links'],
  ['/trash', 'Der Papierkorb ist leer'],
  ['/activity', 'Offene Uploads'],
  [`/files/${testBucket}`, 'Dieser Ordner ist leer'],
  ['/files?in=starred', 'Noch nichts markiert'],
  ['/files?in=recent', 'In letzter Zeit wurde nichts'],
  ['/files?in=all&filter=xyz', 'Kein Name in allen Buckets enthält „xyz“'],
  [`/buckets/${testBucket}/settings`, 'Speichergrenze'],
  [`/buckets/${testBucket}/links`, 'Noch keine Links'],
  ['/connect', 'Einstellungen zum Einfügen'],
  ['/keys', 'Noch keine Schlüssel'],
  ['/models', 'Noch keine Verbindungen'],
  ['/models/keys', 'Noch keine Modell-Schlüssel'],
  ['/models/usage', 'Keine Aufrufe in dieser Zeit'],
  ['/models/log', 'Noch keine Aufrufe'],
  ['/models/try', 'App verbinden'],
  ['/models/listed', 'Gelistete Modelle'],
  ['/models/combos', 'Kombinationen: noch keine'],
  ['/models/custom', 'Eigene Modelle: noch keine'],
  ['/models/aliases', 'Aliasse: noch keine'],
  ['/models/transfer', 'Export speichern'],
  ['/settings', 'Start-Einstellungen'],
  ['/none', 'Seite nicht gefunden'],
] as const

const wide = { width: 1_280, height: 900 }

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
/** The reason of a failed request, which the service says in English, and the name of an app. */
const alsoOthers = new Set(['The password is wrong.', 'Continue'])
const onlyEnglish = english
  .flatMap(plainTexts)
  .filter((text) => !germanTexts.has(text) && !alsoOthers.has(text))

/** What the page shows or tells screen readers. It runs in the page, which has no types here. */
const textsOfPage = `
  const found = []
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) found.push(walker.currentNode.data.trim())
  for (const element of root.querySelectorAll('*')) {
    for (const name of ['aria-label', 'aria-description', 'title', 'data-tip', 'placeholder', 'alt']) {
      found.push(element.getAttribute(name) ?? '')
    }
  }
  return found
`

/** Texts of the page, or of one of its elements, that are in the English catalogue alone. */
async function englishTexts(page: Page, selector = 'html'): Promise<string[]> {
  const root = `document.querySelector('${selector}')`
  const shown = new Set(await page.evaluate<string[]>(`((root) => {${textsOfPage}})(${root})`))
  return onlyEnglish.filter((text) => shown.has(text))
}

describe('the dashboard in German', { timeout: 300_000 }, () => {
  const dashboard = useDashboard()
  const options = { locale: 'de-AT', viewport: { width: 390, height: 844 } }

  test('the sign-in page and its failure are German', async () => {
    const page = await dashboard().open('/', options)
    await page.getByRole('heading', { name: 'Bei Bucketry anmelden' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'de')
    await page.getByLabel('Passwort', { exact: true }).fill('falsch')
    await page.getByRole('button', { name: 'Anmelden' }).click()
    await page.getByText('Das Passwort ist falsch.').waitFor()
    assert.deepEqual(await englishTexts(page), [])
  })

  test('the pages are German, fit a phone and keep nobody out', async () => {
    const page = await dashboard().open('/settings', options)
    await signIn(page, 'Passwort')
    const problems: string[] = []
    for (const [path, shown] of pages) {
      await page.goto(`${dashboard().gateway.url}/-${path}`)
      await page.getByText(shown).first().waitFor()
      const found = [
        ...(await englishTexts(page)),
        ...(await barriers(page)),
        ...(await layoutProblems(page, pointerPx)),
      ]
      problems.push(...found.map((problem) => `${path}: ${problem}`))
    }
    assert.deepEqual(problems, [])
  })

  test('the files, their menus and dialogs are German', async () => {
    const target = targetOf(testBucket, 'ablage/notiz.txt')
    await signedFetch(dashboard().gateway, { method: 'PUT', target, body: 'Hallo' })
    const path = `/files/${testBucket}?prefix=ablage/`
    const page = await dashboard().open(path, { ...options, viewport: wide })
    await signIn(page, 'Passwort')
    const expectGerman = async () => {
      assert.deepEqual([...(await englishTexts(page)), ...(await barriers(page))], [])
    }
    await page.getByText('1 Datei', { exact: true }).waitFor()
    await page.getByRole('columnheader', { name: 'Geändert' }).waitFor()
    await page.getByText(/^\d+\. \p{L}+\.? \d{4}, \d\d:\d\d$/u).waitFor()
    await page.getByRole('button', { name: 'Aktionen des Ordners' }).click()
    await page.getByRole('menuitem', { name: 'Neu laden' }).waitFor()
    await expectGerman()
    await page.getByRole('menuitem', { name: 'Tastenkürzel' }).click()
    await page.getByText('Strg + Z').waitFor()
    await expectGerman()
    await page.keyboard.press('Escape')
    await page.getByRole('checkbox', { name: 'notiz.txt auswählen' }).check()
    await page.getByText('1 ausgewählt').waitFor()
    await page.getByRole('button', { name: 'Aktionen für notiz.txt' }).click()
    await page.getByRole('menuitem', { name: 'Mit Stern markieren' }).waitFor()
    await expectGerman()
    await page.getByRole('menuitem', { name: 'Endgültig löschen…' }).click()
    const question = page.getByRole('dialog', { name: '„notiz.txt“ löschen?' })
    await question.waitFor()
    await expectGerman()
    await question.getByRole('button', { name: 'Abbrechen' }).click()
    await page.getByRole('button', { name: 'Aktionen für notiz.txt' }).click()
    await page.getByRole('menuitem', { name: 'Teilen…' }).click()
    await page.getByRole('dialog', { name: '„notiz.txt“ teilen' }).waitFor()
    await page.getByRole('tab', { name: 'Für Skripte' }).click()
    await page.getByText(/^Bis .* kann jeder mit diesem Link/).waitFor()
    await expectGerman()
    await page.getByRole('tab', { name: 'Für Personen' }).click()
    await page.getByRole('button', { name: 'Link erstellen' }).click()
    await page.getByRole('button', { name: 'Link kopieren' }).waitFor()
    await expectGerman()
  })

  test('a preview and the transfers are German', async () => {
    const { gateway } = dashboard()
    const target = targetOf(testBucket, 'gruss.txt')
    await signedFetch(gateway, { method: 'PUT', target, body: 'Guten Tag' })
    const path = `/files/${testBucket}?view=gruss.txt`
    const page = await dashboard().open(path, { ...options, viewport: wide })
    await signIn(page, 'Passwort')
    await page.getByText('Objektschlüssel').first().waitFor()
    await page.getByText('Guten Tag').waitFor()
    assert.deepEqual(await englishTexts(page, '[role="dialog"]'), [])
    await page.goto(`${gateway.url}/-/files/${testBucket}`)
    const file = { name: 'neu.txt', mimeType: 'text/plain', buffer: Buffer.from('neu') }
    await page.locator('input[type="file"]').first().setInputFiles(file)
    await page.getByRole('heading', { name: '1 Datei hochgeladen' }).waitFor()
    assert.deepEqual(await englishTexts(page, '[data-transfers]'), [])
  })

  test('a refusal of the service is German', async () => {
    const page = await dashboard().open('/files', { ...options, viewport: wide })
    await signIn(page, 'Passwort')
    await page.getByRole('button', { name: 'Bucket anlegen' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill(testBucket)
    await dialog.getByRole('button', { name: 'Bucket anlegen' }).click()
    await dialog.getByText('Einen Bucket mit diesem Namen gibt es schon.').waitFor()
  })

  test('a reason is found by the words that are shown', async () => {
    const { gateway } = dashboard()
    await fetch(`${gateway.url}/auth/login`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ passwordHash: '0'.repeat(64) }),
    })
    const page = await dashboard().open('/activity', { ...options, viewport: wide })
    await signIn(page, 'Passwort')
    const reason = page.getByText('Das Passwort ist falsch.').first()
    await reason.waitFor()
    await page.getByLabel('Aktivität durchsuchen').fill('passwort falsch')
    await page.getByText('Angemeldet').first().waitFor({ state: 'detached' })
    await reason.waitFor()
  })

  test('another language is chosen in the settings and remembered', async () => {
    const page = await dashboard().openSignedIn('/settings')
    await page.getByRole('combobox', { name: 'Language' }).selectOption('Deutsch')
    await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
    await page.reload()
    await page.getByRole('combobox', { name: 'Sprache' }).selectOption('English')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
  })

  test('the page of a link and its scripts are German', async () => {
    const { gateway } = dashboard()
    const target = targetOf(testBucket, 'bilder/brief.txt')
    await signedFetch(gateway, { method: 'PUT', target, body: 'Hallo' })
    const client = await ManagementClient.signIn(gateway.url, dashboardPassword)
    const share = { kind: 'drop', bucket: testBucket, path: 'bilder/', maxFileBytes: 10 }
    const { url } = await client.done('POST', '/shares', share)
    const page = await dashboard().open('/none', options)
    await page.goto(url)
    await page.getByRole('heading', { name: 'Dateien senden an bilder' }).waitFor()
    await page.getByText('je bis 10 Byte').waitFor()
    const large = { name: 'gross.txt', mimeType: 'text/plain', buffer: Buffer.alloc(11) }
    await page.getByLabel('Dateien auswählen').setInputFiles(large)
    await page.getByText('Diese Datei ist zu groß.').waitFor()
    assert.deepEqual(await barriers(page), [])
  })
})
