/**
 * Four gateways over one folder, PostgreSQL and Redis, each in a PID namespace of its own, as on hosts of their own,
 * with clocks that differ by two minutes. Gateways, up to three at a time, PostgreSQL and Redis are killed and
 * suspended while clients write through all gateways.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { diskFolder } from '../support/disk-folder.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { startOwnPostgres } from '../support/start-postgres.ts'
import { startRedis } from '../support/start-redis.ts'
import { absenceOfWrongClock, wrongClock } from '../support/wrong-clock.ts'
import { FleetDisturbance } from './fleet-disturbance.ts'
import { FleetMember } from './fleet-member.ts'
import { type Fleet, FleetWriters } from './fleet-writers.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { verifyParts } from './uploads.ts'
import { putCopySource } from './writers.ts'

/** Of the events of a whole run, which takes about 14 minutes. */
const share = Number(process.env.FLEET_SHARE ?? (process.env.CI === 'true' ? 1 : 0.1))
const seed = Number(process.env.FLEET_SEED ?? randomInt(2 ** 31))
/** What each gateway's clock shows. */
const clocks = [{}, wrongClock('+60s'), wrongClock('-60s'), {}] as const

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const skip = isRoot ? absenceOfWrongClock : 'only root may create a PID namespace (Linux)'

suite('A fleet whose gateways are killed and suspended', { skip }, () => {
  test('loses no acknowledged write and mixes no versions', {
    timeout: share * 1_800_000 + 240_000,
  }, async (t) => {
    t.diagnostic(`FLEET_SEED=${seed}`)
    const { postgres, redis, start } = await scene(t)
    const [first, ...others] = clocks
    const fleet = await Promise.all([start(first), ...others.map(start)])
    const random = new Random(seed)
    const store = new BelievedStore()
    await putCopySource({ server: fleet[0].server, store })
    const writers = new FleetWriters({ fleet, store, random })
    const disturbance = new FleetDisturbance({ fleet, postgres, redis, random, share })
    t.after(() => disturbance.stop())
    let isOver = false
    const disturbed = disturbance.run().finally(() => {
      isOver = true
    })
    const [problems] = await Promise.all([writers.run(() => isOver), disturbed])
    t.diagnostic(JSON.stringify({ ...disturbance.counts, ...writers.counts }))
    if (problems.length > 0) for (const { log } of fleet) t.diagnostic(log.slice(-20_000))
    assert.deepEqual(problems, [])
    await verify(fleet, store, writers)
    assert.deepEqual(await writers.verifyCounter(), [])
    assert.ok(writers.counts.steps > 500 * share, 'the writers did next to nothing')
  })
})

async function scene(t: TestContext) {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-fleet-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [postgres, redis] = [await startOwnPostgres(), await startRedis()]
  assert.ok(postgres && redis, "needs Debian's postgresql and redis-server")
  t.after(() => postgres.stop())
  const settings = {
    ACCESS_KEY: testCredentials.accessKey,
    SECRET_KEY: testCredentials.secretKey,
    ALLOWED_BUCKETS: testBucket,
    DATABASE_URL: await postgres.createDatabase(),
    AUTH_KV: redis.url,
    DRIVE: `file:${join(folder, 'drive')}`,
    DATABASE_POOL: '5',
    WORKERS: '2',
  }
  const start = async (clock: Readonly<Record<string, string>>) => {
    const member = new FleetMember(folder, { ...settings, ...clock })
    t.after(() => member.kill())
    await member.start()
    return member
  }
  return { postgres, redis, start }
}

/** Every gateway shows the expected state, also after all uploads were finished. */
async function verify(fleet: Fleet, store: BelievedStore, writers: FleetWriters): Promise<void> {
  const [first] = fleet
  await first.untilReady()
  for (const upload of store.openUploads) {
    assert.deepEqual(await verifyParts(first.server, upload), [])
    await writers.settle(first.server, upload)
  }
  for (const member of fleet) {
    await member.untilReady()
    assert.deepEqual(await verifyStore(member.server, store), [])
  }
}
