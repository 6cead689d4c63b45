import type { FileBrowser } from './file-browser.ts'
import { fileStates } from './file-states.ts'
import { testBucket } from './gateway-process.ts'
import { button, type DashboardState, openDialog, openMenu, press, steps } from './state-steps.ts'

const plot = ({ page }: FileBrowser) => page.getByRole('slider', { name: 'Requests' })

/** The values of one time. */
const plotValues = (files: FileBrowser) => plot(files).locator('b')

/** Usage of yesterday, as if models had been called. */
async function showUsage(files: FileBrowser): Promise<void> {
  const { page } = files
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
  await plot(files).focus()
}

/** The page as it comes, and each of its dialogs, menus, notifications and errors. */
export const dashboardStates: readonly DashboardState[] = [
  { name: 'overview', path: '/overview', shown: 'counted' },
  { name: 'buckets', path: '/files', shown: 'counted' },
  { name: 'menu of a bucket', path: '/files', reach: steps('More for public'), shown: openMenu },
  {
    name: 'pages of a phone',
    path: '/files',
    async reach({ page }) {
      const menu = button(page, 'More')
      await page.getByText('counted').first().waitFor()
      if (!(await menu.isVisible())) return
      await menu.click()
      await page.getByRole('dialog', { name: 'Pages' }).waitFor()
    },
    shown: 'counted',
  },
  { name: 'activity', path: '/activity', shown: 'Created an app key' },
  { name: 'failures', path: '/activity?what=failures', shown: 'Clear failures' },
  { name: 'no activity', path: '/activity?search=none-such', shown: 'Nothing matches' },
  {
    name: 'traffic of a time',
    path: '/overview',
    reach: (files) => plot(files).focus(),
    shown: plotValues,
  },
  { name: 'connect', path: '/connect', shown: 'aws --endpoint-url' },
  { name: 'settings', path: '/settings', shown: 'ALLOWED_BUCKETS' },
  {
    name: 'all settings',
    path: '/settings',
    reach: press('Show defaults'),
    shown: 'Hide defaults',
  },
  {
    name: 'no setting found',
    path: '/settings',
    reach: ({ page }) => page.getByLabel('Search the settings').fill('none-such'),
    shown: 'No setting matches',
  },
  {
    name: 'sign out everywhere',
    path: '/settings',
    reach: press('Sign out everywhere'),
    shown: openDialog('Sign out everywhere?'),
  },
  {
    name: 'new bucket',
    path: '/files',
    reach: steps('Create a bucket', 'Create the bucket'),
    shown: 'Use 3 to 63 characters',
  },
  {
    name: 'settings of a bucket',
    path: `/buckets/${testBucket}/settings`,
    reach: steps('Add an expiry rule', 'Add a CORS rule'),
    shown: /CORS rule \d/,
  },
  {
    name: 'CORS rules as JSON',
    path: `/buckets/${testBucket}/settings`,
    async reach(files) {
      await steps('Edit as JSON')(files)
      await files.page.getByLabel('CORS rules as JSON').fill('{')
    },
    shown: 'The rules stay as before',
  },
  { name: 'links of a bucket', path: `/buckets/${testBucket}/links`, shown: 'picture.png' },
  {
    name: 'activity of a bucket',
    path: `/buckets/${testBucket}/activity`,
    shown: 'Download refused',
  },
  { name: 'settings of no bucket', path: '/buckets/none/settings', shown: 'does not exist' },
  {
    name: 'overview without replies',
    path: '/overview',
    async reach({ page }) {
      await page.route('**/-/api/{status,traffic*,buckets}', (route) =>
        route.fulfill({ status: 500, json: { message: 'The database does not respond.' } }),
      )
      await page.reload()
    },
    shown: 'State unknown',
  },
  {
    name: 'abort of an upload',
    path: '/activity',
    reach: press('Abort the upload of states/open.mov'),
    shown: openDialog('Abort this upload?'),
  },
  {
    name: 'failed count',
    path: '/files',
    async reach(files) {
      const { page } = files
      await page.route('**/count', (route) => route.fulfill({ status: 500, json: {} }))
      await steps(`More for ${testBucket}`, 'Count again')(files)
    },
    shown: 'could not be counted',
  },
  ...fileStates,
  { name: 'keys', path: '/keys', shown: 'sample' },
  {
    name: 'new key',
    path: '/keys',
    async reach(files) {
      await steps('Create a key', 'Add another grant')(files)
      await files.page.getByLabel('Rights').first().selectOption('custom')
    },
    shown: 'Override locks',
  },
  {
    name: 'new secret',
    path: '/keys',
    async reach(files) {
      await steps('More for sample', 'Replace the secret')(files)
      await files.press('Replace the secret')
      await files.page.getByText('It will not be shown again').waitFor()
      await files.page.keyboard.press('Escape')
    },
    shown: 'is not copied yet',
  },
  { name: 'key menu', path: '/keys', reach: press('More for sample'), shown: openMenu },
  {
    name: 'new secret question',
    path: '/keys',
    reach: steps('More for sample', 'Replace the secret'),
    shown: openDialog('Replace the secret of sample?'),
  },
  {
    name: 'revoke',
    path: '/keys',
    reach: steps('More for sample', 'Revoke'),
    shown: openDialog('Revoke sample?'),
  },
  { name: 'models', path: '/models', shown: 'No connections yet' },
  { name: 'listed models', path: '/models/listed', shown: 'openai/gpt-5' },
  {
    name: 'new connection',
    path: '/models',
    reach: press('Add a connection'),
    shown: openDialog('New connection'),
  },
  {
    name: 'combos',
    path: '/models/combos',
    reach: press('Add a combo'),
    shown: openDialog('New combo'),
  },
  { name: 'aliases', path: '/models/aliases', shown: 'No aliases yet' },
  { name: 'custom models', path: '/models/custom', shown: 'No custom models yet' },
  { name: 'import and export', path: '/models/transfer', shown: 'Save export' },
  {
    name: 'failed try of a model',
    path: '/models/try?model=openai/gpt-5',
    async reach({ page }) {
      await page.getByLabel('Question').fill('Hello?')
      await page.getByLabel('Question').press('Control+Enter')
    },
    shown: 'The model did not answer',
  },
  {
    name: 'answer of a model',
    path: '/models/try?model=openai/gpt-5',
    async reach({ page }) {
      const json = { choices: [{ message: { content: 'A long line of an answer. '.repeat(99) } }] }
      await page.route('**/-/api/calls/**', (route) => route.fulfill({ json }))
      await page.getByLabel('Question').fill('Hello?')
      await page.getByLabel('Question').press('Control+Enter')
    },
    shown: 'A long line',
  },
  { name: 'model keys', path: '/models/keys', shown: 'No model keys yet' },
  {
    name: 'new model key',
    path: '/models/keys',
    async reach({ page }) {
      await button(page, 'Create a key').click()
      await page.getByLabel('Tokens per month').fill('0')
      await page.getByRole('textbox', { name: 'Name' }).fill('app')
      await button(page, 'Create the key').click()
    },
    shown: 'Use 1 or more.',
  },
  { name: 'usage', path: '/models/usage', reach: showUsage, shown: plotValues },
  { name: 'no page', path: '/nowhere', shown: 'Page not found' },
]
