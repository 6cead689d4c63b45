import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { until } from '../support/management-client.ts'
import { useUpstream } from '../support/used-models.ts'

describe('Model keys in the dashboard', { skip: absenceOfChromium() }, () => {
  const dashboard = useDashboard()
  useUpstream(() => ({ url: dashboard().gateway.url, password: dashboardPassword }))

  /** The status of a call. */
  async function calls(secret: string, model: string): Promise<number> {
    const reply = await fetch(`${dashboard().gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [] }),
    })
    await reply.text()
    return reply.status
  }

  /** Makes a key by the form, and takes its secret from the dialog. */
  async function makeKey(page: Page, name: string, models: readonly string[]): Promise<string> {
    await page.getByRole('button', { name: 'Create a key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill(name)
    const field = dialog.getByRole('combobox', { name: 'Allowed models' })
    for (const model of models) {
      await field.fill(model)
      await field.press('Enter')
    }
    await dialog.getByLabel('Requests per minute').fill('60')
    assert.deepEqual(await barriers(page), [])
    await dialog.getByRole('button', { name: 'Create the key' }).click()
    const shown = page.getByRole('dialog', { name: `The secret of ${name}` })
    await shown.waitFor()
    const secret = (await shown.locator('code').first().textContent()) ?? ''
    assert.match(secret, /^bmk_/)
    for (const leave of [() => page.keyboard.press('Escape'), () => page.goBack()]) {
      await leave()
      await shown.getByText('is not copied yet').waitFor()
    }
    assert.deepEqual(await barriers(page), [])
    await shown.getByRole('button', { name: 'I have saved the model key' }).click()
    await shown.waitFor({ state: 'detached' })
    return secret
  }

  test('a key is made, used, changed and revoked', async () => {
    const page = await dashboard().openSignedIn('/models/keys')
    await page.getByText('No model keys yet').waitFor()
    const secret = await makeKey(page, 'chat app', ['lab/b*'])
    await page.getByText('60 requests per minute').waitFor()
    await until(async () => (await calls(secret, 'lab/big')) === 200)
    await until(async () => (await calls(secret, 'lab/small')) === 403)

    await page.getByRole('button', { name: 'Change chat app' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tokens per month').fill('0')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/^Use \d+ or (?:more|less)\.$/).waitFor()
    await dialog.getByLabel('Tokens per month').fill('5000000')
    await dialog.getByRole('combobox', { name: 'Allowed models' }).fill('lab/s*')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('lab/b*, lab/s*').waitFor()
    await page.getByText('60 requests per minute, 5,000,000 tokens per month').waitFor()
    await until(async () => (await calls(secret, 'lab/small')) === 200)

    await page.getByRole('button', { name: 'Revoke chat app' }).click()
    await page.getByRole('button', { name: 'Revoke the key' }).click()
    await page.getByText('No model keys yet').waitFor()
    await until(async () => (await calls(secret, 'lab/big')) === 401)
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('usage is shown by key, connection, model and day, for eyes, keys and screen readers', async () => {
    const page = await dashboard().openSignedIn('/models/keys')
    const secret = await makeKey(page, 'counted', [])
    await until(async () => (await calls(secret, 'lab/big')) === 200)
    for (let count = 0; count < 4; count += 1) {
      await until(async () => (await calls(secret, 'lab/small')) === 200)
    }
    await page.getByRole('link', { name: 'Usage of counted' }).click()
    // The other process writes its figures within ten seconds.
    const line = page.getByRole('row').filter({ hasText: 'lab/small' })
    await until(async () => {
      await page.reload()
      await page.getByRole('region', { name: 'Totals', exact: true }).waitFor()
      return (await line.getByRole('cell').first().textContent()) === '4'
    })
    assert.deepEqual(
      await line
        .getByRole('cell')
        .allTextContents()
        .then((all) => all.slice(0, 5)),
      [...['4', '0', '0', '28', '20']],
    )
    await page.getByRole('combobox', { name: 'Connection' }).selectOption({ label: 'lab' })
    await page.getByText('Key', { exact: true }).last().click()
    await page.getByRole('row').filter({ hasText: 'counted' }).getByText('35').waitFor()

    const plot = page.getByRole('slider', { name: 'Requests' })
    await plot.focus()
    assert.match(
      (await plot.getAttribute('aria-valuetext')) ?? '',
      /: Answered 5, Fell back 0, Failed 0$/,
    )
    await plot.press('ArrowLeft')
    assert.match((await plot.getAttribute('aria-valuetext')) ?? '', /: Answered 0,/)
    await plot.press('Escape')
    await page.getByText('Table of requests').click()
    const table = page.getByRole('region', { name: 'Requests', exact: true })
    await table.getByRole('row').first().waitFor()
    assert.equal(await table.getByRole('row').count(), 31)
    assert.match((await table.getByRole('row').nth(1).textContent()) ?? '', /2\d{3}500$/)
    assert.deepEqual(await barriers(page), [])
    await page.getByLabel('Period').selectOption('24h')
    await until(async () => (await table.getByRole('row').count()) === 25)
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('the log shows calls one by one, and what comes next while there are none', async () => {
    const page = await dashboard().openSignedIn('/models/log')
    await page.route('**/-/api/calls?**', (route) =>
      route.fulfill({ json: { calls: [], next: null } }),
    )
    await page.reload()
    await page.getByText('No calls yet').waitFor()
    await page
      .getByRole('link', { name: /model key|try a model/i })
      .first()
      .waitFor()
    await page.unroute('**/-/api/calls?**')

    await page.goto(`${dashboard().gateway.url}/-/models/keys`)
    const secret = await makeKey(page, 'logged', [])
    await until(async () => (await calls(secret, 'lab/big')) === 200)
    await until(async () => (await calls(secret, 'lab/none')) === 404)
    await page.getByRole('tab', { name: 'Log' }).click()
    const table = page.getByRole('region', { name: 'Table of the calls' })
    const row = table.getByRole('row').filter({ hasText: 'logged' })
    await until(async () => {
      await page.reload()
      await table.waitFor()
      return (await row.filter({ hasText: 'lab/none' }).count()) > 0
    })
    await row.filter({ hasText: 'lab/big' }).getByText('7 in, 5 out').first().waitFor()
    await page.getByLabel('Only failed').click()
    await row.filter({ hasText: 'lab/big' }).first().waitFor({ state: 'detached' })
    await row.filter({ hasText: 'lab/none' }).getByText('does not exist').first().waitFor()
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(dashboard().complaints(), [])
  })
})
