import type { Locator, Page } from 'playwright-core'
import { FileBrowser } from './file-browser.ts'
import { testBucket } from './gateway-process.ts'

/** A state of the dashboard that a person can reach. */
export interface DashboardState {
  readonly name: string
  /** Below `/-`. */
  readonly path: string
  /** Resolves when the state is shown; by default, when `shown` is. */
  readonly reach?: (files: FileBrowser) => Promise<unknown>
  readonly shown?: string
}

const button = (page: Page, name: string, place: Page | Locator = page) =>
  place.getByRole('button', { name, exact: true })

const press = (name: string) => (files: FileBrowser) => button(files.page, name).click()

/** Presses buttons, then items of a menu, one after the other. */
function steps(...names: readonly string[]) {
  return async ({ page }: FileBrowser) => {
    for (const name of names) {
      const item = page.getByRole('menuitem', { name })
      await button(page, name).or(item).last().click()
    }
  }
}

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
  await steps('Upload', 'Files')(new FileBrowser(page))
  await (await chooser).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from('x') })
}

const folder = `/files/${testBucket}?prefix=states/`

/** Usage of yesterday, as if models had been called. */
async function showUsage({ page }: FileBrowser): Promise<void> {
  const dayMs = 86_400_000
  const from = new Date((Math.floor(Date.now() / dayMs) - 1) * dayMs).toISOString()
  const row = {
    ...{ from, keyId: '', connectionId: 'gone', model: 'lab/a-model-with-a-long-name' },
    ...{ requests: 12_345, errors: 300, fallbacks: 100, inputTokens: 1e9, outputTokens: 1e8 },
    ...{ receivedBytes: 1e9, sentBytes: 1e10, firstByteMs: 420 },
  }
  const json = { from, to: from, rows: [row], isCut: false }
  await page.route('**/-/api/usage?*', (route) => route.fulfill({ json }))
  await page.reload()
  await page.getByText('Table of tokens').click()
  await page.getByRole('slider', { name: 'Requests' }).focus()
}

