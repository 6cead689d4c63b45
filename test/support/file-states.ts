import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { FileBrowser } from './file-browser.ts'
import { testBucket } from './gateway-process.ts'
import { shownPicture } from './picture-color.ts'
import { headerStates, searchStates } from './search-states.ts'
import { shareStates } from './share-states.ts'
import { button, type DashboardState, openDialog, openMenu, press } from './state-steps.ts'
import { versionStates } from './version-states.ts'

/** On a phone, the rows of the transfers are folded, with a title that comes and goes. */
async function showTransfers({ transfers }: FileBrowser): Promise<void> {
  const expand = button(transfers, 'Expand transfers')
  const fold = button(transfers, 'Collapse transfers')
  await expand.or(fold).waitFor()
  if (await expand.isVisible()) await expand.click()
}

async function upload(page: Page, ...names: readonly string[]): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await new FileBrowser(page).choose('New', 'Upload files')
  const file = { mimeType: 'text/plain', buffer: Buffer.from('x') }
  await (await chooser).setFiles(names.map((name) => ({ ...file, name })))
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
  await showTransfers(files)
}

const interrupted = ({ transfers }: FileBrowser) => transfers.getByText(/^Interrupted/)

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
}

const tile = ({ page }: FileBrowser) =>
  page.getByRole('gridcell').filter({ hasText: 'picture.png' })

