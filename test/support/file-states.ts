import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { FileBrowser } from './file-browser.ts'
import { testBucket } from './gateway-process.ts'
import { headerStates, searchStates } from './search-states.ts'
import { shareStates } from './share-states.ts'
import { button, type DashboardState, press } from './state-steps.ts'
import { versionStates } from './version-states.ts'

/** Waits for a text in the rows of the transfers. On a phone they are folded, with a title that comes and goes. */
async function waitInTransfers({ page, transfers }: FileBrowser, text: RegExp): Promise<void> {
  const expand = button(page, 'Expand transfers', transfers)
  const fold = button(page, 'Collapse transfers', transfers)
  await expand.or(fold).waitFor()
  if (await expand.isVisible()) await expand.click()
  await transfers.getByText(text).first().waitFor()
}

async function upload(page: Page, name: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await new FileBrowser(page).choose('New', 'Upload files')
  await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('x') })
}

const folder = `/files/${testBucket}?prefix=states/`

/** A file of two parts, and a folder for it in each look: an upload that was cut off, then one that goes on. */
const film = { path: '', folder: '' }

async function chooseFilm(page: Page): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await new FileBrowser(page).choose('New', 'Upload files')
  await (await chooser).setFiles(film.path)
}

/** Uploads the first part, and reloads the page. */
async function interruptUpload(files: FileBrowser): Promise<void> {
  const { page } = files
  if (film.path === '') {
    const disk = mkdtempSync(join(tmpdir(), 'bucketry-film-'))
    film.path = join(disk, 'film.bin')
    writeFileSync(film.path, new Uint8Array(17 * 2 ** 20))
    process.once('exit', () => rmSync(disk, { recursive: true, force: true }))
  }
  film.folder = `/files/${testBucket}?prefix=film-${Date.now()}/`
  await page.goto(page.url().replace(/\/files\/.*$/, film.folder))
  const held = Promise.withResolvers<void>()
  const isSecond = (url: URL) => url.searchParams.get('partNumber') === '2'
  await page.route(isSecond, () => held.resolve(), { times: 1 })
  await chooseFilm(page)
  await held.promise
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await waitInTransfers(files, /^Interrupted/)
}

/** The count of a large folder. */
async function showCount(files: FileBrowser): Promise<void> {
  const count = {
    ...{ id: 'some', bucket: testBucket, prefix: 'states/', isCounting: true, problem: null },
    ...{ objects: null, bytes: null, lastModified: null, countedAt: null },
    found: { objects: 123_456, bytes: 9e9 },
  }
  await files.page.route('**/-/api/folder-counts*', (route) => {
    const isList = route.request().method() === 'GET'
    return route.fulfill({ json: isList ? { counts: [count] } : count })
  })
  await files.act('states', 'Calculate size')
  await files.page.getByText('Counting 1 folder').waitFor()
}

/** Until its thumbnail is there. The states after it find the grid, which is remembered. */
async function showGrid({ page }: FileBrowser): Promise<void> {
  await button(page, 'Show as grid').click()
  await page.getByRole('gridcell').filter({ hasText: 'picture.png' }).locator('img').waitFor()
}

