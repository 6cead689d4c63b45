import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, type Dashboard, useDashboard } from '../support/dashboard.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const other = 'backup'

/** Fills in the dialog and returns the key that the next dialog shows. */
async function createKey(page: Page, name: string, bucket: string, rights: string) {
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await dialog.getByLabel('Bucket').selectOption(bucket)
  await dialog.getByLabel('Rights').selectOption({ label: rights })
  await dialog.getByRole('button', { name: 'Create the key' }).click()
  return await secretOf(page)
}

/** Reads the dialog with a new secret, and closes it. */
async function secretOf(page: Page) {
  const dialog = page.getByRole('dialog').filter({ hasText: 'It will not be shown again' })
  await dialog.waitFor()
  const values = dialog.locator('code')
  const [accessKey = '', secretKey = ''] = await values.allTextContents()
  const settings = await dialog.locator('pre').first().textContent()
  assert.ok(settings?.includes(secretKey), 'the settings to paste have the secret')
  await dialog.getByRole('button', { name: 'Copy secret key' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await dialog.waitFor({ state: 'detached' })
  return { accessKey, secretKey, region: 'us-east-1' }
}

/** Every worker knows of a change within a second. */
async function untilStatus(
  { gateway }: Dashboard,
  credentials: Awaited<ReturnType<typeof secretOf>>,
  target: string,
  status: number,
): Promise<void> {
  const server = { host: gateway.host, credentials }
  await until(async () => {
    const reply = await signedFetch(server, { method: 'GET', target })
    await reply.text()
    return reply.status === status
  })
}

describe('Access keys in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({ ALLOWED_BUCKETS: `${testBucket},public,${other}` })

  test('two apps get a key each, and do not see the bucket of the other', async () => {
    const page = await dashboard().openSignedIn('/keys')
    await page.getByText('No keys yet').waitFor()
    const photos = await createKey(page, 'photo app', testBucket, 'List and read')
    const backup = await createKey(page, 'backup app', other, 'List, read, write and delete')
    await page.getByText(`${testBucket}: list and read`).waitFor()
    await page.getByText(`${other}: list, read, write and delete`).waitFor()
    await untilStatus(dashboard(), photos, `/${testBucket}`, 200)
    await untilStatus(dashboard(), photos, `/${other}`, 403)
    await untilStatus(dashboard(), backup, `/${other}`, 200)
    await untilStatus(dashboard(), backup, `/${testBucket}`, 403)
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('a new secret stays until it is copied or confirmed', async () => {
    const page = await dashboard().openSignedIn('/')
    await page.getByRole('link', { name: 'App keys' }).click()
    const open = async (name: string) => {
      await page.getByRole('button', { name: 'Create a key' }).click()
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
      await page.getByRole('button', { name: 'Create the key' }).click()
      const dialog = page.getByRole('dialog').filter({ hasText: 'It will not be shown again' })
      await dialog.waitFor()
      return page.getByRole('dialog', { name: `The secret of ${name}` })
    }
    const dialog = await open('kept')
    const attempts = [
      () => page.keyboard.press('Escape'),
      () => page.mouse.click(3, 300),
      () => page.goBack(),
      () => page.goBack(),
      () => dialog.getByRole('button', { name: 'Close' }).click(),
    ]
    for (const attempt of attempts) {
      await attempt()
      await dialog.getByText('The secret key is not copied yet').waitFor()
    }
    assert.equal(new URL(page.url()).pathname, '/-/keys')
    await dialog.getByRole('button', { name: 'I have saved the secret key' }).click()
    await dialog.waitFor({ state: 'detached' })
    const copied = await open('copied')
    await copied.getByRole('button', { name: 'Copy secret key' }).click()
    await copied.getByRole('button', { name: 'Done' }).waitFor()
    await page.goBack()
    await copied.waitFor({ state: 'detached' })
    await page.getByText('copied', { exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Files' }).waitFor()
  })

  test('a key is changed, disabled, rotated and revoked', async () => {
    const page = await dashboard().openSignedIn('/keys')
    const made = await createKey(page, 'changing', testBucket, 'Everything')
    const target = `/${testBucket}`
    await page.getByRole('button', { name: 'Change changing' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Only names that begin with').fill('public/')
    assert.deepEqual(await barriers(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    // The right to manage a bucket is about the whole bucket.
    await dialog.getByText('cannot have a prefix').waitFor()
    await dialog.getByLabel('Rights').selectOption({ label: 'List and read' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText(`${testBucket}, public/…: list and read`).waitFor()
    await untilStatus(dashboard(), made, target, 403)
    await untilStatus(dashboard(), made, `${target}?prefix=public%2F`, 200)

    const active = page.getByRole('switch', { name: 'changing is active' })
    await active.click({ force: true })
    await page.getByText('disabled', { exact: true }).waitFor()
    await untilStatus(dashboard(), made, `${target}?prefix=public%2F`, 403)
    await active.click({ force: true })
    await page.getByText('disabled', { exact: true }).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'More for changing' }).click()
    await page.getByRole('menuitem', { name: 'Replace the secret' }).click()
    await page.getByRole('button', { name: 'Replace the secret' }).click()
    const renewed = await secretOf(page)
    assert.equal(renewed.accessKey, made.accessKey)
    await page.getByText('old secret still valid').waitFor()
    for (const credentials of [made, renewed]) {
      await untilStatus(dashboard(), credentials, `${target}?prefix=public%2F`, 200)
    }

    await page.getByRole('button', { name: 'More for changing' }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByRole('button', { name: 'Change changing' }).waitFor({ state: 'detached' })
    await untilStatus(dashboard(), renewed, `${target}?prefix=public%2F`, 403)
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('an app key is chosen for the settings to paste', async () => {
    const page = await dashboard().openSignedIn('/keys')
    const made = await createKey(page, 'pasting', other, 'List and read')
    await createKey(page, 'switched off', other, 'List and read')
    await page.getByRole('switch', { name: 'switched off is active' }).click({ force: true })
    await page.getByText('disabled', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Connect' }).click()
    const settings = page.getByText('aws --endpoint-url')
    const keys = page.getByRole('combobox', { name: 'Key', exact: true })
    await settings.filter({ hasText: dashboard().gateway.credentials.accessKey }).waitFor()
    await page.getByLabel('Secret key', { exact: true }).fill('of the main key')
    await keys.selectOption('pasting')
    await settings.filter({ hasText: `AWS_ACCESS_KEY_ID=${made.accessKey}` }).waitFor()
    await settings.filter({ hasText: 'AWS_SECRET_ACCESS_KEY=YOUR_SECRET_KEY' }).waitFor()
    await settings.filter({ hasText: `s3 ls s3://${other}/` }).waitFor()
    await page.getByText('It was shown once').waitFor()
    const [first, ...names] = await keys.locator('option').allTextContents()
    assert.deepEqual([first, names.includes('switched off')], ['Main key', false])
    assert.deepEqual(await barriers(page), [])
  })
})
