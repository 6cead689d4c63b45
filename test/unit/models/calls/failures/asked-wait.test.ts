import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedWaitMs } from '../../../../../src/models/calls/failures/asked-wait.ts'
import { failureOfAnswer } from '../../../../../src/models/calls/failures/failures.ts'

const nowMs = Date.parse('2026-11-26T12:00:00Z')

test('The wait that an upstream asks for is found in each form of its header', () => {
  const left = { 'x-ratelimit-remaining-requests': '0' }
  for (const [headers, expected] of [
    [{}, undefined],
    [{ 'retry-after': '3' }, 3_000],
    [{ 'retry-after': ' 3 ' }, 3_000],
    [{ 'retry-after': 'Thu, 26 Nov 2026 12:01:00 GMT' }, 60_000],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
    [{ 'retry-after': ['7', '9'] }, 7_000],
    [{ ...left, 'x-ratelimit-reset-requests': '6m0s' }, 360_000],
    [{ ...left, 'x-ratelimit-reset-requests': '1.5s' }, 1_500],
    [{ ...left, 'x-ratelimit-reset-requests': '20ms' }, 20],
    [{ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '6m0s' }, undefined],
    [
      {
        'anthropic-ratelimit-tokens-remaining': '0',
        'anthropic-ratelimit-tokens-reset': '2026-11-26T12:00:30Z',
      },
      30_000,
    ],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowMs + 5_000) }, 5_000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowMs / 1_000 + 5) }, 5_000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': 'x'.repeat(10_000) }, undefined],
    [{ 'retry-after': '999999999' }, 999_999_999_000],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(nowMs - 5_000) }, 0],
  ] as const) {
    assert.equal(
      askedWaitMs(headers as Record<string, string>, nowMs),
      expected,
      JSON.stringify(headers),
    )
  }
})

test('So it is in each form of its body', () => {
  const retryInfo = {
    '@type': 'type.googleapis.com/google.rpc.RetryInfo',
    retryDelay: '39.5s',
  }
  const reset = String(nowMs + 7_000)
  for (const [body, expected] of [
    [{ error: { message: 'Please try again in 644ms. Visit' } }, 644],
    [{ error: { message: 'Please try again in 9.816s. Visit' } }, 9_816],
    [{ error: { message: 'Please try again in 1m26.4s. Need more?' } }, 86_400],
    [{ error: { message: 'Please try again in 2h3m' } }, 7_380_000],
    [{ error: { message: 'Please retry after 8 seconds.' } }, 8_000],
    [{ error: { message: 'Please retry after 1 second.' } }, 1_000],
    [{ error: { message: 'try again in a while' } }, undefined],
    [[{ error: { code: 429, details: [{ '@type': 'x' }, retryInfo] } }], 39_500],
    [
      {
        error: {
          metadata: { headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': reset } },
        },
      },
      7_000,
    ],
    [{ error: { message: 'You will regain access on 2026-11-27 at 01:00 UTC.' } }, 46_800_000],
    [{ error: { message: 'You will regain access on 2020-01-01 at 01:00 UTC.' } }, undefined],
    [{ detail: 'x' }, undefined],
  ] as const) {
    const failure = failureOfAnswer(429, {}, JSON.stringify(body), nowMs)
    assert.equal(failure?.waitMs, expected, JSON.stringify(body))
  }
  const body = '{"error":{"message":"try again in 5s"}}'
  assert.equal(failureOfAnswer(429, { 'retry-after': '3' }, body, nowMs)?.waitMs, 3_000)
})
