import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'

/** As a page knows it. */
interface Focused {
  readonly document: { readonly activeElement: { getAttribute(name: string): string | null } }
}

describe('The password of the dashboard', { skip: absenceOfChromium() }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'bucketry-data-'))
  after(() => rmSync(dataDir, { recursive: true, force: true }))
  const file = join(dataDir, 'bucketry.env')
  writeFileSync(
    file,
    `ACCESS_KEY=${testCredentials.accessKey}\nSECRET_KEY=${testCredentials.secretKey}\n` +
      `ALLOWED_BUCKETS=${testBucket}\nDASHBOARD_PASSWORD='${dashboardPassword}'\n`,
  )
  // An empty variable is one that is not set: the file of the first start has them all.
  const unset = { ACCESS_KEY: '', SECRET_KEY: '', ALLOWED_BUCKETS: '', DASHBOARD_PASSWORD: '' }
  const dashboard = useDashboard({ ...unset, PUBLIC_READ_BUCKETS: '', DATA_DIR: dataDir })

  test('is changed in the settings if it is in bucketry.env, and signs everybody out', async () => {
    const page = await dashboard().openSignedIn('/settings')
    const other = await dashboard().openSignedIn('/settings')
    const field = await page
      .getByRole('button', { name: 'Change the password' })
      .evaluate(async (button) => {
        const { document } = globalThis as unknown as Focused
        button.click()
        await Promise.resolve()
        return document.activeElement.getAttribute('autocomplete')
      })
    assert.equal(field, 'current-password')
    const dialog = page.getByRole('dialog', { name: 'Change the password' })
    await dialog.getByLabel('Current password').fill('not this one')
    await dialog.getByLabel('New password').fill('staple & tape')
    await dialog.getByRole('button', { name: 'Change the password' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    assert.deepEqual(await barriers(page), [])
    await dialog.getByLabel('Current password').fill(dashboardPassword)
    await dialog.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The password is changed. Sign in with the new one.').waitFor()
    const password = page.getByLabel('Password', { exact: true })
    await password.fill('staple & tape')
    await password.press('Enter')
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
    assert.match(readFileSync(file, 'utf8'), /^DASHBOARD_PASSWORD='staple & tape'$/m)
    await other.reload()
    await other.getByLabel('Password', { exact: true }).waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })
})

describe('A password in the environment', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()

  test('is not changed in the settings, which say where it is', async () => {
    const page = await dashboard().openSignedIn('/settings')
    await page.getByText('The password is set where the gateway is started.').waitFor()
    await page.locator('[aria-description*="DASHBOARD_PASSWORD in the environment"]').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Change the password' }).count(), 0)
  })
})
