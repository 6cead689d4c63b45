import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'

describe('The website of a bucket', { skip: absenceOfChromium() }, () => {
  // Browsers resolve every name below localhost to this machine (RFC 6761 section 6.3).
  const dashboard = useDashboard({ COMPATIBILITY: 'aws', WEBSITE_DOMAINS: 'web.localhost' })

  test('is switched on with its documents and redirects, answers at its address, and is switched off', async () => {
    const { gateway } = dashboard()
    for (const [key, body] of [
      ['index.html', '<!doctype html><title>Home</title><h1>Welcome</h1>'],
      ['404.html', '<!doctype html><title>Gone</title><h1>Nothing here</h1>'],
      ['new/page.html', '<!doctype html><title>New</title><h1>The new page</h1>'],
    ] as const) {
      const headers = { 'content-type': 'text/html' }
      await signedFetch(gateway, { method: 'PUT', target: `/public/${key}`, body, headers })
    }
    const page = await dashboard().openSignedIn('/buckets/public/settings')
    await page.getByRole('switch', { name: 'This bucket is a website' }).click()
    await page.getByLabel('Error document').fill('404.html')
    await page.getByRole('button', { name: 'Add a redirect' }).click()
    await page.getByLabel('Addresses that begin with').fill('old/')
    await page.getByLabel('Begin with this instead').fill('new/')
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })

    const { port } = new URL(gateway.url)
    const address = `http://public.web.localhost:${port}/`
    await page.getByText(address, { exact: true }).waitFor()
    await page.getByText('Assumes that visitors use the protocol and port').waitFor()
    const visitor = await page.context().newPage()
    await until(async () => (await visitor.goto(address))?.status() === 200)
    await visitor.getByRole('heading', { name: 'Welcome' }).waitFor()
    await visitor.goto(`${address}old/page.html`)
    await visitor.getByRole('heading', { name: 'The new page' }).waitFor()
    await visitor.goto(`${address}none`)
    await visitor.getByRole('heading', { name: 'Nothing here' }).waitFor()

    await page.reload()
    assert.equal(await page.getByLabel('Index document').inputValue(), 'index.html')
    await page.getByRole('switch', { name: 'This bucket is a website' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' })
    await until(async () => (await visitor.goto(address))?.status() === 404)
    assert.deepEqual(dashboard().complaints(), [])
  })
})

describe('Without WEBSITE_DOMAINS', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()

  test('the settings of a bucket say what a website needs', async () => {
    const page = await dashboard().openSignedIn('/buckets/public/settings')
    const website = page.getByRole('region', { name: 'Website' })
    await website.getByText('Websites need a domain of their own').waitFor()
    await website.locator('[aria-description*="WEBSITE_DOMAINS"]').waitFor()
    assert.equal(await website.getByRole('switch').count(), 0)
  })
})
