import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startGatewayInProcess } from '../support/gateway-in-process.ts'
import { assertOpenApi } from '../support/open-api-checks.ts'

test('GET /-/openapi.json is public and valid OpenAPI 3.1', async (t) => {
  const { url } = await startGatewayInProcess(t)
  const reply = await fetch(`${url}/-/openapi.json`)
  assert.equal(reply.status, 200)
  assert.match(reply.headers.get('content-type') ?? '', /^application\/json/)
  const text = await reply.text()
  assertOpenApi(JSON.parse(text))
  const head = await fetch(`${url}/-/openapi.json`, { method: 'HEAD' })
  assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(text)))
  const posted = await fetch(`${url}/-/openapi.json`, { method: 'POST' })
  assert.deepEqual([posted.status, posted.headers.get('allow')], [405, 'GET, HEAD'])
})
