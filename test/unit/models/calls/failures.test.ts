import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  askedWaitMs,
  consequences,
  failureOfAnswer,
  failureOfEvent,
  type Scope,
} from '../../../../src/models/calls/failures.ts'

const nowMs = Date.parse('2026-11-26T12:00:00Z')
const failureOf = (status: number, body: object | string = {}) =>
  failureOfAnswer(status, {}, typeof body === 'string' ? body : JSON.stringify(body), nowMs)

describe('an answer', () => {
  const rows: readonly (readonly [
    status: number,
    scope: Scope | undefined,
    body?: object | string,
  ])[] = [
    [200, undefined],
    [204, undefined],
    [301, 'connection'],
    [400, 'request'],
    [400, 'request', { error: { code: 'context_length_exceeded' } }],
    [400, 'model', { error: { code: 'model_not_found' } }],
    [400, 'model', { error: { code: 'model_not_supported' } }],
    [400, 'request', '<html>'],
    [401, 'connection'],
    [402, 'connection'],
    [403, 'connection'],
    [403, 'model', { error: { code: 'model_not_found' } }],
    [401, 'connection', { error: { code: 'model_not_found' } }],
    [404, 'model'],
    [405, 'request'],
    [408, 'moment'],
    [409, 'request'],
    [413, 'request'],
    [415, 'request'],
    [422, 'request'],
    [422, 'model', { error: { code: 'unsupported_model' } }],
    [429, 'quota'],
    [500, 'moment'],
    [502, 'moment'],
    [503, 'moment'],
    [504, 'moment'],
    [529, 'quota'],
    [599, 'moment'],
  ]
  for (const [status, scope, body] of rows) {
    test(`${status} ${JSON.stringify(body ?? {})} is about the ${scope ?? 'success'}`, () => {
      assert.equal(failureOf(status, body)?.scope, scope)
    })
  }
})

describe('the first event of a stream', () => {
  for (const [event, scope, status] of [
    [{ error: { code: 429, message: 'x' } }, 'quota', 429],
    [{ error: { code: 'rate_limit_exceeded' } }, 'quota', 429],
    [{ error: { type: 'insufficient_quota', code: 'insufficient_quota' } }, 'quota', 429],
    [{ type: 'error', error: { type: 'overloaded_error' } }, 'quota', 529],
    [{ type: 'error', error: { type: 'api_error' } }, 'moment', 502],
    [{ error: { type: 'invalid_request_error', code: 'bad' } }, 'request', 400],
    [{ error: { type: 'invalid_request_error', code: 'model_not_found' } }, 'model', 400],
    [{ error: { type: 'authentication_error' } }, 'connection', 401],
    [{ error: 'just text' }, 'moment', 502],
    [{ type: 'error', code: 'model_not_found' }, 'model', 404],
    [undefined, 'moment', 502],
  ] as const) {
    test(`${JSON.stringify(event)} is about the ${scope}`, () => {
      const failure = failureOfEvent(event)
      assert.deepEqual([failure.scope, failure.status], [scope, status])
    })
  }
})

test('Only a bad request is not tried elsewhere, and only it lets nothing rest', () => {
  for (const [scope, { triesNext, pauses }] of Object.entries(consequences)) {
    assert.equal(triesNext, scope !== 'request')
    assert.equal(pauses === 'nothing', scope === 'request')
  }
})

test('The wait that an upstream asks for is found in each of its forms', () => {
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
