import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  portMetrics,
  publicMetrics,
} from '../../../../../src/app/telemetry/metrics/metrics-handler.ts'
import type { HttpHandler } from '../../../../../src/platform/http/message.ts'
import { requestOf } from '../../start/request-of.ts'

const scrape = async () => 'text'
const onFailure = () => assert.fail()
const token = 'correct-horse-battery'

async function ask(handler: HttpHandler, authorization?: string, path = '/-/metrics') {
  const request = requestOf('GET', path)
  const headers = authorization === undefined ? {} : { authorization }
  return await handler({ ...request, headers })
}

test('The port of S3 has no metrics without METRICS_TOKEN', async () => {
  const handlers = [
    publicMetrics({ scrape: undefined, token: undefined, onFailure }),
    publicMetrics({ scrape: undefined, token, onFailure }),
    publicMetrics({ scrape, token: undefined, onFailure }),
  ]
  for (const handler of handlers) {
    for (const authorization of [undefined, 'Bearer ', 'Bearer undefined', `Bearer ${token}`]) {
      const { status, body } = await ask(handler, authorization)
      assert.equal(status, 404)
      assert.match(String(body), /METRICS_TOKEN.*METRICS_PORT/)
    }
  }
})

test('With METRICS_TOKEN both ports require exactly that token', async () => {
  for (const handler of [
    publicMetrics({ scrape, token, onFailure }),
    portMetrics({ scrape, token, onFailure }),
  ]) {
    const right = await ask(handler, `Bearer ${token}`)
    assert.deepEqual([right.status, right.body], [200, 'text'])
    assert.equal((await ask(handler, `bearer  ${token}`)).status, 200)
    for (const wrong of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Bearer ${token} `,
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${'x'.repeat(60_000)}`,
      `Bearer ${' '.repeat(60_000)}${token}x`,
      `Bearer ${token}, Bearer ${token}`,
      'Bearer \u00ff\u0000',
      'Bearer __proto__',
    ]) {
      const { status, headers, body } = await ask(handler, wrong)
      assert.equal(status, 401, JSON.stringify(wrong))
      assert.ok(headers.some(([name]) => name === 'WWW-Authenticate'))
      assert.doesNotMatch(String(body), new RegExp(token))
    }
  }
})

test('METRICS_PORT serves nothing else', async () => {
  const handler = portMetrics({ scrape, token: undefined, onFailure })
  assert.equal((await ask(handler)).status, 200)
  assert.equal((await ask(handler, undefined, '/metrics')).status, 200)
  for (const path of ['/', '/photos', '/-/healthz', '/-/metrics/', '/-/metrics/..']) {
    assert.equal((await ask(handler, undefined, path)).status, 404, path)
  }
  assert.equal((await handler(requestOf('POST', '/metrics'))).status, 405)
})

test('A scrape that fails gets 503, and the log the reason', async () => {
  const reasons: unknown[] = []
  const handler = portMetrics({
    scrape: () => Promise.reject(new Error('secret path')),
    ...{ token: undefined, onFailure: (error: unknown) => reasons.push(error) },
  })
  const { status, body } = await ask(handler)
  assert.equal(status, 503)
  assert.doesNotMatch(String(body), /secret/)
  assert.equal(reasons.length, 1)
})