/** The page as it comes, and each of its dialogs, menus, notifications and errors. */
export const dashboardStates: readonly DashboardState[] = [
  { name: 'overview', path: '/', shown: 'counted' },
  {
    name: 'pages of a phone',
    path: '/',
    async reach({ page }) {
      const menu = button(page, 'Pages')
      await page.getByText('counted').first().waitFor()
      if (await menu.isVisible()) await menu.click()
    },
  },
  { name: 'activity', path: '/activity', shown: 'createKey' },
  { name: 'failures', path: '/activity?what=failures', shown: 'Clear failures' },
  { name: 'no activity', path: '/activity?search=none-such', shown: 'No request matches' },
  {
    name: 'traffic of a time',
    path: '/',
    reach: ({ page }) => page.getByRole('slider', { name: 'Requests' }).focus(),
  },
  { name: 'connect', path: '/connect', shown: 'aws --endpoint-url' },
  { name: 'settings', path: '/settings', shown: 'ALLOWED_BUCKETS' },
  { name: 'new bucket', path: '/', reach: steps('Create a bucket', 'Create the bucket') },
  {
    name: 'settings of a bucket',
    path: '/',
    reach: steps(`Settings of ${testBucket}`, 'Add an expiry rule'),
  },
  {
    name: 'abort of an upload',
    path: '/activity',
    reach: steps('Abort the upload of states/open.mov'),
  },
  {
    name: 'failed count',
    path: '/',
    async reach({ page }) {
      await page.route('**/count', (route) => route.fulfill({ status: 500, json: {} }))
      await button(page, `Recount ${testBucket}`).click()
      await page.getByText('could not be counted').waitFor()
    },
  },
  { name: 'buckets', path: '/files', shown: testBucket },
  { name: 'folder', path: folder, shown: 'picture.png' },
  { name: 'empty folder', path: `${folder}empty/`, shown: 'This folder is empty' },
  { name: 'missing folder', path: `${folder}none/`, shown: 'does not exist' },
  { name: 'unknown bucket', path: '/files/unknown', shown: 'does not exist' },
  { name: 'filter without result', path: `${folder}&filter=none`, shown: 'Nothing found' },
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
  { name: 'selection', path: folder, reach: (files) => files.select('text.txt', 'picture.png') },
  { name: 'upload menu', path: folder, reach: press('Upload') },
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
      await button(page, 'New folder').click()
      await page.getByLabel('Name', { exact: true }).fill(' a/b ')
      await button(page, 'Create').click()
      await page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'new folder without a name',
    path: folder,
    async reach({ page }) {
      await button(page, 'New folder').click()
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
      await steps('Upload', 'Files')(new FileBrowser(page))
      const file = { mimeType: 'text/plain', buffer: Buffer.from('x') }
      await (await chooser).setFiles([
        { ...file, name: 'text.txt' },
        { ...file, name: 'data.bin' },
      ])
      await dialog.getByText('2 files with these names already exist').waitFor()
    },
  },
  { name: 'delete', path: folder, reach: (files) => files.act('text.txt', 'Delete') },
  {
    name: 'share',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.page.getByLabel('Ends').selectOption('date')
      await files.page.getByLabel('Password', { exact: true }).fill('short')
      await files.press('Create link')
      await files.page.getByText('Choose a day').waitFor()
    },
  },
  {
    name: 'made link',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.press('Create link')
      await files.page.getByText('shows how often').waitFor()
    },
  },
  {
    name: 'link for uploads',
    path: folder,
    async reach(files) {
      await files.act('empty', 'Share link')
      await files.dialog.getByRole('tab', { name: 'To send files' }).click()
      await files.page.getByLabel('Types').fill('a/b')
      await files.press('Create link')
      await files.page.getByText('Write endings of names').waitFor()
    },
  },
  { name: 'links', path: '/shares', shown: 'Shared links' },
  { name: 'revoke a link', path: '/shares', reach: steps('Revoke the link to picture.png') },
  {
    name: 'signed link',
    path: folder,
    async reach(files) {
      await files.act('text.txt', 'Share link')
      await files.dialog.getByRole('tab', { name: 'For scripts' }).click()
      await files.dialog.getByText('Other').click()
      await files.page.getByLabel('Duration').fill('9')
      await files.page.getByText('Enter a duration').waitFor()
    },
  },
  { name: 'folder details', path: folder, reach: (files) => files.act('empty', 'Details') },
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
  {
    name: 'name conflict',
    path: folder,
    async reach({ page, dialog }) {
      await upload(page, 'text.txt')
      await dialog.getByText('A file with this name already exists').waitFor()
    },
  },
  { name: 'picture', path: `${folder}&view=picture.png`, shown: 'ETag' },
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
    path: '/trash',
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
      await files.press('Move to trash')
      await files.dialog.waitFor({ state: 'detached' })
      await page.goto(page.url().replace(/files.*$/, 'trash'))
      await page.getByRole('button', { name: 'Restore', exact: true }).first().waitFor()
    },
  },
  { name: 'keys', path: '/keys', shown: 'sample' },
  {
    name: 'new key',
    path: '/keys',
    async reach({ page }) {
      await steps('Create a key', 'Add another grant')({ page } as FileBrowser)
      await page.getByLabel('Rights').first().selectOption('custom')
    },
  },
  {
    name: 'new secret',
    path: '/keys',
    async reach(files) {
      await files.page.getByRole('button', { name: 'More for sample' }).click()
      await files.page.getByRole('menuitem', { name: 'Replace the secret' }).click()
      await button(files.page, 'Replace the secret').click()
      await files.page.getByText('It is not shown again').waitFor()
      await files.page.keyboard.press('Escape')
      await files.page.getByText('is not copied yet').waitFor()
    },
  },
  { name: 'key menu', path: '/keys', reach: steps('More for sample') },
  {
    name: 'new secret question',
    path: '/keys',
    reach: steps('More for sample', 'Replace the secret'),
  },
  { name: 'revoke', path: '/keys', reach: steps('More for sample', 'Revoke') },
  { name: 'models', path: '/models', shown: 'openai/gpt-5' },
  { name: 'connections', path: '/models/connections', shown: 'No connections yet' },
  { name: 'new connection', path: '/models/connections', reach: steps('Add a connection') },
  { name: 'combos', path: '/models/combos', reach: steps('Add a combo', 'Add the combo') },
  { name: 'aliases', path: '/models/aliases', shown: 'No aliases yet' },
  { name: 'custom models', path: '/models/custom', shown: 'No custom models yet' },
  { name: 'import and export', path: '/models/transfer', shown: 'Save export' },
  {
    name: 'failed try of a model',
    path: '/models/try?model=openai/gpt-5',
    async reach({ page }) {
      await page.getByLabel('Question').fill('Hello?')
      await page.getByLabel('Question').press('Control+Enter')
      await page.getByText('The model did not answer').waitFor()
    },
  },
  {
    name: 'answer of a model',
    path: '/models/try?model=openai/gpt-5',
    async reach({ page }) {
      const json = { choices: [{ message: { content: 'A long line of an answer. '.repeat(99) } }] }
      await page.route('**/-/api/calls/**', (route) => route.fulfill({ json }))
      await page.getByLabel('Question').fill('Hello?')
      await page.getByLabel('Question').press('Control+Enter')
      await page.getByText('A long line').waitFor()
    },
  },
  { name: 'model keys', path: '/models/keys', shown: 'No model keys yet' },
  {
    name: 'new model key',
    path: '/models/keys',
    async reach({ page }) {
      await button(page, 'Create a key').click()
      await page.getByLabel('Tokens a month').fill('0')
      await page.getByLabel('Name').fill('app')
      await button(page, 'Create the key').click()
      await page.getByText('expected number').waitFor()
    },
  },
  { name: 'usage', path: '/models/usage', reach: showUsage },
  { name: 'no page', path: '/nowhere', shown: 'Page not found' },
]
