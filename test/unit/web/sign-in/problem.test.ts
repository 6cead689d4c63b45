import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemOf } from '../../../../web/src/sign-in/problem.ts'

const refusal = (status: number, retryAfterSeconds?: number) => ({
  status,
  message: 'why not',
  retryAfterSeconds,
})

test('problemOf returns a wrong password for 401', () => {
  assert.deepEqual(problemOf(refusal(401), false, 0), {
    kind: 'wrong',
    message: 'The password is wrong.',
  })
})

test('problemOf uses Retry-After as the lockout, or one minute without it', () => {
  assert.deepEqual(problemOf(refusal(429, 842), false, 1_000), { kind: 'locked', untilMs: 843_000 })
  assert.deepEqual(problemOf(refusal(429), false, 0), { kind: 'locked', untilMs: 60_000 })
})

test('problemOf distinguishes a disabled dashboard from an unavailable store', () => {
  assert.deepEqual(problemOf(refusal(503), true, 0), { kind: 'off' })
  assert.deepEqual(problemOf(refusal(503), false, 0), { kind: 'failed', message: 'why not' })
})

test('problemOf returns the message of the service for other errors', () => {
  assert.deepEqual(problemOf(refusal(0), false, 0), { kind: 'failed', message: 'why not' })
})
