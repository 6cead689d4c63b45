import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, signIn, tokenOf, useDashboard } from '../support/dashboard.ts'
import { testBucket } from '../support/gateway-process.ts'
import { signedFetch } from '../support/signed-fetch.ts'

describe('Pages of the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()

  test('keep their state after a reload', async () => {
    const page = await dashboard().openSignedIn('/models/listed?list=image&search=open')
    await page.getByText('GET /v1/models/image').waitFor()
    await page.reload()
    await page.getByText('GET /v1/models/image').waitFor()
    assert.equal(await page.getByLabel('Search the models').inputValue(), 'open')
  })

  test('are reachable by keyboard: the skip link skips the header', async () => {
    const page = await dashboard().openSignedIn('/models/listed')
    await page.getByText('GET /v1/models').waitFor()
    await page.reload()
    await page.getByText('GET /v1/models').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.locator('#main:focus').waitFor()
  })

  test('the color scheme can be switched and is remembered', async () => {
    const page = await dashboard().openSignedIn('/', { colorScheme: 'light' })
    await page.getByRole('button', { name: 'Dark mode' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Light mode' }).waitFor()
    const scheme = await page.evaluate('document.documentElement.dataset.mantineColorScheme')
    assert.equal(scheme, 'dark')
  })

  test('on a phone the menu of all pages is a list: each icon stands before its word', async () => {
    const page = await dashboard().openSignedIn('/files', { viewport: { width: 390, height: 800 } })
    await page.getByRole('button', { name: 'More', exact: true }).click()
    const link = page.getByRole('dialog', { name: 'Pages' }).getByRole('link', { name: 'App keys' })
    const icon = await link.locator('svg').boundingBox()
    const whole = await link.boundingBox()
    assert.ok(icon !== null && whole !== null)
    assert.ok(icon.x < whole.x + 20, JSON.stringify({ icon, whole }))
  })

  test('the Content-Security-Policy blocks nothing of the pages', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})

describe('The pages of a gateway', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()

  test('each page shows its part: stored data, client settings, failures, settings', async () => {
    const { gateway } = dashboard()
    await signedFetch(gateway, { method: 'PUT', target: `/${testBucket}/a.txt`, body: 'hello' })
    await fetch(`${gateway.url}/${testBucket}/a.txt`, { method: 'DELETE' })
    const page = await dashboard().openSignedIn('/')
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true })
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor()
    const row = page.getByRole('row').filter({ hasText: testBucket })
    await row.getByText('5 bytes').waitFor()
    await pages.getByRole('link', { name: 'Connect' }).click()
    await page.getByText('aws --endpoint-url').filter({ hasText: gateway.url }).waitFor()
    await pages.getByRole('link', { name: 'Activity' }).click()
    await page.getByText(`Deletion refused ${testBucket}/a.txt`).waitFor()
    assert.equal(await page.getByText('DeleteObject').count(), 0)
    await page.getByRole('button', { name: 'Technical details: Deletion refused' }).click()
    await page.getByText('DeleteObject, 403 AccessDenied').waitFor()
    await pages.getByRole('link', { name: 'Settings' }).click()
    const settings = page.getByRole('region', { name: 'Startup settings' })
    await settings.getByText('PORT', { exact: true }).waitFor()
    assert.equal(await settings.getByText('TRASH_DAYS').count(), 0)
    await settings.getByLabel('Search the settings').fill('trash days')
    await settings.getByText('TRASH_DAYS').first().waitFor()
    await settings.getByText('PORT', { exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(await barriers(page), [])
    assert.equal(await page.getByText(gateway.credentials.secretKey).count(), 0)
  })

  test('on a phone daily pages are at the bottom, the others in a drawer; choosing a page, Escape and a tap outside close it', async () => {
    const page = await dashboard().openSignedIn('/', { viewport: { width: 320, height: 568 } })
    const drawer = page.getByRole('dialog', { name: 'Pages' })
    const open = () => page.getByRole('button', { name: 'More', exact: true }).click()
    const bar = page.getByRole('navigation', { name: 'Daily pages' })
    await bar.getByRole('link', { name: 'Links' }).click()
    await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor()
    const place = await bar.boundingBox()
    assert.ok(place !== null && place.y + place.height <= 568 && place.y > 500)
    await open()
    assert.ok(await drawer.getByRole('button', { name: 'Sign out' }).isVisible())
    await drawer.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    await drawer.waitFor({ state: 'hidden' })
    await open()
    assert.equal(await drawer.locator('[aria-current=page]').textContent(), 'Settings')
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await open()
    await drawer.waitFor()
    await page.mouse.click(310, 300)
    await drawer.waitFor({ state: 'hidden' })
  })

  test('shows current activity accessibly', async () => {
    const { gateway } = dashboard()
    await signedFetch(gateway, { method: 'PUT', target: `/${testBucket}/old/a`, body: 'a' })
    await signedFetch(gateway, { method: 'POST', target: `/${testBucket}/open.mov?uploads` })
    const page = await dashboard().openSignedIn('/activity')
    const reply = await fetch(`${gateway.url}/-/api/file-jobs`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await tokenOf(page)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ action: 'delete', bucket: testBucket, paths: ['old/'] }),
    })
    assert.equal(reply.status, 202)
    await page.reload()
    await page.getByText('1 object deleted').waitFor()
    await page.getByText(`Deleted permanently ${testBucket}/old/`).waitFor()
    await page.getByText(`${testBucket}/open.mov`).waitFor()
    assert.deepEqual(await barriers(page), [])
  })

  test('activity lists changes and failures with who made them, is filtered, and failures are cleared', async () => {
    const { gateway } = dashboard()
    const page = await dashboard().openSignedIn('/')
    await page.evaluate(`fetch('/-/api/presign', { method: 'POST', headers: {
      authorization: 'Bearer ' + JSON.parse(localStorage['bucketry.session']).token,
      'content-type': 'application/json',
    }, body: '{}' })`)
    const target = `/${testBucket}/written.txt`
    await signedFetch(gateway, { method: 'PUT', target, body: 'secret contents' })
    for (const key of ['apple', 'pear']) await fetch(`${gateway.url}/${testBucket}/${key}`)
    await page.getByRole('link', { name: 'Activity' }).click()
    const section = page.getByRole('region', { name: 'Changes and failures' })
    const written = section.getByRole('listitem').filter({ hasText: 'written.txt' })
    await written.getByText('with the main key').waitFor()
    await section.getByText(`Download refused ${testBucket}/apple`).waitFor()
    assert.equal(await section.getByText('presign').count(), 0)
    await section.getByLabel('Search the activity').fill('PEAR 403')
    await section.getByText('/apple').waitFor({ state: 'detached' })
    await section.getByText('/pear').first().waitFor()
    await page.reload()
    await section.getByText('/pear').first().waitFor()
    await section.getByLabel('Search the activity').fill('uploaded main')
    await section.getByText('/pear').first().waitFor({ state: 'detached' })
    await written.waitFor()
    await section.getByLabel('Search the activity').fill('')
    await section.getByLabel('Result').selectOption('2xx')
    await section.getByText('/pear').first().waitFor({ state: 'detached' })
    await written.waitFor()
    await section.getByLabel('Bucket', { exact: true }).selectOption(testBucket)
    await section.getByLabel('Time').selectOption('hour')
    await section.getByText('Failures', { exact: true }).click()
    await section.getByText('Nothing matches the filter').waitFor()
    await section.getByRole('button', { name: 'Show all' }).click()
    await section.getByText('/pear').first().waitFor()
    assert.deepEqual(await barriers(page), [])
    await section.getByText('Failures', { exact: true }).click()
    await section.getByRole('button', { name: 'Clear failures' }).click()
    await section.getByText('Nothing matches the filter').waitFor()
    await section.getByText('Changes', { exact: true }).click()
    await written.waitFor()
    assert.equal(await page.getByText('secret contents').count(), 0)
  })

  test('settings to paste contain the page address and the access key', async () => {
    const { gateway } = dashboard()
    const { port } = new URL(gateway.url)
    const page = await dashboard().openSignedIn('/connect')
    await page.goto(`http://localhost:${port}/-/connect`)
    await signIn(page)
    const settings = page.getByText('aws --endpoint-url')
    await settings.filter({ hasText: `http://localhost:${port}` }).waitFor()
    await settings.filter({ hasText: gateway.credentials.accessKey }).waitFor()
    await page.getByText('The value of SECRET_KEY in the environment').waitFor()
    await settings.filter({ hasText: 'YOUR_SECRET_KEY' }).waitFor()
    await page.getByLabel('Secret key', { exact: true }).fill('typed-secret')
    await settings.filter({ hasText: 'AWS_SECRET_ACCESS_KEY=typed-secret' }).waitFor()
    await page.getByLabel('Bucket in the examples').selectOption('public')
    await page.getByRole('tab', { name: 'Terraform' }).click()
    await page.getByText('secret_key                  = "typed-secret"').waitFor()
    assert.deepEqual(await barriers(page), [])
  })

  test('aborts an open upload after confirmation', async () => {
    const { gateway } = dashboard()
    const target = `/${testBucket}/film.mov?uploads`
    const reply = await signedFetch(gateway, { method: 'POST', target })
    assert.equal(reply.status, 200)
    const page = await dashboard().openSignedIn('/activity')
    await page.getByRole('button', { name: 'Abort the upload of film.mov' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Abort the upload' }).click()
    await page.getByText(`${testBucket}/film.mov`).waitFor({ state: 'detached' })
  })

  test('copies settings without the clipboard API, as on plain http', async () => {
    const { gateway } = dashboard()
    const page = await dashboard().openSignedIn('/connect')
    await page.evaluate(`
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
      document.addEventListener('copy', () => { globalThis.copied = getSelection().toString() })
    `)
    await page.getByRole('button', { name: 'Copy region' }).click()
    await page.getByRole('button', { name: 'Copied region' }).waitFor()
    assert.equal(await page.evaluate('globalThis.copied'), gateway.credentials.region)
    assert.deepEqual(dashboard().complaints(), [])
  })
})

