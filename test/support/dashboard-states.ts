import type { FileBrowser } from './file-browser.ts'
import { fileStates } from './file-states.ts'
import { testBucket } from './gateway-process.ts'
import { button, type DashboardState, steps } from './state-steps.ts'

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
  { name: 'overview', path: '/overview', shown: 'counted' },
  { name: 'buckets', path: '/files', shown: 'counted' },
  { name: 'menu of a bucket', path: '/files', reach: steps('More for public') },
  {
    name: 'pages of a phone',
    path: '/files',
    async reach({ page }) {
      const menu = button(page, 'More')
      await page.getByText('counted').first().waitFor()
      if (await menu.isVisible()) await menu.click()
    },
  },
  { name: 'activity', path: '/activity', shown: 'Created an app key' },
  { name: 'failures', path: '/activity?what=failures', shown: 'Clear failures' },
  { name: 'no activity', path: '/activity?search=none-such', shown: 'Nothing matches' },
  {
    name: 'traffic of a time',
    path: '/overview',
    reach: ({ page }) => page.getByRole('slider', { name: 'Requests' }).focus(),
  },
  { name: 'connect', path: '/connect', shown: 'aws --endpoint-url' },
  { name: 'settings', path: '/settings', shown: 'ALLOWED_BUCKETS' },
  {
    name: 'all settings',
    path: '/settings',
    async reach({ page }) {
      await page.getByText('ALLOWED_BUCKETS').first().waitFor()
      await button(page, 'Show defaults').click()
    },
  },
  {
    name: 'no setting found',
    path: '/settings',
    async reach({ page }) {
      await page.getByText('ALLOWED_BUCKETS').first().waitFor()
      await page.getByLabel('Search the settings').fill('none-such')
      await page.getByText('No setting matches').waitFor()
    },
  },
  { name: 'sign out everywhere', path: '/settings', reach: steps('Sign out everywhere') },
  { name: 'new bucket', path: '/files', reach: steps('Create a bucket', 'Create the bucket') },
  {
    name: 'settings of a bucket',
    path: `/buckets/${testBucket}/settings`,
    reach: steps('Add an expiry rule', 'Add a CORS rule'),
  },
  {
    name: 'CORS rules as JSON',
    path: `/buckets/${testBucket}/settings`,
    async reach(files) {
      await steps('Edit as JSON')(files)
      await files.page.getByLabel('CORS rules as JSON').fill('{')
      await files.page.getByText('The rules stay as before').waitFor()
    },
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
      await page.getByText('The state is unknown').waitFor()
    },
  },
  {
    name: 'abort of an upload',
    path: '/activity',
    reach: steps('Abort the upload of states/open.mov'),
  },
  {
    name: 'failed count',
    path: '/files',
    async reach(files) {
      const { page } = files
      await page.route('**/count', (route) => route.fulfill({ status: 500, json: {} }))
      await steps(`More for ${testBucket}`, 'Count again')(files)
      await page.getByText('could not be counted').waitFor()
    },
  },
  ...fileStates,
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
      await files.page.getByText('It will not be shown again').waitFor()
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
  { name: 'models', path: '/models', shown: 'No connections yet' },
  { name: 'listed models', path: '/models/listed', shown: 'openai/gpt-5' },
  { name: 'new connection', path: '/models', reach: steps('Add a connection') },
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
      await page.getByLabel('Tokens per month').fill('0')
      await page.getByLabel('Name').fill('app')
      await button(page, 'Create the key').click()
      await page.getByText('expected number').waitFor()
    },
  },
  { name: 'usage', path: '/models/usage', reach: showUsage },
  { name: 'no page', path: '/nowhere', shown: 'Page not found' },
]
