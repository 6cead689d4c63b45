import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { newConsent } from '../../../../../../src/app/cli/connect/google/consent.ts'
import { startRedirectServer } from '../../../../../../src/app/cli/connect/google/redirect-server.ts'

test('a redirect server closes though a browser keeps a spare connection', {
  timeout: 5000,
}, async (t) => {
  const server = await startRedirectServer(newConsent(), 0)
  const { port } = new URL(server.redirectUri)
  const spare = connect(Number(port), '127.0.0.1')
  t.after(() => spare.destroy())
  await once(spare, 'connect')
  const answered = fetch(server.redirectUri)
  assert.match(await (await answered).text(), /Start again/)
  await server.close()
})

test('a redirect server that closes ends the answer under way first', {
  timeout: 5000,
}, async () => {
  const consent = newConsent()
  const server = await startRedirectServer(consent, 0)
  const query = new URLSearchParams({ state: consent.state, error: 'access_denied' })
  const answered = fetch(`${server.redirectUri}/?${query}`)
  await assert.rejects(server.code, /Access was denied/)
  await server.close()
  assert.match(await (await answered).text(), /Access was not granted/)
})
