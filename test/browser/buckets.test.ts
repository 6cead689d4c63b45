import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Locator, Page, Route } from 'playwright-core'
import type {
  BucketsReply,
  ExpiryDryRunBody,
} from '../../src/dashboard/management/management-schemas.ts'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, tokenOf, useDashboard } from '../support/dashboard.ts'
import { writeTree } from '../support/file-browser.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'

describe('Buckets in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()

  test('a bucket is created, set and removed', async () => {
    const page = await dashboard().openSignedIn('/')
    await page.getByRole('button', { name: 'Create a bucket' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Made')
    await dialog.getByRole('button', { name: 'Create the bucket' }).click()
    await dialog.getByText('Use lower-case letters').waitFor()
    await dialog.getByLabel('Name').fill('made')
    await dialog.getByRole('button', { name: 'Create the bucket' }).click()
    await page.getByRole('link', { name: 'made', exact: true }).waitFor()

    await page.getByRole('button', { name: 'Settings of made' }).click()
    await dialog.getByLabel('Anyone can read it').click({ force: true })
    await dialog.getByLabel('Quota in GiB').fill('1.5')
    await dialog.getByLabel('Web pages that may use').fill('https://app.example')
    await dialog.getByRole('button', { name: 'Add an expiry rule' }).click()
    await dialog.getByLabel('Keys that begin with').fill('tmp/')
    await dialog.getByLabel('Delete after (days)').fill('30')
    assert.deepEqual(await barriers(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    // The bucket is empty: nothing is asked.
    await page.getByRole('dialog', { name: 'Settings of made' }).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Settings of made' }).click()
    assert.equal(await dialog.getByLabel('Anyone can read it').isChecked(), true)
    assert.equal(await dialog.getByLabel('Quota in GiB').inputValue(), '1.5')
    assert.equal(
      await dialog.getByLabel('Web pages that may use').inputValue(),
      'https://app.example',
    )
    assert.equal(await dialog.getByLabel('Delete after (days)').inputValue(), '30')
    const { url, host, credentials } = dashboard().gateway
    await until(async () => (await fetch(`${url}/made`)).status === 200)

    const put = { method: 'PUT', target: '/made/key', body: 'x' }
    assert.equal((await signedFetch({ host, credentials }, put)).status, 200)
    await dialog.getByRole('button', { name: 'Remove the bucket' }).click()
    const confirm = page.getByRole('dialog', { name: 'Remove made?' })
    await confirm.waitFor()
    // It closes the question alone.
    await page.keyboard.press('Escape')
    await confirm.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Remove the bucket' }).click()
    await confirm.getByRole('button', { name: 'Remove the bucket' }).click()
    await page.getByText('not empty').first().waitFor()
    await confirm.waitFor({ state: 'detached' })
    await signedFetch({ host, credentials }, { method: 'DELETE', target: '/made/key' })
    await dialog.getByRole('button', { name: 'Remove the bucket' }).click()
    await confirm.getByRole('button', { name: 'Remove the bucket' }).click()
    await page.getByRole('link', { name: 'made', exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('what comes from the environment is shown and cannot be changed', async () => {
    const page = await dashboard().openSignedIn('/')
    await page.getByRole('button', { name: 'Settings of public' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('comes from the setting ALLOWED_BUCKETS').waitFor()
    await dialog
      .getByText(
        'Everyone can list the names of all files and download them. PUBLIC_LIST=false would',
      )
      .waitFor()
    await dialog.getByText('Set by PUBLIC_READ_BUCKETS').waitFor()
    const { url } = dashboard().gateway
    assert.equal((await fetch(`${url}/public`)).status, 200)
    assert.equal(await dialog.getByLabel('Anyone can read it').isDisabled(), true)
    assert.equal(await dialog.getByRole('button', { name: 'Remove the bucket' }).count(), 0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: `Settings of ${testBucket}` }).waitFor()
  })

  /** Adds a rule of 30 days for keys that begin with a prefix, and saves. */
  async function saveRule(page: Page, prefix: string): Promise<Locator> {
    await page.getByRole('button', { name: `Settings of ${testBucket}` }).click()
    const form = page.getByRole('dialog', { name: `Settings of ${testBucket}` })
    await form.getByRole('button', { name: 'Add an expiry rule' }).click()
    await form.getByLabel('Keys that begin with').last().fill(prefix)
    const days = form.getByLabel('Delete after (days)').last()
    assert.equal(await days.inputValue(), '')
    await form.getByRole('button', { name: 'Save' }).click()
    assert.equal(await days.evaluate((field) => field.matches(':invalid:focus')), true)
    await days.fill('30')
    await form.getByRole('button', { name: 'Save' }).click()
    return form
  }

  test('an expiry rule is saved after a question that says what it deletes now', async () => {
    const folder = join(dashboard().gateway.driveFolder, testBucket)
    writeTree(folder, { 'old/1.txt': 'x'.repeat(2_000), 'old/2.txt': 'x', 'old/new.txt': 'x' })
    utimesSync(join(folder, 'old/1.txt'), new Date(), new Date('2020-06-01T12:00:00Z'))
    utimesSync(join(folder, 'old/2.txt'), new Date(), new Date('2021-06-01T12:00:00Z'))
    const page = await dashboard().openSignedIn('/')
    const form = await saveRule(page, 'old/')
    const question = page.getByRole('dialog', { name: `Delete files of ${testBucket}?` })
    await question.getByText('Saving deletes 2 objects, 1.95 KiB in total, within').waitFor()
    await question.getByText(/The oldest was last changed \d+ years ago, on 1 Jun 2020/).waitFor()
    await question.getByText('Files are deleted permanently').waitFor()
    assert.deepEqual(await barriers(page), [])
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.deepEqual(await rulesOf(page), [])

    await form.getByRole('button', { name: 'Save' }).click()
    await question.getByRole('button', { name: 'Save and delete' }).click()
    await form.waitFor({ state: 'detached' })
    await until(
      () => !existsSync(join(folder, 'old/1.txt')) && !existsSync(join(folder, 'old/2.txt')),
    )
    assert.ok(existsSync(join(folder, 'old/new.txt')))
    assert.equal((await rulesOf(page)).length, 1)
  })

  test('an expiry rule is not saved before it is known what it deletes', async () => {
    const page = await dashboard().openSignedIn('/')
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') sent.push(request.url())
    })
    const formerVersions = { count: 0, bytes: 0 }
    const oldest = '2020-06-01T12:00:00.000Z'
    const part = { objects: 3, bytes: 3_000, oldest, formerVersions, next: 'm' }
    const none = { objects: 0, bytes: 0, oldest: null, formerVersions, next: null }
    const last = Promise.withResolvers<Route>()
    const replies = [
      (route: Route) => route.fulfill({ json: part }),
      (route: Route) => {
        assert.equal((route.request().postDataJSON() as ExpiryDryRunBody).after, 'm')
        return route.fulfill({ status: 503, json: { message: 'The drive does not respond.' } })
      },
      (route: Route) => last.resolve(route),
    ]
    await page.route('**/expiry/dry-run', (route) => replies.shift()?.(route))
    const form = await saveRule(page, 'none/')
    const question = page.getByRole('dialog').last()
    await question.getByText('Saving deletes at least 3 objects, 2.93 KiB in total').waitFor()
    await question.getByText('The drive does not respond.').waitFor()
    await question.getByRole('button', { name: 'Try again' }).click()
    await question.getByText('Nothing found so far. Still counting…').waitFor()
    const route = await last.promise
    assert.equal(await question.getByRole('button', { name: 'Save and delete' }).isDisabled(), true)
    assert.deepEqual(sent, [])
    await route.fulfill({ json: none })
    await form.waitFor({ state: 'detached' })
    assert.equal(sent.length, 1)
  })

  async function rulesOf(page: Page): Promise<readonly unknown[]> {
    const headers = { authorization: `Bearer ${await tokenOf(page)}` }
    const reply = await fetch(`${dashboard().gateway.url}/-/api/buckets`, { headers })
    const { buckets } = (await reply.json()) as BucketsReply
    return buckets.find(({ name }) => name === testBucket)?.expiry ?? []
  }
})

describe('A public bucket in the dashboard, with PUBLIC_LIST=false', {
  skip: absenceOfChromium(),
}, () => {
  const dashboard = useDashboard({ PUBLIC_LIST: 'false' })

  test('is said to be readable by everyone who knows a name', async () => {
    const page = await dashboard().openSignedIn('/')
    await page.getByTitle('Everyone who knows or guesses the name of a file').waitFor()
    await page.getByRole('button', { name: 'Settings of public' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Everyone who knows or guesses the name of a file can').waitFor()
    await dialog.getByText('PUBLIC_LIST=false keeps the list of names private.').waitFor()
    assert.equal((await fetch(`${dashboard().gateway.url}/public`)).status, 403)
  })
})

describe('Files without a bucket', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({
    ...{ ALLOWED_BUCKETS: '', PUBLIC_READ_BUCKETS: '', COMPATIBILITY: 'aws' },
  })

  test('a person creates the first bucket, then another one, and opens it', async () => {
    const page = await dashboard().openSignedIn('/files')
    await page.getByText('No buckets yet').waitFor()
    const dialog = page.getByRole('dialog', { name: 'New bucket' })
    for (const [button, name] of [
      ['Create the first bucket', 'first'],
      ['Create a bucket', 'second'],
    ] as const) {
      await page.getByRole('button', { name: button }).click()
      await dialog.getByLabel('Name').fill(name)
      await dialog.getByLabel('Name').press('Enter')
      await page.getByRole('link', { name }).waitFor()
      await dialog.waitFor({ state: 'detached' })
    }
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('link', { name: 'second' }).click()
    await page.getByText('This folder is empty').waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })
})

describe('Files on a read-only drive', { skip: absenceOfChromium() }, () => {
  const drive = mkdtempSync(join(tmpdir(), 'bucketry-read-only-'))
  const dashboard = useDashboard({ DRIVE: `file:${drive}`, READ_ONLY: '@DEFAULT' })
  after(() => rmSync(drive, { recursive: true }))

  test('says why no bucket can be created, and what to change', async () => {
    const page = await dashboard().openSignedIn('/files')
    await page.getByText('Remove @DEFAULT from READ_ONLY and restart the gateway').waitFor()
    await page.getByRole('link', { name: testBucket }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Create a bucket' }).count(), 0)
  })
})
