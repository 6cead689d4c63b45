import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { diskFolder } from '../support/disk-folder.ts'
import { testBucket, testCredentials } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { startOwnPostgres } from '../support/start-postgres.ts'
import { startRedis } from '../support/start-redis.ts'
import { absenceOfNetworks, TestNetwork } from '../support/test-network.ts'
import { absenceOfWrongClock, wrongClock } from '../support/wrong-clock.ts'
import { FleetDisturbance } from './fleet-disturbance.ts'
import type { FleetDrive } from './fleet-drive.ts'
import { FleetMember } from './fleet-member.ts'
import { type Fleet, FleetWriters } from './fleet-writers.ts'
import { BelievedStore, verifyStore } from './store.ts'
import { verifyParts } from './uploads.ts'
import { setVersioning, verifyVersions } from './verify-versions.ts'
import { putCopySource, smallShapes } from './writers.ts'

const seed = Number(process.env.FLEET_SEED ?? randomInt(2 ** 31))
/** What each gateway's clock shows. */
const clocks = [{}, wrongClock('+60s'), wrongClock('-60s'), {}] as const

/** Why no fleet can run here, or false. */
export const absenceOfFleet = absenceOfNetworks || absenceOfWrongClock

/** A full run takes about 14 minutes if three gateways may be stopped at a time, and 20 if two may. */
export function fleetLimitMs({ share, gateways }: FleetDrive): number {
  return (share * 5_400_000) / (gateways - 1) + 480_000
}

/**
 * Gateways over one drive, PostgreSQL and Redis. Each gateway has its own PID namespace and network, like a separate
 * host. The clocks differ by up to two minutes. Clients write through all gateways, while all but one of them at a time
 * are killed, suspended, restarted, or cut off from the servers. The servers are also killed and suspended. Half-way, a
 * newer version migrates the database. With an even seed, the bucket has versions.
 *
 * @param before what happens first, while nothing is disturbed
 */
export async function runFleet(
  t: TestContext,
  drive: FleetDrive,
  before: (fleet: Fleet, store: BelievedStore) => Promise<void> = async () => undefined,
): Promise<void> {
  // Other tests have priority. All processes that are started here inherit this.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  t.diagnostic(`FLEET_SEED=${seed}`)
  const members: FleetMember[] = []
  const cleaning = new AsyncDisposableStack()
  const running = runMembers(t, drive, { members, cleaning, before })
  t.after(async () => {
    // At a timeout, all of this still runs. Without gateways it ends, and nothing of it may start a server after that.
    for (const member of members) await member.end()
    await running.catch(() => undefined)
    await cleaning.disposeAsync()
  })
  await running
}

interface FleetRun {
  /** Those that were started. */
  readonly members: FleetMember[]
  /** Of what they use. */
  readonly cleaning: AsyncDisposableStack
  readonly before: (fleet: Fleet, store: BelievedStore) => Promise<void>
}

async function runMembers(t: TestContext, drive: FleetDrive, run: FleetRun): Promise<void> {
  const { start, ...servers } = await scene(t.signal, drive, run)
  const [first, ...others] = clocks.slice(0, drive.gateways)
  const fleet: Fleet = await Promise.all([start(first ?? {}), ...others.map(start)])
  const { clients, share, lateMs, hasVersions } = drive
  const random = new Random(seed)
  const store = new BelievedStore(lateMs)
  const isVersioned = hasVersions && seed % 2 === 0
  const shapes = isVersioned ? smallShapes(drive.shapes) : drive.shapes
  if (isVersioned) {
    store.versions = new Map()
    await setVersioning(fleet[0].server, 'Enabled')
  }
  await run.before(fleet, store)
  await putCopySource({ server: fleet[0].server, store })
  const writers = new FleetWriters({ fleet, store, random, clients, shapes })
  await writers.begin()
  const { signal } = t
  const disturbance = new FleetDisturbance({ fleet, ...servers, random, share, signal })
  run.cleaning.defer(() => disturbance.stop())
  let isOver = false
  const disturbed = disturbance.run().finally(() => {
    isOver = true
  })
  const written = writers.run(() => isOver || signal.aborted)
  // Waits even after a failure: no request may use a network that was removed.
  await Promise.allSettled([written, disturbed])
  const counts = { ...disturbance.counts, ...writers.counts, ...writers.creators.counts }
  t.diagnostic(JSON.stringify(counts))
  const [problems] = await Promise.all([written, disturbed])
  if (problems.length > 0) for (const { log } of fleet) t.diagnostic(log.slice(-20_000))
  assert.deepEqual(problems, [])
  await verify(fleet, store, writers)
  assert.deepEqual(await writers.verifyCounter(), [])
  assert.deepEqual(await writers.creators.verify(fleet[0].server), [])
  assert.ok(writers.counts.steps > 500 * share, 'the writers did next to nothing')
}

async function scene(signal: AbortSignal, drive: FleetDrive, { members, cleaning }: FleetRun) {
  const network = TestNetwork.make(drive.gateways)
  cleaning.defer(() => network.remove())
  const { hosts } = network
  const [postgresAddress, redisAddress, storeAddress] = network.servers
  const clients = hosts.map(({ address }) => address)
  const postgres = await startOwnPostgres([], { address: postgresAddress, clients })
  const redis = await startRedis({ address: redisAddress })
  assert.ok(postgres && redis, "needs Debian's postgresql and redis-server")
  cleaning.defer(() => redis.stop())
  cleaning.defer(() => postgres.stop())
  const opened = await drive.open(cleaning, storeAddress)
  const databaseUrl = await postgres.createDatabase()
  const settings = {
    ACCESS_KEY: testCredentials.accessKey,
    SECRET_KEY: testCredentials.secretKey,
    ALLOWED_BUCKETS: testBucket,
    // Versions are an option of a bucket.
    BUCKET_CREATION: 'on',
    DATABASE_URL: at(postgresAddress, databaseUrl),
    AUTH_KV: at(redisAddress, redis.url),
    DATABASE_POOL: '5',
    WORKERS: '2',
  }
  let started = 0
  const start = async (clock: Readonly<Record<string, string>>) => {
    const index = started++
    const host = hosts[index] ?? assert.fail()
    const folder = mkdtempSync(join(diskFolder, 'bucketry-fleet-'))
    const own = { ...settings, ...clock, ...opened.settings(index) }
    cleaning.defer(() => rmSync(folder, { recursive: true, force: true }))
    signal.throwIfAborted()
    const member = new FleetMember({ folder, host, settings: own })
    members.push(member)
    await member.start()
    return member
  }
  const state = [postgresAddress, redisAddress]
  const all = [...state, storeAddress]
  const cuts =
    opened.store === undefined ? ([state] as const) : ([state, all, [storeAddress]] as const)
  return { postgres, databaseUrl, redis, redisAddress, store: opened.store, cuts, start }
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
  const [, ...others] = fleet
  const servers = [first.server, ...others.map(({ server }) => server)] as const
  assert.deepEqual(await verifyVersions(servers, store), [])
}
