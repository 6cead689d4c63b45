import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const arn = `arn:aws:s3:::${testBucket}/images/*`

describe('A bucket policy in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard({ COMPATIBILITY: 'aws' })

  test('what it opens is shown, and switching public access off removes it', async () => {
    const { url, host, credentials } = dashboard().gateway
    const send = (method: string, target: string, body?: string) =>
      signedFetch(
        { host, credentials },
        { method, target: `/${testBucket}${target}`, ...(body && { body }) },
      )
    const statement = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: arn }
    assert.equal((await send('PUT', '/images/a', 'x')).status, 200)
    assert.equal(
      (await send('PUT', '?policy', JSON.stringify({ Statement: statement }))).status,
      204,
    )
    const read = async () => (await fetch(`${url}/${testBucket}/images/a`)).status
    await until(async () => (await read()) === 200)

    const page = await dashboard().openSignedIn(`/buckets/${testBucket}/settings`)
    await page.getByText('Public by policy').waitFor()
    await page.getByText('A bucket policy lets everyone read images/*. Switching').waitFor()
    await page.locator('[aria-description*="made private with an ACL stay private"]').waitFor()
    const isPublic = page.getByLabel('Anyone can read it')
    assert.equal(await isPublic.isChecked(), true)
    assert.deepEqual(await barriers(page), [])
    await isPublic.click({ force: true })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
    await page.getByText('Public by policy').waitFor({ state: 'detached' })
    await until(async () => (await read()) === 403)
    // Another worker may answer, which learns of the change a little later.
    await until(async () => (await send('GET', '?policy')).status === 404)
    assert.deepEqual(dashboard().complaints(), [])
  })
})
