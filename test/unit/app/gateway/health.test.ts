import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHealthHandler, type HealthChecks } from '../../../../src/app/gateway/health.ts'
import { requestOf } from '../start/request-of.ts'

function health(checks: HealthChecks, now: () => number = () => 0) {
  const failures: string[] = []
  const handler = createHealthHandler({
    checks,
    now,
    timeoutMs: 50,
    onFailure: (part, error) => failures.push(`${part}: ${error}`),
  })
  return { ask: () => handler(requestOf('GET', '/-/healthz')), failures, handler }
}

test('Health answers 200 when every part answers', async () => {
  const { ask } = health({ drive: async () => undefined, database: async () => undefined })
  const reply = await ask()
  assert.equal(reply.status, 200)
  assert.equal(reply.body, '{"status":"ok"}')
})

test('Health answers 503 naming what fails or does not answer in time', async () => {
  const { ask, failures } = health({
    drive: () => new Promise(() => undefined),
    cache: async () => undefined,
    database: async () => {
      throw new Error('locked')
    },
  })
  const reply = await ask()
  assert.equal(reply.status, 503)
  assert.equal(reply.body, '{"status":"unavailable","failing":["drive","database"]}')
  assert.deepEqual(failures.sort(), [
    'database: Error: locked',
    'drive: TimeLimitError: no answer within 50 ms',
  ])
})

test('Health asks the parts once a second at most, however many ask it', async () => {
  let asked = 0
  let nowMs = 0
  const count = async () => {
    asked += 1
  }
  const { ask } = health({ drive: count }, () => nowMs)
  await Promise.all([ask(), ask(), ask()])
  nowMs = 999
  await ask()
  assert.equal(asked, 1)
  nowMs = 1_000
  await ask()
  assert.equal(asked, 2)
})

test('Health does not ask a part again that has not answered yet', async () => {
  let asked = 0
  let nowMs = 0
  let answer: () => void = () => undefined
  const hang = () => {
    asked += 1
    return new Promise<void>((resolve) => {
      answer = resolve
    })
  }
  const { ask } = health({ drive: hang }, () => nowMs)
  for (nowMs = 0; nowMs < 5_000; nowMs += 1_000) assert.equal((await ask()).status, 503)
  assert.equal(asked, 1)
  answer()
  await new Promise((resolve) => setImmediate(resolve))
  void ask()
  assert.equal(asked, 2)
})

test('Health takes only GET and HEAD', async () => {
  const { handler } = health({})
  assert.equal((await handler(requestOf('POST', '/-/healthz'))).status, 405)
  assert.equal((await handler(requestOf('HEAD', '/-/healthz'))).status, 200)
})
