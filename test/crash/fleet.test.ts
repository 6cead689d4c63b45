/**
 * Four gateways over one folder, PostgreSQL and Redis. Each gateway has its own PID namespace and network, like a
 * separate host. The clocks differ by up to two minutes. Clients write through all gateways, while up to three gateways
 * at a time are killed, suspended, restarted, or cut off from PostgreSQL and Redis. PostgreSQL and Redis are also killed
 * and suspended. Half-way, a newer version migrates the database.
 */
import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { diskFolder } from '../support/disk-folder.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { startOwnPostgres } from '../support/start-postgres.ts'
import { startRedis } from '../support/start-redis.ts'
import { isFull } from '../support/test-groups.ts'
import { absenceOfNetworks, TestNetwork } from '../support/test-network.ts'
import { absenceOfWrongClock, wrongClock } from '../support/wrong-clock.ts'
import { FleetDisturbance } from './fleet-disturbance.ts'
import { FleetMember } from './fleet-member.ts'
import { type Fleet, FleetWriters } from './fleet-writers.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { verifyParts } from './uploads.ts'
import { putCopySource } from './writers.ts'

/** The share of the events of a full run, which takes about 14 minutes. */
const share = Number(process.env.FLEET_SHARE ?? (isFull ? 1 : 0.1))
const seed = Number(process.env.FLEET_SEED ?? randomInt(2 ** 31))
/** One for each gateway in turn, such as mounts of one network file system. */
const givenFolders = (process.env.FLEET_FOLDERS ?? diskFolder).split(',')
/** What each gateway's clock shows. */
const clocks = [{}, wrongClock('+60s'), wrongClock('-60s'), {}] as const

const skip = absenceOfNetworks || absenceOfWrongClock

// Other tests have priority. All processes that are started here inherit this.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

suite('A fleet whose gateways are killed, suspended and cut off', { skip }, () => {
  test('loses no acknowledged write and mixes no versions', {
    timeout: share * 1_800_000 + 480_000,
  }, async (t) => {
    t.diagnostic(`FLEET_SEED=${seed}`)
    const { start, ...servers } = await scene(t)
    const [first, ...others] = clocks
    const fleet = await Promise.all([start(first), ...others.map(start)])
    const random = new Random(seed)
    const store = new BelievedStore()
    await putCopySource({ server: fleet[0].server, store })
    const writers = new FleetWriters({ fleet, store, random })
    await writers.begin()
    const { signal } = t
    const disturbance = new FleetDisturbance({ fleet, ...servers, random, share, signal })
    t.after(() => disturbance.stop())
    let isOver = false
    const disturbed = disturbance.run().finally(() => {
      isOver = true
    })
    const written = writers.run(() => isOver || signal.aborted)
    // Waits even after a failure: no request may use a network that was removed.
    await Promise.allSettled([written, disturbed])
    t.diagnostic(JSON.stringify({ ...disturbance.counts, ...writers.counts }))
    const [problems] = await Promise.all([written, disturbed])
    if (problems.length > 0) for (const { log } of fleet) t.diagnostic(log.slice(-20_000))
    assert.deepEqual(problems, [])
    await verify(fleet, store, writers)
    assert.deepEqual(await writers.verifyCounter(), [])
    assert.ok(writers.counts.steps > 500 * share, 'the writers did next to nothing')
  })
})

async function scene(t: TestContext) {
  const cleaning = new AsyncDisposableStack()
  t.after(() => cleaning.disposeAsync())
  const network = TestNetwork.make(clocks.length)
  cleaning.defer(() => network.remove())
  const { hosts } = network
  const [postgresAddress, redisAddress] = network.servers
  const clients = hosts.map(({ address }) => address)
  const postgres = await startOwnPostgres([], { address: postgresAddress, clients })
  const redis = await startRedis({ address: redisAddress })
  assert.ok(postgres && redis, "needs Debian's postgresql and redis-server")
  cleaning.defer(() => redis.stop())
  cleaning.defer(() => postgres.stop())
  const folders = makeFolders(cleaning)
  const databaseUrl = await postgres.createDatabase()
  const settings = {
    ACCESS_KEY: testCredentials.accessKey,
    SECRET_KEY: testCredentials.secretKey,
    ALLOWED_BUCKETS: testBucket,
    DATABASE_URL: at(postgresAddress, databaseUrl),
    AUTH_KV: at(redisAddress, redis.url),
    DATABASE_POOL: '5',
    WORKERS: '2',
  }
  let started = 0
  const start = async (clock: Readonly<Record<string, string>>) => {
    const index = started++
    const host = hosts[index] ?? assert.fail()
    const DRIVE = `file:${folders[index % folders.length]}`
    const folder = mkdtempSync(join(diskFolder, 'bucketry-fleet-'))
    const member = new FleetMember({ folder, host, settings: { ...settings, ...clock, DRIVE } })
    cleaning.defer(async () => {
      await member.end()
      rmSync(folder, { recursive: true, force: true })
    })
    await member.start()
    return member
  }
  return { postgres, databaseUrl, redis, redisAddress, start }
}

/** The drives' folders: if these are mounts of one file system, the same one. */
function makeFolders(cleaning: AsyncDisposableStack): readonly string[] {
  const name = `bucketry-fleet-${randomUUID()}`
  const folders = givenFolders.map((folder) => join(folder, name))
  for (const folder of folders) {
    cleaning.defer(() => rmSync(folder, { recursive: true, force: true }))
    mkdirSync(folder, { recursive: true })
  }
  return folders
}

/** The same URL with another host. */
function at(address: string, url: string): string {
  const changed = new URL(url)
  changed.hostname = address
  return changed.href
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
