import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog, logRequest, throttled } from '../../../../src/app/telemetry/log.ts'
import type { Outcome } from '../../../../src/platform/http/exchange.ts'
import { recordOf, requestOf } from '../start/request-of.ts'

const outcome: Outcome = {
  status: 200,
  bytesReceived: 300,
  bytesSent: 12,
  durationMs: 1.23456,
  isAborted: false,
  logFields: { operation: 'GetObject', bucket: 'photos', key: 'a b' },
}

test('A probe of the process that succeeds has a line only at debug', () => {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const write = (ended: Outcome) => logRequest(log, recordOf(probe, ended))
  const probe = requestOf('GET', '/-/livez')
  write({ ...outcome, logFields: {} })
  assert.deepEqual(lines, [])
  write({ ...outcome, logFields: {}, status: 503 })
  // An object of a virtual host.
  write(outcome)
  assert.equal(lines.length, 2)
  log.level = 'debug'
  write({ ...outcome, logFields: {} })
  assert.match(lines[2] ?? '', /"level":20/)
})

function lineOf(changes: Partial<Outcome>): Record<string, unknown> {
  const lines: string[] = []
  const log = createLog('info', { write: (line) => lines.push(line) })
  const request = requestOf('GET', '/photos/a%20b?X-Amz-Signature=c0ffee')
  logRequest(log, recordOf(request, { ...outcome, ...changes }))
  assert.equal(lines.length, 1)
  assert.doesNotMatch(lines.join(), /c0ffee/)
  return JSON.parse(lines[0] ?? '')
}

test('A request logs one line with the fields an operator needs', () => {
  const { time, pid, ...line } = lineOf({})
  assert.deepEqual(line, {
    level: 30,
    requestId: '0123456789ABCDEF',
    method: 'GET',
    operation: 'GetObject',
    bucket: 'photos',
    key: 'a b',
    status: 200,
    bytesIn: 300,
    bytesOut: 12,
    durationMs: 1.23,
    remoteAddress: '192.0.2.1',
    msg: 'request',
  })
  assert.equal(pid, process.pid)
  assert.match(String(time), /^\d{4}-\d\d-\d\dT/)
})

test('The line of a request is marked if its client disconnected', () => {
  assert.equal(lineOf({ isAborted: true }).aborted, true)
})

test('A request that broke off is an error with its reason', () => {
  const line = lineOf({ failure: new Error('disk'), isAborted: true })
  assert.equal(line.level, 50)
  assert.match(JSON.stringify(line.err), /disk/)
})

test('A throttled report is made immediately, then once per interval with the number of calls', () => {
  let nowMs = 1_000
  const said: number[] = []
  const call = throttled(
    100,
    (calls) => said.push(calls),
    () => nowMs,
  )
  call()
  assert.deepEqual(said, [1])
  nowMs += 99
  call()
  call()
  assert.deepEqual(said, [1])
  nowMs += 1
  call()
  assert.deepEqual(said, [1, 3])
})
