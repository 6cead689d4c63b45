import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { still } from '../support/file-browser.ts'
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
    assert.deepEqual(await barriers(page), [])
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })

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
})

describe('A public bucket in the dashboard, with PUBLIC_LIST=false', {
  skip: absenceOfChromium(),
}, () => {
  const dashboard = useDashboard({ PUBLIC_LIST: 'false' })

  test('is said to be readable by everyone who knows a name', async () => {
    const page = await dashboard().openSignedIn('/', still)
    await page.getByTitle('Everyone who knows or guesses the name of a file').waitFor()
    await page.getByRole('button', { name: 'Settings of public' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Everyone who knows or guesses the name of a file can').waitFor()
    await dialog.getByText('PUBLIC_LIST=false keeps the list of names private.').waitFor()
    assert.equal((await fetch(`${dashboard().gateway.url}/public`)).status, 403)
  })
})
