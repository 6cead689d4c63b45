import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { openAiEvents, sendJson, streamHead } from '../fakes/strict-upstream.ts'
import { absenceOfChromium } from '../support/chromium.ts'
import { barriers, dashboardPassword, useDashboard } from '../support/dashboard.ts'
import { until } from '../support/management-client.ts'
import { useUpstream } from '../support/used-models.ts'

describe('Try it in the dashboard', { skip: absenceOfChromium() }, () => {
  // Each process learns for itself what is paused.
  const dashboard = useDashboard({ WORKERS: '1' })
  const service = () => ({ url: dashboard().gateway.url, password: dashboardPassword })
  const lab = useUpstream(service)
  useUpstream(service, { name: 'claude', flavour: 'anthropic' })
  /** A key that nobody has used successfully. */
  const spare = useUpstream(service, { name: 'spare' })

  async function ask(page: Page, question = 'Hello?'): Promise<void> {
    await page.getByLabel('Question').fill(question)
    await page.getByLabel('Question').press('Control+Enter')
  }

  /** The first event arrives, and then nothing. */
  function stall(): Promise<{ readonly left: Promise<void> }> {
    const { promise, resolve } = Promise.withResolvers<{ readonly left: Promise<void> }>()
    lab().behave = (call, response) => {
      response.writeHead(200, streamHead)
      for (const event of openAiEvents('big').slice(0, 2)) response.write(event)
      resolve(call)
    }
    return promise
  }

  test('an answer streams, with its times and tokens, of models of both APIs', async () => {
    const page = await dashboard().openSignedIn('/models/try?model=lab/big')
    await ask(page)
    await page.getByRole('region', { name: 'Answer' }).getByText('héllo 🦥').waitFor()
    await page.getByText(/First token after .* in all · 7 input and 5 output tokens/).waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('combobox', { name: 'Model' }).fill('claude/b')
    await page.getByRole('option', { name: 'claude/big' }).click()
    await page.getByText('export ANTHROPIC_MODEL').waitFor({ state: 'detached' })
    await ask(page)
    await page
      .getByRole('region', { name: 'Answer' })
      .getByText(/^héllo$/)
      .waitFor()
    await page.getByRole('tab', { name: 'Claude Code' }).click()
    const { url } = dashboard().gateway
    await page.getByText(`export ANTHROPIC_BASE_URL=${url}/ai\n`).waitFor()
    await page.getByText('export ANTHROPIC_MODEL=claude/big').waitFor()
    await page.getByRole('tab', { name: 'Continue' }).click()
    await page.getByText(`apiBase: ${url}/ai/v1`).waitFor()
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('an answer is shown as the document that its Markdown means', async () => {
    lab().behave = (_, response) => {
      response.writeHead(200, streamHead)
      const events = openAiEvents('big')
      const text =
        '# Plan\\n\\n- one\\n- **two**\\n\\n[page](https://example.org/) [file](a.txt) ![x](y.png)'
      response.end(events.map((event) => event.replace('llo 🦥', text)).join(''))
    }
    const page = await dashboard().openSignedIn('/models/try?model=lab/big')
    await ask(page)
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByRole('listitem').filter({ hasText: 'two' }).locator('strong').waitFor()
    assert.equal(
      await answer.getByRole('link', { name: 'page' }).getAttribute('rel'),
      'noopener noreferrer',
    )
    // An answer is no object, so what is relative leads nowhere.
    assert.equal(await answer.getByRole('link', { name: 'file' }).count(), 0)
    assert.equal(await answer.locator('img').count(), 0)
    assert.deepEqual(await barriers(page), [])
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('an answer stays plain if the code for documents is gone', async () => {
    lab().behave = (_, response) => {
      response.writeHead(200, streamHead)
      const events = openAiEvents('big')
      response.end(events.map((event) => event.replace('llo 🦥', '# Plan')).join(''))
    }
    const page = await dashboard().openSignedIn('/models/try?model=lab/big')
    await page.route('**/markdown-document-*.js', (route) => route.fulfill({ status: 404 }))
    await ask(page)
    await page.getByText('output token').waitFor()
    await page.getByRole('region', { name: 'Answer' }).getByText('# Plan').waitFor()
    await page.getByRole('combobox', { name: 'Model' }).waitFor()
  })

  test('Stop cancels the upstream and keeps what has arrived; so does signing out in another tab', async () => {
    const page = await dashboard().openSignedIn('/models/try?model=lab/big')
    let call = stall()
    await ask(page)
    await page.getByRole('region', { name: 'Answer' }).getByText('hé').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await (await call).left
    await page.getByText(/^Stopped · First token after/).waitFor()
    await page.getByRole('region', { name: 'Answer' }).getByText('hé').waitFor()

    call = stall()
    await ask(page)
    const other = await page.context().newPage()
    await other.goto(`${dashboard().gateway.url}/-/models`)
    await other.getByRole('button', { name: 'Sign out' }).click()
    await (await call).left
    await page.getByLabel('Password', { exact: true }).waitFor()
    assert.deepEqual(dashboard().complaints(), [])
  })

  test('an answer that breaks off says so, and a refused key is a warning until it is tried again', async () => {
    const page = await dashboard().openSignedIn('/models/try?model=lab/big')
    lab().behave = (_, response) => {
      response.writeHead(200, streamHead)
      response.write(openAiEvents('big')[1])
      setTimeout(() => response.destroy(), 100)
    }
    await ask(page)
    await page.getByText('The answer is not complete').waitFor()

    spare().behave = (_, response) => sendJson(response, 401, { error: { message: 'no' } })
    await page.goto(`${dashboard().gateway.url}/-/models/try?model=spare/big`)
    await ask(page)
    await page.getByText('The model did not answer').waitFor()
    await page.getByText('The upstream refused the key of the connection.').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.goto(`${dashboard().gateway.url}/-/models/usage`)
    await page.getByText('The provider refuses the key of spare').waitFor()
    await page.getByRole('link', { name: 'Enter another key.' }).click()
    await page.getByText('The key is refused').waitFor()
    await page.getByText(/All models.*status 401/).waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.getByRole('button', { name: 'Try again now: spare' }).click()
    await page.getByText('The key is refused').waitFor({ state: 'detached' })
    await until(async () => (await page.getByText('The provider refuses the key').count()) === 0)
    assert.deepEqual(dashboard().complaints(), [])
  })
})
