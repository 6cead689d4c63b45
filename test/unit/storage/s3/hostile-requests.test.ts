import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../../src/app/telemetry/log.ts'
import { type Compatibility, compatibilityOf } from '../../../../src/storage/s3/compatibility.ts'
import { Acls } from '../../../../src/storage/s3/configuration/acls.ts'
import { createS3Handler } from '../../../../src/storage/s3/handler.ts'
import { leastCpuMsOf } from '../../../support/cpu-time.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { fakeRequest } from './fake-request.ts'
import { hostileCorsRules, hostileRequests } from './hostile-requests.ts'
import { serviceFor } from './service-for.ts'
import { nowMs, settings } from './sigv4/signed-request.ts'

const maxCpuMs = 5
/** The first runs include compiling, which an attacker cannot repeat. */
const warmUps = 3
/** Linux counts CPU time in milliseconds, so each measurement is of several runs. */
const runs = 12

const buckets = servedBuckets(['bucket'])
const log = createLog('info', { write: () => undefined })
const serviceIn = (compatibility: Compatibility) =>
  serviceFor({
    compatibility,
    settings: { ...settings, publicUrl: 'https://s3.example.com' },
    keys: settings.keys,
    buckets: {
      all: () => buckets.all(),
      find: (name: string) => {
        const found = buckets.find(name)
        return found && { ...found, cors: hostileCorsRules }
      },
    },
    now: () => nowMs,
    acls: new Acls('ignore', log),
    log,
  })

const cases = Object.entries(compatibilityOf).flatMap(([mode, compatibility]) => {
  const handler = createS3Handler(serviceIn(compatibility))
  return hostileRequests.map((request) => ({ mode, handler, ...request }))
})

for (const { mode, handler, title, method = 'GET', target, rawHeaders } of cases) {
  test(`${mode}: refusing a request with ${title} takes less than ${maxCpuMs} ms of CPU`, async () => {
    const requests = Array.from({ length: runs }, () => fakeRequest({ method, target, rawHeaders }))
    for (const request of requests.slice(0, warmUps)) await handler(request)
    const replies: ReturnType<typeof handler>[] = []
    const cpuMs = leastCpuMsOf(() => {
      for (const request of requests) replies.push(handler(request))
    })
    const settled = await Promise.all(replies)
    const logMs = leastCpuMsOf(() => {
      for (const { status, logFields } of settled.slice(-runs))
        log.info({ status, ...logFields }, 'request')
    })
    for (const { status } of settled) assert.match(String(status), /^40[03]$/)
    const each = (cpuMs + logMs) / runs
    assert.ok(each < maxCpuMs, `${each} ms`)
  })
}