describe('The models pages', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({ MODELS_API_KEY: 'models-key-0123456789' })

  test('list the models although the list needs a key that the browser does not have', async () => {
    const page = await dashboard().openSignedIn('/models/listed')
    await page.getByText('openai/gpt-5', { exact: true }).waitFor()
    await page.getByLabel('Search the models').fill('claude opus')
    await page
      .getByText(/^anthropic\/claude-opus/)
      .first()
      .waitFor()
    assert.equal(await page.getByText('openai/gpt-5', { exact: true }).count(), 0)
  })

  test('a connection is added, tested, edited with its key kept, switched off and deleted', async () => {
    const page = await dashboard().openSignedIn('/models')
    await page.getByText('Add one, then make a model key for each app').waitFor()
    await page.getByRole('button', { name: 'Add a connection' }).click()
    const dialog = page.getByRole('dialog', { name: 'New connection' })
    const kind = dialog.getByLabel('Kind')
    await kind.and(page.locator(':focus')).waitFor()
    await kind.selectOption('openai-compatible')
    await page.getByLabel('Name').fill('Lab')
    await page.getByLabel('API key', { exact: true }).fill('sk-0123456789abcdef')
    await page.getByLabel('Base URL').fill('no url')
    await page.getByRole('button', { name: 'Add the connection' }).click()
    await page.getByText('expected an http:// or https:// URL').waitFor()
    await page.getByLabel('Base URL').fill('http://127.0.0.1:1/v1')
    await page.getByRole('textbox', { name: 'Models' }).fill('big\nsmall')
    await page.getByRole('button', { name: 'Add the connection' }).click()

    await dialog.waitFor({ state: 'detached' })
    await page.getByText('2 models listed').waitFor()
    await page.getByRole('button', { name: 'Test Lab' }).click()
    await page.getByText('Connection failed').waitFor()

    await page.getByRole('button', { name: 'Edit Lab' }).click()
    await page.getByRole('dialog', { name: 'Edit Lab' }).getByLabel('Prefix').fill('lab')
    await page.getByLabel('Priority').fill('1')
    await page.getByLabel('Weight').fill('half')
    await page.getByLabel('Price').fill('3, 15')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Use a number.').waitFor()
    await page.getByLabel('Weight').fill('3')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('prefix lab').waitFor()
    await page.getByText('priority 1 · weight 3').waitFor()
    assert.equal(await apiKeyOf(page), '****cdef')

    await page.locator('label', { has: page.getByLabel('Lab is active') }).click()
    await page.getByLabel('Lab is active').and(page.locator(':not(:checked)')).waitFor()

    await page.getByRole('button', { name: 'More for Lab' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete the connection' }).click()
    await page.getByText('No connections yet').waitFor()
  })

  test('explain that the list is for clients of a router, and show its address', async () => {
    const page = await dashboard().openSignedIn('/models/listed')
    await page.getByText('Apps cannot call these models until you add a connection.').waitFor()
    await page.getByText('Apps call the models of your connections').waitFor()
    const address = `${dashboard().gateway.url}/v1/models`
    await page.getByText(address, { exact: true }).waitFor()
    // Behind a proxy the gateway may know itself by another address than the page.
    await page.route('**/-/api/status', async (route) => {
      const reply = await route.fetch()
      const status = await reply.json()
      const endpoint = { ...status.endpoint, url: 'http://inside.test', isPublicUrl: false }
      await route.fulfill({ response: reply, json: { ...status, endpoint } })
    })
    const replied = page.waitForResponse('**/-/api/status')
    await page.reload()
    await replied
    await page.getByText(address, { exact: true }).waitFor()
  })

  test('warn of a combo with a model that no list contains', async () => {
    const page = await dashboard().openSignedIn('/models/combos')
    await page.getByRole('button', { name: 'Add a combo' }).click()
    await page.getByLabel('Name').fill('smart')
    await page.getByRole('textbox', { name: 'Models' }).fill('openai/no-such-model')
    await page.getByRole('button', { name: 'Add the combo' }).click()
    await page.getByText('No list contains the model openai/no-such-model').waitFor()
    await page.getByRole('button', { name: 'Delete smart' }).click()
    await page.getByRole('button', { name: 'Delete the combo' }).click()
    await page.getByText('No combos yet').waitFor()
  })

  test('import an export and a 9router file', async () => {
    const page = await dashboard().openSignedIn('/models/transfer')
    const file = (name: string, content: object) => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(content)),
    })
    const input = page.locator('input[type=file]')
    await input.setInputFiles(file('9router.json', { modelAliases: { mine: 'openai/gpt-5' } }))
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('0 connections, 0 combos, 0 custom models, 1 alias').waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save export' }).click()
    const path = await (await download).path()
    await page.reload()
    await input.setInputFiles(path)
    await page.getByText('Remove before importing').click()
    await page.getByRole('button', { name: 'Remove all and import' }).click()
    await page.getByText('0 connections, 0 combos, 0 custom models, 1 alias').waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  async function apiKeyOf(page: Page): Promise<string | undefined> {
    const reply = await fetch(`${dashboard().gateway.url}/-/api/routing`, {
      headers: { authorization: `Bearer ${await tokenOf(page)}` },
    })
    const { connections } = (await reply.json()) as { connections: { apiKey?: string }[] }
    return connections[0]?.apiKey
  }
})