/** Files, and each of its dialogs, menus, notifications and errors. */
export const fileStates: readonly DashboardState[] = [
  { name: 'buckets', path: '/files', shown: testBucket },
  { name: 'folder', path: folder, shown: 'picture.png' },
  { name: 'grid', path: folder, reach: showGrid },
  {
    name: 'selection in the grid',
    path: folder,
    async reach(files) {
      const { page } = files
      await page
        .getByRole('gridcell')
        .filter({ hasText: 'picture.png' })
        .getByRole('checkbox')
        .click()
      await page.getByText('1 selected').waitFor()
    },
  },
  {
    name: 'menu in the grid',
    path: folder,
    reach: (files) => button(files.page, 'Actions for picture.png').click(),
  },
  { name: 'list again', path: folder, reach: press('Show as list') },
  { name: 'empty folder', path: `${folder}empty/`, shown: 'This folder is empty' },
  { name: 'missing folder', path: `${folder}none/`, shown: 'does not exist' },
  { name: 'unknown bucket', path: '/files/unknown', shown: 'does not exist' },
  {
    name: 'folder that fails',
    path: '/files',
    async reach({ page }) {
      await page.route(
        ({ pathname }) => pathname === '/-/api/folder',
        (route) => route.fulfill({ status: 403, json: {} }),
      )
      await page.getByRole('link', { name: testBucket }).click()
      await page.getByText('The folder could not be loaded').waitFor()
    },
  },
  ...searchStates,
  ...headerStates,
  ...versionStates,
  { name: 'selection', path: folder, reach: (files) => files.select('text.txt', 'picture.png') },
  {
    name: 'row menu',
    path: folder,
    reach: (files) => button(files.page, 'Actions for text.txt').click(),
  },
  {
    name: 'copied address',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Copy S3 address')
      await files.page.getByText('S3 address copied.').waitFor()
    },
  },
  {
    name: 'new folder with spaces',
    path: folder,
    async reach({ page }) {
      await new FileBrowser(page).choose('New', 'New folder')
      await page.getByLabel('Name', { exact: true }).fill(' a/b ')
      await button(page, 'Create').click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'new text file without a name',
    path: folder,
    async reach({ page }) {
      await new FileBrowser(page).choose('New', 'New text file')
      await button(page, 'Create').click()
      await page.getByText('Enter a name.').waitFor()
    },
  },
  { name: 'rename', path: folder, reach: (files) => files.act('text.txt', 'Rename') },
  { name: 'move', path: folder, reach: (files) => files.act('text.txt', 'Move to') },
  { name: 'copy', path: folder, reach: (files) => files.act('text.txt', 'Copy to') },
  {
    name: 'cut',
    path: folder,
    async reach(files) {
      await files.select('text.txt', 'picture.png')
      await files.page.keyboard.press('Control+x')
      await button(files.page, 'Paste 2 items').waitFor()
    },
  },
  {
    name: 'renamed',
    path: folder,
    async reach(files) {
      const { page } = files
      await files.act('data.bin', 'Rename')
      await page.getByLabel('New name').fill('data.txt')
      await page.keyboard.press('Enter')
      await button(page, 'Undo').click()
      await waitInTransfers(files, /^Undo: Renaming/)
    },
  },
  {
    name: 'duplicated',
    path: folder,
    async reach(files) {
      await files.act('data.bin', 'Duplicate')
      await waitInTransfers(files, /Duplicating/)
      await files.row('data (2).bin').first().waitFor()
    },
  },
  {
    name: 'name conflicts',
    path: folder,
    async reach({ page, dialog }) {
      const chooser = page.waitForEvent('filechooser')
      await new FileBrowser(page).choose('New', 'Upload files')
      const file = { mimeType: 'text/plain', buffer: Buffer.from('x') }
      await (await chooser).setFiles([
        { ...file, name: 'text.txt' },
        { ...file, name: 'data.bin' },
      ])
      await dialog.getByText('2 files with these names already exist').waitFor()
    },
  },
  {
    name: 'metadata of a file',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Edit metadata')
      await files.dialog.getByLabel('Content-Type').fill('text')
      await button(files.page, 'Add metadata').click()
      await files.press('Save')
      await files.dialog.getByText('Give it a name.').waitFor()
    },
  },
  {
    name: 'metadata of several files',
    path: folder,
    async reach(files) {
      await files.row('text.txt').getByRole('checkbox').click()
      await files.row('empty').getByRole('checkbox').click()
      await files.row('empty').getByRole('button', { name: 'Actions for' }).click()
      await files.page.getByRole('menuitem', { name: 'Edit metadata' }).click()
      await files.dialog.getByLabel('Change Cache-Control').check()
      await button(files.page, 'Add metadata').click()
    },
  },
  { name: 'delete', path: folder, reach: (files) => files.act('text.txt', 'Delete permanently') },
  ...shareStates,
  {
    name: 'folder details',
    path: folder,
    async reach(files) {
      await files.act('empty', 'Details')
      await files.dialog.getByText('0 bytes').waitFor()
    },
  },
  {
    name: 'sizes of folders',
    path: `/files/${testBucket}`,
    async reach(files) {
      await files.act('states', 'Calculate size')
      await files
        .row('states')
        .getByTitle(/objects?, /)
        .waitFor()
    },
  },
  { name: 'count of a folder', path: `/files/${testBucket}`, reach: showCount },
  {
    name: 'details of a folder that is counted',
    path: `/files/${testBucket}`,
    async reach(files) {
      await showCount(files)
      await files.act('states', 'Details')
      await files.dialog.getByText('so far').waitFor()
    },
  },
  {
    name: 'shortcuts',
    path: folder,
    shown: 'picture.png',
    reach: ({ page }) => page.keyboard.press('?'),
  },
  {
    name: 'failed upload',
    path: folder,
    async reach({ page, transfers }) {
      const body =
        '<Error><Code>AccessDenied</Code><Message>Could not write photos/states/new.txt (EACCES).</Message></Error>'
      await page.route(/\/states\/new\.txt/, (route) => route.fulfill({ status: 403, body }))
      await upload(page, 'new.txt')
      await transfers.getByText('1 file not uploaded').waitFor()
      const expand = button(page, 'Expand transfers', transfers)
      if ((await expand.count()) > 0) await expand.click()
      await transfers.getByText('Could not write').waitFor()
    },
  },
  { name: 'interrupted upload', path: folder, reach: interruptUpload },
  {
    name: 'resumed upload',
    path: folder,
    async reach(files) {
      const { page } = files
      await page.goto(page.url().replace(/\/files\/.*$/, film.folder))
      await waitInTransfers(files, /^Interrupted/)
      await chooseFilm(page)
      await files.transfers.getByText('1 file uploaded', { exact: true }).waitFor()
    },
  },
  {
    name: 'download as a ZIP file',
    path: folder,
    async reach(files) {
      const event = files.page.waitForEvent('download')
      await files.select('text.txt', 'picture.png')
      await files.choose('More actions', 'Download')
      await files.page.getByRole('menu').waitFor({ state: 'detached' })
      await (await event).path()
    },
  },
  {
    name: 'refused ZIP file',
    path: folder,
    async reach(files) {
      const json = { message: 'Too many archives are being downloaded. Try again later.' }
      await files.page.route('**/-/api/archives', (route) => route.fulfill({ status: 503, json }))
      await files.act('empty', 'Download')
      await files.page.getByText('The download could not be started').waitFor()
    },
  },
  {
    name: 'name conflict',
    path: folder,
    async reach({ page, dialog }) {
      await upload(page, 'text.txt')
      await dialog.getByText('A file with this name already exists').waitFor()
    },
  },
  {
    name: 'picture',
    path: `${folder}&view=picture.png`,
    reach: ({ dialog }) => dialog.locator('img').first().waitFor(),
  },
  {
    name: 'picture that fills the screen',
    path: `${folder}&view=picture.png`,
    reach: press('Full screen'),
  },
  { name: 'text', path: `${folder}&view=text.txt`, shown: 'the text' },
  { name: 'document', path: `${folder}&view=notes.md`, shown: 'A heading' },
  { name: 'tree', path: `${folder}&view=data.json`, shown: '2 items' },
  { name: 'table', path: `${folder}&view=table.csv`, shown: 'a cell' },
  { name: 'long text', path: `${folder}&view=long.log`, shown: 'Page 1 of 2' },
  { name: 'archive', path: `${folder}&view=archive.zip`, shown: 'folder/file.txt' },
  { name: 'no preview', path: `${folder}&view=data.bin`, shown: 'cannot be previewed' },
  { name: 'missing file', path: `${folder}&view=none.txt`, shown: 'This file does not exist' },
  {
    name: 'trash',
    path: `/trash?bucket=${testBucket}`,
    async reach({ page }) {
      const empty = page.getByText('The trash is empty')
      // What the next state has left in it, in the look before.
      const restore = page.getByRole('button', { name: 'Restore', exact: true }).first()
      await empty.or(restore).first().waitFor()
      if (await restore.isVisible()) await restore.click()
      await empty.waitFor()
    },
  },
  {
    name: 'trash with a file',
    path: folder,
    async reach(files) {
      const { page } = files
      await files.act('data (2).bin', 'Delete')
      await files.row('data (2).bin').waitFor({ state: 'detached' })
      await page.goto(page.url().replace(/files.*$/, 'trash'))
      await page.getByRole('button', { name: 'Restore', exact: true }).first().waitFor()
    },
  },
]
