import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freshRequest } from '../support/fresh-request.ts'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { dashboardPassword } from '../support/management-client.ts'
import { passwordHash } from '../support/models-gateway.ts'

/** The address in GET /-/api/status for a request with these headers. */
async function endpointOf(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly [status: number, endpoint: string | undefined]> {
  const body = JSON.stringify({ passwordHash: passwordHash(dashboardPassword) })
  const login = await freshRequest(`${url}/auth/login`, { method: 'POST', body })
  const authorization = `Bearer ${JSON.parse(login.text).token}`
  const reply = await freshRequest(`${url}/-/api/status`, {
    headers: { ...headers, authorization },
  })
  return [reply.status, JSON.parse(reply.text).endpoint?.url]
}

const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 's3.example.org' }

test('The address of the endpoint is that of the request, whatever forwarding headers say', async (t) => {
  const { url, host } = await startGatewayInProcess(t, { DASHBOARD_PASSWORD: dashboardPassword })
  assert.deepEqual(await endpointOf(url, {}), [200, url])
  assert.deepEqual(await endpointOf(url, { ...forwarded, host }), [200, url])
  assert.deepEqual(await endpointOf(url, { host: 'LOCALHOST:80' }), [200, 'http://localhost'])
})

test('With TRUST_PROXY the address is the one that the proxy received', async (t) => {
  const { url } = await startGatewayInProcess(t, {
    ...{ DASHBOARD_PASSWORD: dashboardPassword, TRUST_PROXY: '127.0.0.0/8' },
  })
  assert.deepEqual(await endpointOf(url, forwarded), [200, 'https://s3.example.org'])
})

for (const host of ['a b', 'user:password@host', 'host/../', '"><script>', '[::', 'h:99999']) {
  test(`A request with Host ${host} gets no address built from it`, async (t) => {
    const { url } = await startGatewayInProcess(t, { DASHBOARD_PASSWORD: dashboardPassword })
    const [status, endpoint] = await endpointOf(url, { host })
    assert.deepEqual([status, endpoint], [400, undefined])
  })
}
