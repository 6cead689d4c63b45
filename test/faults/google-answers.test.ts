/** The replies to clients while Google Drive fails or refuses calls. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { suiteScope } from '../support/webdav/suite-scope.ts'
import type { FaultWorld } from './fault-world.ts'
import { openGoogleWorld } from './google-world.ts'
import { putCall } from './operations.ts'
import { isSuccess, type S3Call } from './s3-caller.ts'
import { wholeVersion } from './version.ts'

const small = wholeVersion('small', 1000)
/** Sent as a stream. */
const large = wholeVersion('large', 300_000)

const calls: Readonly<Record<string, S3Call>> = {
  'GetObject of a few bytes': { method: 'GET', key: small.label },
  'GetObject of many bytes': { method: 'GET', key: large.label },
  'GetObject of a range': { method: 'GET', key: large.label, headers: { range: 'bytes=7-200000' } },
  PutObject: putCall('new', small),
  'PutObject over an object': putCall('over', large),
  CopyObject: {
    method: 'PUT',
    key: 'copy',
    headers: { 'x-amz-copy-source': `/photos/${small.label}` },
  },
}

const answers = [
  { fault: 'too-many-calls', status: 503, code: 'SlowDown', isLater: true },
  { fault: 'outage', status: 503, code: 'ServiceUnavailable', isLater: true },
  { fault: 'everything-denied', status: 403, code: 'AccessDenied', isLater: false },
  { fault: 'daily-limit', status: 503, code: 'SlowDown', isLater: true },
]

describe('Over Google Drive', () => {
  const scope = suiteScope()
  let world: FaultWorld

  before(async () => {
    world = await openGoogleWorld(scope)
    for (const version of [small, large]) {
      assert.ok(isSuccess(await world.s3.send(putCall(version.label, version))))
    }
    assert.ok(isSuccess(await world.s3.send(putCall('over', small))))
  })

  for (const [name, call] of Object.entries(calls)) {
    for (const { fault, status, code, isLater } of answers) {
      test(`${name} returns ${status} ${code} for the fault ${fault}`, async () => {
        world.order(fault, 0)
        const answer = await world.s3.send(call)
        assert.ok(world.settle(), 'the fault has struck')
        assert.equal(answer.status, status)
        assert.match(answer.body.toString(), new RegExp(`<Code>${code}</Code>`))
        assert.equal(answer.headers.has('retry-after'), isLater)
        assert.equal(answer.headers.get('content-type'), 'application/xml')
      })
    }
  }
})