/** Files, and each of its dialogs, menus, notifications and errors. */
export const fileStates: readonly DashboardState[] = [
  { name: 'buckets', path: '/files', shown: testBucket },
  { name: 'folder', path: folder, shown: 'picture.png' },
  {
    // The states after it find the grid, which is remembered.
    name: 'grid',
    path: folder,
    reach: press('Show as grid'),
    shown: (files) => tile(files).locator(shownPicture),
  },
  {
    name: 'selection in the grid',
    path: folder,
    reach: (files) => tile(files).getByRole('checkbox').click(),
    shown: '1 selected',
  },
  {
    name: 'menu in the grid',
    path: folder,
    reach: press('Actions for picture.png'),
    shown: openMenu,
  },
  {
    name: 'list again',
    path: folder,
    reach: press('Show as list'),
    shown: (files) => button(files.page, 'Show as grid'),
  },
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
    },
    shown: 'The folder could not be loaded',
  },
  ...searchStates,
  ...headerStates,
  ...versionStates,
  {
    name: 'selection',
    path: folder,
    reach: (files) => files.select('text.txt', 'picture.png'),
    shown: '2 selected',
  },
  {
    name: 'row menu',
    path: folder,
    reach: press('Actions for text.txt'),
    shown: openMenu,
  },
  {
    name: 'copied address',
    path: folder,
    reach: (files) => files.act('text.txt', 'Copy S3 address'),
    shown: 'S3 address copied.',
  },
  {
    name: 'new folder with spaces',
    path: folder,
    async reach({ page }) {
      await new FileBrowser(page).choose('New', 'New folder')
      await page.getByLabel('Name', { exact: true }).fill(' a/b ')
      await button(page, 'Create').click()
    },
    shown: ({ page }) => page.getByRole('alert'),
  },
  {
    name: 'new text file without a name',
    path: folder,
    async reach({ page }) {
      await new FileBrowser(page).choose('New', 'New text file')
      await button(page, 'Create').click()
    },
    shown: 'Enter a name.',
  },
  {
    name: 'rename',
    path: folder,
    reach: (files) => files.act('text.txt', 'Rename'),
    shown: openDialog('Rename “text.txt”'),
  },
  {
    name: 'rename of a shared file',
    path: folder,
    reach: (files) => files.act('picture.png', 'Rename'),
    shown: 'keeps the old path',
  },
  {
    name: 'move',
    path: folder,
    reach: (files) => files.act('text.txt', 'Move to'),
    shown: openDialog('Move “text.txt”'),
  },
  {
    name: 'copy',
    path: folder,
    reach: (files) => files.act('text.txt', 'Copy to'),
    shown: openDialog('Copy “text.txt”'),
  },
  {
    name: 'cut',
    path: folder,
    async reach(files) {
      await files.select('text.txt', 'picture.png')
      await files.page.keyboard.press('Control+x')
    },
    shown: ({ page }) => button(page, 'Paste 2 items'),
  },
  {
    name: 'renamed',
    path: folder,
    async reach(files) {
      const { page } = files
      await files.act('data.bin', 'Rename')
      await page.getByLabel('New name').fill('data.txt')
      await page.keyboard.press('Enter')
      await files.dialog.waitFor({ state: 'detached' })
      // The row of the job, with a button for it, leaves by itself.
      await page.keyboard.press('Control+z')
      await showTransfers(files)
    },
    shown: ({ transfers }) => transfers.getByText(/^Undone: Renaming/),
  },
  {
    name: 'duplicated',
    path: folder,
    async reach(files) {
      await files.act('data.bin', 'Duplicate')
      await showTransfers(files)
      await files.transfers.getByText('Duplicated').first().waitFor()
    },
    shown: (files) => files.row('data (2).bin'),
  },
  {
    name: 'name conflicts',
    path: folder,
    reach: ({ page }) => upload(page, 'text.txt', 'data.bin'),
    shown: ({ dialog }) => dialog.getByText('2 files with these names already exist'),
  },
  {
    name: 'metadata of a file',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Edit metadata')
      await files.dialog.getByLabel('Content-Type').fill('text')
      await button(files.page, 'Add metadata').click()
      await files.press('Save')
    },
    shown: ({ dialog }) => dialog.getByText('Enter a name.'),
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
    shown: ({ dialog }) => button(dialog, 'Remove the line'),
  },
  {
    name: 'delete',
    path: folder,
    reach: (files) => files.act('text.txt', 'Delete permanently'),
    shown: openDialog('Delete “text.txt”?'),
  },
  ...shareStates,
  {
    name: 'folder details',
    path: folder,
    reach: (files) => files.act('empty', 'Details'),
    shown: ({ dialog }) => dialog.getByText('0 bytes'),
  },
  {
    name: 'sizes of folders',
    path: `/files/${testBucket}`,
    reach: (files) => files.act('states', 'Calculate size'),
    shown: (files) => files.row('states').locator('[data-tip*=", counted "]'),
  },
  {
    name: 'count of a folder',
    path: `/files/${testBucket}`,
    reach: showCount,
    shown: 'Counting 1 folder',
  },
  {
    name: 'details of a folder that is counted',
    path: `/files/${testBucket}`,
    async reach(files) {
      await showCount(files)
      await files.act('states', 'Details')
    },
    shown: ({ dialog }) => dialog.getByText('so far'),
  },
  {
    name: 'shortcuts',
    path: folder,
    async reach(files) {
      await files.row('picture.png').waitFor()
      await files.page.keyboard.press('?')
    },
    shown: openDialog('Keyboard shortcuts'),
  },
  {
    name: 'failed upload',
    path: folder,
    async reach(files) {
      const { page, transfers } = files
      const body =
        '<Error><Code>AccessDenied</Code><Message>Could not write photos/states/new.txt (EACCES).</Message></Error>'
      await page.route(/\/states\/new\.txt/, (route) => route.fulfill({ status: 403, body }))
      await upload(page, 'new.txt')
      await transfers.getByText('1 file not uploaded').waitFor()
      await showTransfers(files)
    },
    shown: 'Could not write',
  },
  { name: 'interrupted upload', path: folder, reach: interruptUpload, shown: interrupted },
  {
    name: 'resumed upload',
    path: folder,
    async reach(files) {
      const { page } = files
      await page.goto(page.url().replace(/\/files\/.*$/, film.folder))
      await showTransfers(files)
      await interrupted(files).first().waitFor()
      await chooseFilm(page)
    },
    shown: ({ transfers }) => transfers.getByText('1 file uploaded', { exact: true }),
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
    shown: '2 selected',
  },
  {
    name: 'refused ZIP file',
    path: folder,
    async reach(files) {
      const json = { message: 'Too many archives are being downloaded. Try again later.' }
      await files.page.route('**/-/api/archives', (route) => route.fulfill({ status: 503, json }))
      await files.act('empty', 'Download')
    },
    shown: 'The download could not be started',
  },
  {
    name: 'name conflict',
    path: folder,
    reach: ({ page }) => upload(page, 'text.txt'),
    shown: ({ dialog }) => dialog.getByText('A file with this name already exists'),
  },
  {
    name: 'picture',
    path: `${folder}&view=picture.png`,
    shown: ({ dialog }) => dialog.locator('img'),
  },
  {
    name: 'picture that fills the screen',
    path: `${folder}&view=picture.png`,
    reach: press('Full screen'),
    shown: ({ page }) => button(page, 'Exit full screen'),
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
    },
    shown: 'The trash is empty',
  },
  {
    name: 'trash with a file',
    path: folder,
    async reach(files) {
      const { page } = files
      await files.act('data (2).bin', 'Delete')
      await files.row('data (2).bin').waitFor({ state: 'detached' })
      await page.goto(page.url().replace(/files.*$/, 'trash'))
    },
    shown: ({ page }) => button(page, 'Restore'),
  },
]
