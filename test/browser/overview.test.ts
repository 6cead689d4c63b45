import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Request } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, useDashboard } from '../support/dashboard.ts'
import { testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const twoFrames =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))'

describe('The overview', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()

  test('plots show requests, errors and bytes, and the errors lead to the requests', async () => {
    const { gateway } = dashboard()
    for (let index = 0; index < 3; index++) {
      const target = `/${testBucket}/plotted-${index}`
      await signedFetch(gateway, { method: 'PUT', target, body: 'x'.repeat(1_000) })
    }
    await fetch(`${gateway.url}/${testBucket}/plotted-0`, { method: 'DELETE' })
    const page = await dashboard().openSignedIn('/overview')
    await page.getByText('Everything works').waitFor()
    const requests = page.getByRole('slider', { name: 'Requests' })
    await requests.focus()
    const hasRequests = async (key: string) => {
      await page.keyboard.press(key)
      return /Requests [1-9]/.test((await requests.getAttribute('aria-valuetext')) ?? '')
    }
    // The minute before: another one may have begun since. The other process tells its own within ten seconds.
    await until(async () => (await hasRequests('End')) || (await hasRequests('ArrowLeft')))
    const legend = await page.locator('figcaption').boundingBox()
    const shown = await page.getByText('Requests').filter({ visible: true }).last().boundingBox()
    assert.ok(legend && shown && shown.y >= legend.y + legend.height, 'the values cover the legend')
    await page.getByText('Errors', { exact: true }).click()
    await page.getByRole('slider', { name: 'Errors' }).waitFor()
    await page.getByText('Day', { exact: true }).click()
    await page.locator('[aria-valuemax="143"]').first().waitFor()
    await page.getByText('30 days', { exact: true }).click()
    await page.locator('[aria-valuemax="179"]').first().waitFor()
    await page.getByRole('region', { name: 'Health' }).getByRole('link').click()
    await page.getByText(`Deletion refused ${testBucket}/plotted-0`).waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('is not where a person lands: that is the folder that was open last', async () => {
    const { gateway } = dashboard()
    await signedFetch(gateway, { method: 'PUT', target: `/${testBucket}/in/a.txt`, body: 'a' })
    const page = await dashboard().openSignedIn(`/files/${testBucket}?prefix=in/`)
    await page.getByText('a.txt').first().waitFor()
    await page.goto(`${gateway.url}/-/`)
    await page.waitForURL(`**/-/files/${testBucket}?prefix=in/`)
    await page.getByText('a.txt').first().waitFor()
  })

  test('has the pages beside it from 900 px, and shifts nothing while it loads', async () => {
    const page = await dashboard().openSignedIn('/overview', {
      viewport: { width: 900, height: 700 },
    })
    await page.addInitScript(`
      globalThis.shift = 0
      new PerformanceObserver((list) => {
        for (const { value } of list.getEntries()) globalThis.shift += value
      }).observe({ type: 'layout-shift', buffered: true })
    `)
    const pending = new Set<Request>()
    page.on('request', (request) => pending.add(request))
    page.on('requestfinished', (request) => pending.delete(request))
    page.on('requestfailed', (request) => pending.delete(request))
    const loading = page.locator('.mantine-Skeleton-root, .mantine-Loader-root')
    for (const path of ['/overview', '/files', `/buckets/${testBucket}/settings`]) {
      pending.clear()
      await page.goto(`${dashboard().gateway.url}/-${path}`)
      const pages = page.getByRole('navigation', { name: 'Pages', exact: true })
      await pages.getByRole('link', { name: 'Trash' }).waitFor()
      await page.getByText(testBucket).first().waitFor()
      await until(async () => pending.size === 0 && (await loading.count()) === 0)
      await page.evaluate(twoFrames)
      const shift = await page.evaluate<number>('globalThis.shift')
      assert.ok(shift < 0.05, `${path} shifts by ${shift}`)
    }
  })

  test('does not call a service well that answers with errors', async () => {
    const page = await dashboard().openSignedIn('/overview')
    await page.getByText('Everything works').waitFor()
    let isBroken = true
    await page.route('**/-/api/*', async (route) => {
      if (isBroken) await route.fulfill({ status: 500, json: { message: 'No database.' } })
      else await route.continue()
    })
    await page.reload()
    const health = page.getByRole('region', { name: 'Health' })
    await health.getByText('State unknown').waitFor()
    await health.getByText('No database.').waitFor()
    assert.equal(await health.getByText('Stored in').count(), 0)
    assert.deepEqual(await barriers(page), [])
    isBroken = false
    await health.getByRole('button', { name: 'Try again' }).click()
    await health.getByText('Everything works').waitFor()
    await health.getByText('Stored in 2 buckets').waitFor()
  })

  test('shows no plot without traffic', async () => {
    const page = await dashboard().openSignedIn('/connect')
    await page.route('**/-/api/traffic*', (route) => route.fulfill({ json: { points: [] } }))
    await page.goto(`${dashboard().gateway.url}/-/overview`)
    await page.getByText('No requests in the last hour.').waitFor()
    assert.equal(await page.getByRole('slider').count(), 0)
  })

  test('shows a missing drive with the reason', async () => {
    const page = await dashboard().openSignedIn('/overview')
    await page.route('**/-/api/status', async (route) => {
      const reply = await route.fetch()
      const status = await reply.json()
      const drive = { ...status.drive, problem: '/srv/drive is not mounted.' }
      const drives = [{ ...status.drives[0], problem: drive.problem }]
      await route.fulfill({ response: reply, json: { ...status, drive, drives } })
    })
    await page.reload()
    await page.getByRole('alert').getByText('/srv/drive is not mounted.').first().waitFor()
    await page.getByText('Drive not available: /srv/drive is not mounted.').waitFor()
    await page.getByText('The drive is not available').waitFor()
    assert.deepEqual(await barriers(page), [])
  })
})
