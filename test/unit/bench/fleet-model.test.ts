import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fullAt, type RequestKind, resourcesOf, simulate } from '../../../bench/fleet-model.ts'
import { Random } from '../../support/random.ts'

const drive = { name: 'durable writes', servers: 1 }
const size = { gateways: 2, coresPerGateway: 2, databaseCores: 1, drive }
const read = { name: 'GET', gatewayCpuMs: 1, databaseCpuMs: 0, driveMs: 0 }
const write = { name: 'PUT', gatewayCpuMs: 2, databaseCpuMs: 0.5, driveMs: 10 }
const mix: readonly RequestKind[] = [
  { ...read, share: 0.9 },
  { ...write, share: 0.1 },
]

describe('The model of a fleet', () => {
  it('finds the rate at which each resource is always busy', () => {
    const rates = resourcesOf(size).map((resource) => Math.round(fullAt(resource, mix)))
    // 4 cores and 1.1 ms of each request; 10 ms of a tenth; 1 core and 0.05 ms.
    assert.deepEqual(rates, [3_636, 1_000, 20_000])
  })

  it('makes nobody wait when little is sent', () => {
    const times = simulate({
      ...{ size, mix, requestsPerSecond: 0.001, requests: 1_000, random: new Random(1) },
    })
    assert.equal(times.get('GET')?.at(-1)?.toFixed(3), '1.000')
    assert.equal(times.get('PUT')?.at(-1)?.toFixed(3), '12.500')
  })

  it('makes those wait that need a resource which is too busy', () => {
    const times = simulate({
      ...{ size, mix, requestsPerSecond: 1_500, requests: 10_000, random: new Random(1) },
    })
    assert.ok((times.get('PUT')?.at(-1) ?? 0) > 1_000)
    assert.ok((times.get('GET')?.at(-1) ?? 0) < 20)
  })

  it('agrees with theory where one server gets requests of one length', () => {
    const lone = { ...size, gateways: 1, coresPerGateway: 1 }
    const [times = []] = simulate({
      ...{ size: lone, mix: [{ ...read, share: 1 }], requestsPerSecond: 500 },
      ...{ requests: 200_000, random: new Random(2) },
    }).values()
    const mean = times.reduce((sum, ms) => sum + ms, 0) / times.length
    // M/D/1 at a load of one half: the wait is half of the service time (Pollaczek-Khinchine formula).
    assert.ok(Math.abs(mean - 1.5) < 0.05, `${mean} ms`)
  })
})
