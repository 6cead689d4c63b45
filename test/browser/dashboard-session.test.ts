import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { absenceOfChromium } from '../support/chromium.ts'
import {
  barriers,
  dashboardPassword,
  endSessionAt,
  signIn,
  tokenOf,
  useDashboard,
} from '../support/dashboard.ts'

const skip = absenceOfChromium()

describe('Signing in to the dashboard', { skip }, () => {
  const dashboard = useDashboard()

  test('redirects a browser that opens the gateway to the sign-in form', async () => {
    const page = await dashboard().open('/')
    await page.goto(dashboard().gateway.url)
    assert.equal(page.url(), `${dashboard().gateway.url}/-/`)
    await page.getByRole('heading', { name: 'Sign in to Bucketry' }).waitFor()
    await page.locator('[name=password]:focus').waitFor()
    assert.deepEqual(await barriers(page), [])
  })

  test('shows a wrong password at the field; the right one opens the requested page', async () => {
    const page = await dashboard().open('/models/combos')
    const field = page.getByLabel('Password', { exact: true })
    await field.fill('wrong')
    await field.press('Enter')
    await page.getByText('The password is wrong.').waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), 'true')
    assert.deepEqual(await barriers(page), [])
    await signIn(page)
    await page.getByRole('heading', { name: 'Combos', exact: true }).waitFor()
    assert.equal(page.url(), `${dashboard().gateway.url}/-/models/combos`)
  })

  test('can show the password, and marks the fields for password managers', async () => {
    const page = await dashboard().open('/')
    const field = page.getByLabel('Password', { exact: true })
    await field.fill('seen')
    assert.equal(await field.getAttribute('type'), 'password')
    assert.equal(await field.getAttribute('autocomplete'), 'current-password')
    assert.equal(await page.locator('input[autocomplete="username"]').count(), 1)
    await page.getByRole('button', { name: 'Show password' }).click()
    assert.equal(await field.getAttribute('type'), 'text')
  })

  test('signs in a second tab too; signing out in one signs out both', async () => {
    const page = await dashboard().openSignedIn('/')
    const other = await page.context().newPage()
    await other.goto(`${dashboard().gateway.url}/-/models`)
    await other.getByRole('heading', { name: 'Models', exact: true }).waitFor()
    const token = await tokenOf(page)
    assert.ok(token !== undefined)
    // The page does not wait for the reply.
    const ended = page.waitForResponse('**/auth/logout')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Bucketry' }).waitFor()
    await ended
    await other.getByRole('heading', { name: 'Sign in to Bucketry' }).waitFor()
    assert.equal(await other.getByText('Your session has ended.').count(), 0)
    assert.equal(await other.getByRole('navigation').count(), 0)
    assert.equal(await tokenOf(page), undefined)
    const reply = await fetch(`${dashboard().gateway.url}/auth/session`, {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.equal(reply.status, 401)
  })

  test('signs out everywhere', async () => {
    const page = await dashboard().openSignedIn('/settings')
    const other = await dashboard().openSignedIn('/models')
    // So that it does not learn of the end before it is loaded again.
    await other.goto('about:blank')
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    const question = page.getByRole('dialog', { name: 'Sign out everywhere?' })
    await question.waitFor()
    assert.deepEqual(await barriers(page), [])
    await question.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('Your session has ended.').waitFor()
    await other.goBack()
    await other.getByText('Your session has ended.').waitFor()
  })

  test('can be installed', async () => {
    const page = await dashboard().open('/')
    const session = await page.context().newCDPSession(page)
    const { errors, data } = await session.send('Page.getAppManifest')
    assert.deepEqual(errors, [])
    const { icons } = JSON.parse(data ?? '') as { readonly icons: readonly { src: string }[] }
    for (const { src } of icons) {
      const reply = await fetch(`${dashboard().gateway.url}/-/${src}`)
      assert.equal(reply.headers.get('content-type'), 'image/png')
    }
  })

  test('shows the form for an expired session and then the same page', async () => {
    const page = await dashboard().openSignedIn('/models/listed?list=tts&search=o')
    await page.getByText('/v1/models/tts').waitFor()
    await page.getByRole('tab', { name: 'Combos' }).click()
    await page.getByRole('button', { name: 'Add a combo' }).click()
    await page.getByLabel('Name').fill('half-typed')
    await endSessionAt(page, (request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Add the combo' }).click()
    await page.getByText('Your session has ended.').waitFor()
    assert.deepEqual(await barriers(page), [])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await signIn(page)
    assert.equal(page.url(), `${dashboard().gateway.url}/-/models/combos`)
    await page.getByRole('button', { name: 'Edit half-typed' }).waitFor()
  })

  test('goes on with the action of a dialog after signing in again', async () => {
    const page = await dashboard().openSignedIn('/keys')
    await page.getByRole('button', { name: 'Create a key' }).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('interrupted')
    await endSessionAt(page, (request) => request.method() === 'POST')
    await page.getByRole('button', { name: 'Create the key' }).click()
    await page.getByText('Your session has ended.').waitFor()
    await signIn(page)
    await page.getByText('It will not be shown again').waitFor()
    assert.equal(await page.getByText('Sign in first.').count(), 0)
    const made = page.getByText('interrupted', { exact: true })
    await made.first().waitFor()
    assert.equal(await made.count(), 1)
  })

  test('puts the token in no URL and no cookie', async () => {
    const page = await dashboard().open('/')
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await signIn(page)
    const token = await tokenOf(page)
    await page.getByRole('link', { name: 'Models' }).click()
    await page.getByRole('tab', { name: 'Listed' }).click()
    await page.getByText('GET /v1/models').waitFor()
    assert.ok(urls.length > 0)
    assert.deepEqual(
      urls.filter((url) => url.includes(token ?? '') || url.includes(dashboardPassword)),
      [],
    )
    assert.deepEqual(await page.context().cookies(), [])
    const { origin } = new URL(dashboard().gateway.url)
    assert.deepEqual(
      urls.filter((url) => !url.startsWith(`${origin}/`)),
      [],
    )
  })

  test('the Content-Security-Policy blocks no script and no style', () => {
    assert.deepEqual(dashboard().complaints(), [])
  })
})

describe('A dashboard under attack', { skip }, () => {
  const dashboard = useDashboard()

  test('locks out the sixth attempt and shows the remaining time', async () => {
    const page = await dashboard().open('/')
    const field = page.getByLabel('Password', { exact: true })
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const answer = page.waitForResponse('**/auth/login')
      await field.fill(`wrong ${attempt}`)
      await field.press('Enter')
      assert.equal((await answer).status(), 401)
      // Until then the form takes no other password.
      await page.locator('[type=submit]:not([data-loading])').waitFor()
      await page.getByText('The password is wrong.').waitFor()
    }
    await field.fill(dashboardPassword)
    await field.press('Enter')
    await page.getByText('Too many failed sign-ins').waitFor()
    const timer = page.getByRole('timer')
    const first = await timer.textContent()
    assert.match(first ?? '', /^1[45]:\d\d$/)
    assert.equal(await page.getByRole('button', { name: 'Sign in' }).isDisabled(), true)
    await timer.filter({ hasNotText: first ?? '' }).waitFor()
    assert.deepEqual(await barriers(page), [])
  })
})

describe('A dashboard without password', { skip }, () => {
  const dashboard = useDashboard({ DASHBOARD_PASSWORD: '' })

  test('the form says that the dashboard is turned off, and how to turn it on', async () => {
    const page = await dashboard().open('/')
    const field = page.getByLabel('Password', { exact: true })
    await field.fill('any')
    await field.press('Enter')
    await page.getByText('The dashboard is turned off').waitFor()
    assert.deepEqual(await barriers(page), [])
  })
})
