import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { RowName } from '../../../../../src/models/calls/failures/failure-rows.ts'
import {
  failureOfAnswer,
  failureOfEvent,
} from '../../../../../src/models/calls/failures/failures.ts'

const nowMs = Date.parse('2026-11-26T12:00:00Z')
const failureOf = (status: number, body: unknown = {}) =>
  failureOfAnswer(status, {}, typeof body === 'string' ? body : JSON.stringify(body), nowMs)

const openAi = (message: string, type: string, code: string | null = null, param?: string) => ({
  error: { message, type, param: param ?? null, code },
})
const anthropic = (type: string, message: string) => ({
  ...{ type: 'error', error: { type, message } },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
})
const openRouter = (code: number, message: string, metadata?: object) => ({
  error: { message, code, ...(metadata && { metadata }) },
  user_id: 'user_2x7DNyswjOHVRWDYVMCIROyGjsS',
})
const gemini = (code: number, status: string, message: string, details?: readonly object[]) => [
  { error: { code, message, status, ...(details && { details }) } },
]
const vllm = (code: number, type: string, message: string) => ({
  ...{ object: 'error', message, type, param: null, code },
})

/** Bodies as providers send them: their documentation, or the bug report that is named. */
const cases = readFileSync('test/vectors/model-errors.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line): readonly [name: RowName, status: number, body: unknown, source: string] =>
    JSON.parse(line),
  )

describe('an answer', () => {
  for (const [name, status, body, source] of cases) {
    test(`${source}: ${status} ${JSON.stringify(body).slice(0, 120)} is ${name}`, () => {
      assert.equal(failureOf(status, body)?.row.name, name)
    })
  }

  test('with status 2xx is no failure', () => {
    for (const status of [200, 201, 204]) assert.equal(failureOf(status), undefined)
  })
})

test('What a request can cause, or a text can quote, never pauses all at once', () => {
  const certain = cases.filter(([, status, body]) => failureOf(status, body)?.isCertain !== false)
  const names = new Set(certain.map(([name]) => name))
  assert.deepEqual([...names], ['model', 'money', 'key', 'region', 'unreachable'])
  const quoting = openAi("Invalid value: 'the model x does not exist'.", 'invalid_request_error')
  assert.deepEqual(
    [failureOf(400, quoting)?.row.name, failureOf(400, quoting)?.isCertain],
    ['model', false],
  )
  const balance = anthropic('invalid_request_error', 'tools.0: credit balance is too low')
  assert.equal(failureOf(400, balance)?.isCertain, false)
})

test('A long text is compared in a moment', () => {
  const before = process.cpuUsage()
  for (const text of ['model '.repeat(200_000), 'try again in '.repeat(90_000)])
    for (const status of [404, 429]) failureOf(status, openAi(text, 'x'))
  assert.ok(process.cpuUsage(before).user < 1_000_000)
})

describe('an event', () => {
  const rows: readonly (readonly [event: unknown, name: RowName, status: number])[] = [
    [{ error: { code: 429, message: 'x' } }, 'quota', 429],
    [{ error: { code: 'rate_limit_exceeded' } }, 'quota', 429],
    [{ error: { type: 'insufficient_quota', code: 'insufficient_quota' } }, 'money', 429],
    [anthropic('overloaded_error', 'Overloaded'), 'overloaded', 529],
    [anthropic('api_error', 'x'), 'failed', 502],
    [openAi('x', 'invalid_request_error', 'bad'), 'request', 400],
    [openAi('x', 'invalid_request_error', 'model_not_found'), 'model', 404],
    [anthropic('authentication_error', 'x'), 'key', 401],
    [openRouter(502, 'Provider disconnected'), 'failed', 502],
    [vllm(400, 'BadRequestError', 'x'), 'request', 400],
    [gemini(503, 'UNAVAILABLE', 'The model is overloaded.'), 'overloaded', 503],
    [{ error: { status: 'NOT_FOUND', message: 'models/x is not found' } }, 'model', 404],
    [
      {
        type: 'response.failed',
        response: { error: { code: 'rate_limit_exceeded', message: 'x' } },
      },
      'quota',
      429,
    ],
    [
      {
        type: 'response.failed',
        response: { error: { code: 'server_is_overloaded', message: 'x' } },
      },
      'overloaded',
      503,
    ],
    [{ type: 'error', code: 'context_length_exceeded', message: 'x', param: null }, 'context', 400],
    [{ detail: 'Internal Server Error' }, 'failed', 502],
    [{ error: 'just text' }, 'failed', 502],
    [{ error: { code: 'constructor' } }, 'failed', 502],
    [undefined, 'failed', 502],
  ]
  for (const [event, name, status] of rows) {
    test(`${JSON.stringify(event)} is ${name}`, () => {
      const failure = failureOfEvent(event, nowMs)
      assert.deepEqual([failure.row.name, failure.status], [name, status])
    })
  }
})
