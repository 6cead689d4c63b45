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
    const page = await dashboard().openSignedIn('/files')
    await page.getByRole('button', { name: 'Create a bucket' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('!')
    await dialog.getByRole('button', { name: 'Create the bucket' }).click()
    await dialog.getByText('Use 3 to 63 characters').waitFor()
    await dialog.getByLabel('Name').fill('My Photos')
    await dialog.getByText('The bucket will be named my-photos').waitFor()
    await dialog.getByRole('button', { name: 'Create the bucket' }).click()
    await page.waitForURL('**/files/my-photos')
    await page.getByText('This folder is empty').waitFor()

    const tabs = page.getByRole('navigation', { name: 'Pages of the bucket' })
    await tabs.getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('Anyone can read it').click({ force: true })
    await page.getByLabel('Quota in GiB').fill('1.5')
    await page.getByRole('button', { name: 'Add an expiry rule' }).click()
    await page.getByLabel('Names that begin with').fill('tmp/')
    await page.getByLabel('Delete after (days)').fill('30')
    assert.deepEqual(await barriers(page), [])
    // The bucket is empty: nothing is asked.
    await save(page)
    await page.getByText(`${dashboard().gateway.url}/my-photos/`, { exact: true }).waitFor()
    await page.reload()
    assert.equal(await page.getByLabel('Quota in GiB').inputValue(), '1.5')
    assert.equal(await page.getByLabel('Anyone can read it').isChecked(), true)
    assert.equal(await page.getByLabel('Delete after (days)').inputValue(), '30')
    const { url, host, credentials } = dashboard().gateway
    await until(async () => (await fetch(`${url}/my-photos`)).status === 200)
    await page
      .locator('[data-tip^="Everyone can list"]')
      .getByText('Public', { exact: true })
      .waitFor()

    const put = { method: 'PUT', target: '/my-photos/key', body: 'x' }
    assert.equal((await signedFetch({ host, credentials }, put)).status, 200)
    await page.getByRole('button', { name: 'Remove the bucket' }).click()
    const confirm = page.getByRole('dialog', { name: 'Remove my-photos?' })
    await confirm.getByRole('button', { name: 'Remove the bucket' }).click()
    await page.getByText('not empty').first().waitFor()
    await confirm.waitFor({ state: 'detached' })
    await signedFetch({ host, credentials }, { method: 'DELETE', target: '/my-photos/key' })
    await page.getByRole('button', { name: 'Remove the bucket' }).click()
    await confirm.getByRole('button', { name: 'Remove the bucket' }).click()
    await page.waitForURL('**/-/files')
    await page.getByRole('link', { name: 'my-photos' }).waitFor({ state: 'detached' })
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('the menu of a bucket leads to its pages, and its activity and links are its own', async () => {
    const { gateway } = dashboard()
    for (const bucket of [testBucket, 'public']) {
      const target = `/${bucket}/${bucket}-file`
      await signedFetch(gateway, { method: 'PUT', target, body: 'x' })
    }
    const page = await dashboard().openSignedIn('/files')
    await page.getByRole('button', { name: 'More for public' }).click()
    await page.getByRole('menuitem', { name: 'Copy public address' }).waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('menuitem', { name: 'Activity' }).click()
    await page.getByText('public/public-file').waitFor()
    assert.equal(await page.getByText(`${testBucket}-file`).count(), 0)
    assert.equal(await page.getByLabel('Bucket', { exact: true }).count(), 0)
    assert.deepEqual(await barriers(page), [])
    const tabs = page.getByRole('navigation', { name: 'Pages of the bucket' })
    await tabs.getByRole('link', { name: 'Links' }).click()
    await page.getByText('No links yet').waitFor()
    assert.deepEqual(await barriers(page), [])
    const pages = page.getByRole('navigation', { name: 'Pages', exact: true })
    await pages.locator('[aria-current=page]', { hasText: 'Files' }).waitFor()
    await page.goto(`${gateway.url}/-/buckets/none/settings`)
    await page.getByText('The bucket “none” does not exist').waitFor()
  })

  test('CORS rules are set as fields and as JSON', async () => {
    const page = await dashboard().openSignedIn(`/buckets/${testBucket}/settings`)
    await page.getByRole('button', { name: 'Add a CORS rule' }).click()
    await page.getByLabel('Origins').fill('https://app.example')
    await page.getByText('DELETE', { exact: true }).click()
    await save(page)
    await page.getByRole('button', { name: 'Edit as JSON' }).click()
    const json = page.getByLabel('CORS rules as JSON')
    assert.deepEqual(JSON.parse(await json.inputValue()), [
      {
        AllowedOrigins: ['https://app.example'],
        AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST'],
        ...{ AllowedHeaders: ['*'], ExposeHeaders: ['ETag'], MaxAgeSeconds: 3600 },
      },
    ])
    await json.fill('[{"AllowedOrigin": 1}]')
    await page.getByText(/AllowedOrigin of .* is not known/).waitFor()
    await json.fill('[{"AllowedOrigins": ["*"], "AllowedMethods": ["GET"]}]')
    assert.deepEqual(await barriers(page), [])
    await save(page)
    const { url } = dashboard().gateway
    const headers = { origin: 'https://other.example', 'access-control-request-method': 'GET' }
    const preflight = () => fetch(`${url}/${testBucket}/a`, { method: 'OPTIONS', headers })
    await until(async () => (await preflight()).status === 200)
    await json.fill('')
    await save(page)
    await until(async () => (await preflight()).status === 403)
  })

  test('what comes from the environment is shown and cannot be changed', async () => {
    const page = await dashboard().openSignedIn('/buckets/public/settings')
    await page.getByText('The bucket is set at startup.').waitFor()
    await page.locator('[aria-description*="ALLOWED_BUCKETS"]').waitFor()
    await page.getByText('Everyone can list the names of all files and download them.').waitFor()
    await page.locator('[aria-description*="PUBLIC_LIST=false would"]').waitFor()
    await page.locator('[aria-description*="Set by PUBLIC_READ_BUCKETS"]').waitFor()
    const { url } = dashboard().gateway
    assert.equal((await fetch(`${url}/public`)).status, 200)
    assert.equal(await page.getByLabel('Anyone can read it').isDisabled(), true)
    assert.equal(await page.getByRole('button', { name: 'Remove the bucket' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
    await page.getByText('Nothing receives events yet').waitFor()
  })

  test('what another person sets meanwhile stays', async () => {
    const page = await dashboard().openSignedIn(`/buckets/${testBucket}/settings`)
    await page.getByLabel('Quota in GiB').fill('2')
    const { url } = dashboard().gateway
    const reply = await fetch(`${url}/-/api/buckets/${testBucket}`, {
      method: 'PATCH',
      headers: {
        authorization: `Bearer ${await tokenOf(page)}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ isPublic: true }),
    })
    assert.equal(reply.status, 200)
    const listed = page.waitForResponse('**/-/api/buckets')
    await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
    await listed
    await save(page)
    await until(async () => (await fetch(`${url}/${testBucket}`)).status === 200)
    assert.equal(await page.getByLabel('Anyone can read it').isChecked(), true)
    await page.getByLabel('Anyone can read it').click({ force: true })
    await page.getByLabel('Quota in GiB').fill('')
    await save(page)
  })

  test('what is typed while changes are saved stays, and is saved next', async () => {
    const page = await dashboard().openSignedIn(`/buckets/${testBucket}/settings`)
    const sent = Promise.withResolvers<void>()
    const reply = Promise.withResolvers<void>()
    await page.route(`**/-/api/buckets/${testBucket}`, async (route) => {
      sent.resolve()
      await reply.promise
      await route.continue()
    })
    const quota = page.getByLabel('Quota in GiB')
    await quota.fill('3')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await sent.promise
    await quota.fill('4')
    reply.resolve()
    const button = page.getByRole('button', { name: 'Save', exact: true })
    await button.and(page.locator(':not([data-loading])')).waitFor()
    const saved = page.getByRole('status').filter({ hasText: /^Saved$/ })
    assert.equal(await saved.count(), 0)
    assert.equal(await quota.inputValue(), '4')
    await save(page)
    assert.equal(await quota.inputValue(), '4')
    // No notification covers the button of the next change.
    await saved.waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await quota.fill('')
    await saved.waitFor({ state: 'detached' })
    await save(page)
  })

  test('on a phone the button that saves is above the daily pages', async () => {
    const viewport = { width: 390, height: 844 }
    const page = await dashboard().openSignedIn(`/buckets/${testBucket}/settings`, { viewport })
    await page.getByLabel('Quota in GiB').fill('3')
    const button = page.getByRole('button', { name: 'Save', exact: true })
    const place = await button.boundingBox()
    const bar = await page.getByRole('navigation', { name: 'Daily pages' }).boundingBox()
    assert.ok(place !== null && bar !== null)
    assert.ok(place.y > 0 && place.y + place.height <= bar.y)
  })

  /** Adds a rule of 30 days for keys that begin with a prefix, and saves. */
  async function saveRule(page: Page, prefix: string): Promise<Locator> {
    await page.getByRole('button', { name: 'Add an expiry rule' }).click()
    await page.getByLabel('Names that begin with').last().fill(prefix)
    const days = page.getByLabel('Delete after (days)').last()
    assert.equal(await days.inputValue(), '')
    const button = page.getByRole('button', { name: 'Save', exact: true })
    await button.click()
    assert.equal(await days.evaluate((field) => field.matches(':invalid:focus')), true)
    await days.fill('30')
    await button.click()
    return button
  }

  test('an expiry rule is saved after a question that says what it deletes now', async () => {
    const folder = join(dashboard().gateway.driveFolder, testBucket)
    writeTree(folder, { 'old/1.txt': 'x'.repeat(2_000), 'old/2.txt': 'x', 'old/new.txt': 'x' })
    utimesSync(join(folder, 'old/1.txt'), new Date(), new Date('2020-06-01T12:00:00Z'))
    utimesSync(join(folder, 'old/2.txt'), new Date(), new Date('2021-06-01T12:00:00Z'))
    const page = await dashboard().openSignedIn(`/buckets/${testBucket}/settings`)
    const button = await saveRule(page, 'old/')
    const question = page.getByRole('dialog', { name: `Delete files of ${testBucket}?` })
    await question.getByText('Saving deletes 2 objects, 1.95 KiB in total, within').waitFor()
    await question.getByText(/The oldest was last changed \d+ years ago, on Jun 1, 2020/).waitFor()
    await question.getByText('Files are deleted permanently').waitFor()
    assert.deepEqual(await barriers(page), [])
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.deepEqual(await rulesOf(page), [])

    await button.click()
    await question.getByRole('button', { name: 'Save and delete' }).click()
    await button.waitFor({ state: 'detached' })
    await until(
      () => !existsSync(join(folder, 'old/1.txt')) && !existsSync(join(folder, 'old/2.txt')),
    )
    assert.ok(existsSync(join(folder, 'old/new.txt')))
    assert.equal((await rulesOf(page)).length, 1)
  })

  test('an expiry rule is not saved before it is known what it deletes', async () => {
    const page = await dashboard().openSignedIn(`/buckets/${testBucket}/settings`)
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
    const button = await saveRule(page, 'none/')
    const question = page.getByRole('dialog').last()
    await question.getByText('Saving deletes at least 3 objects, 2.93 KiB in total').waitFor()
    await question.getByText('The drive does not respond.').waitFor()
    await question.getByRole('button', { name: 'Try again' }).click()
    await question.getByText('Nothing found so far. Still counting…').waitFor()
    const route = await last.promise
    assert.equal(await question.getByRole('button', { name: 'Save and delete' }).isDisabled(), true)
    assert.deepEqual(sent, [])
    await route.fulfill({ json: none })
    await button.waitFor({ state: 'detached' })
    assert.equal(sent.length, 1)
  })

  /** Resolves when the changes are saved. */
  async function save(page: Page): Promise<void> {
    const button = page.getByRole('button', { name: 'Save', exact: true })
    await button.click()
    await button.waitFor({ state: 'detached' })
  }

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
    const page = await dashboard().openSignedIn('/files')
    await page.locator('[data-tip^="Everyone who knows or guesses the name"]').waitFor()
    await page.goto(`${dashboard().gateway.url}/-/buckets/public/settings`)
    await page.getByText('Everyone who knows or guesses the name of a file can').waitFor()
    await page.locator('[aria-description*="PUBLIC_LIST=false keeps"]').waitFor()
    assert.equal((await fetch(`${dashboard().gateway.url}/public`)).status, 403)
  })
})

describe('Files without a bucket', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({
    ...{ ALLOWED_BUCKETS: '', PUBLIC_READ_BUCKETS: '', COMPATIBILITY: 'aws' },
  })

  test('a person creates the first bucket, then another one, and is led to what to do with them', async () => {
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
      // The bucket opens.
      await page.waitForURL(`**/files/${name}`)
      await page.getByText('This folder is empty').waitFor()
      await dialog.waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Bucketry, all buckets' }).click()
      await page.getByRole('link', { name, exact: true }).waitFor()
    }
    const steps = page.getByRole('list', { name: 'First steps' })
    await steps.getByRole('link', { name: 'Open “first”' }).waitFor()
    assert.deepEqual(await barriers(page), [])
    await steps.getByRole('link', { name: 'Show the settings' }).click()
    await page.getByRole('heading', { name: 'Connect', level: 1 }).waitFor()
    const { host, credentials } = dashboard().gateway
    await signedFetch({ host, credentials }, { method: 'PUT', target: '/first/a', body: 'x' })
    await page.getByRole('link', { name: 'Bucketry, all buckets' }).click()
    await page.getByRole('button', { name: 'More for first' }).click()
    await page.getByRole('menuitem', { name: 'Count again' }).click()
    await steps.waitFor({ state: 'detached' })
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
