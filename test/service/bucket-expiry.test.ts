import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type GatewayProcess, startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'

/** How many objects there are to remove: more, if a quick machine has removed all of them before a test interrupts it. */
const leastExpired = 4_000
const mostExpired = 64_000
const kept = 5
/** How many objects are removed at a time: what has begun before a change may end (expire-bucket.ts). */
const concurrency = 4
const rules =
  '<LifecycleConfiguration><Rule><ID>old</ID><Filter><Prefix>old/</Prefix></Filter>' +
  '<Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>'

interface World {
  readonly gateways: readonly [GatewayProcess, GatewayProcess]
  /** The names of the objects that are left. */
  readonly left: () => string[]
  /** Resolves while a gateway removes objects: that one, and the other. */
  readonly whileRemoving: () => Promise<{ holder: GatewayProcess; other: GatewayProcess }>
}

/** Two gateways on one database and one drive, with old objects and a few new ones. */
async function open(t: TestContext, expired: number): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-expiry-'))
  const files = join(folder, 'drive', testBucket, 'old')
  mkdirSync(files, { recursive: true })
  for (let index = 0; index < expired; index++) {
    writeFileSync(join(files, `expired-${index}`), 'x')
    utimesSync(join(files, `expired-${index}`), 1_600_000_000, 1_600_000_000)
  }
  for (let index = 0; index < kept; index++) writeFileSync(join(files, `kept-${index}`), 'x')
  const settings = { BUCKET_CREATION: 'on', WORKERS: '1' }
  const gateways = [
    await startGatewayProcess({ folder, settings }),
    await startGatewayProcess({ folder, settings }),
  ] as const
  t.after(async () => {
    for (const gateway of gateways) await gateway.kill()
    rmSync(folder, { recursive: true, force: true })
  })
  const left = () => readdirSync(files)
  const whileRemoving = async () => {
    await until(() => left().length < expired + kept)
    const database = new DatabaseSync(join(folder, 'state.db'), { readOnly: true })
    const row = database.prepare("SELECT owner FROM jobs WHERE kind = 'expire'").get()
    database.close()
    const [one, two] = gateways
    const isOne = String(row?.owner).includes(`/${one.pid}/`)
    return isOne ? { holder: one, other: two } : { holder: two, other: one }
  }
  return { gateways, left, whileRemoving }
}

async function send(gateway: GatewayProcess, method: string, body?: string): Promise<void> {
  const target = `/${testBucket}?lifecycle`
  const reply = await signedFetch(gateway, { method, target, ...(body !== undefined && { body }) })
  assert.ok(reply.ok, await reply.text())
}

const newOnes = Array.from({ length: kept }, (_, index) => `kept-${index}`)

/** Interrupts the removal of objects, when some are left. */
async function interrupted(
  t: TestContext,
  interrupt: (gateways: { holder: GatewayProcess; other: GatewayProcess }) => Promise<unknown>,
) {
  for (let expired = leastExpired; expired <= mostExpired; expired *= 4) {
    const { gateways, left, whileRemoving } = await open(t, expired)
    await send(gateways[0], 'PUT', rules)
    const { holder, other } = await whileRemoving()
    await interrupt({ holder, other })
    const leftThen = left().length
    if (leftThen > kept) return { holder, other, left, leftThen }
  }
  assert.fail('everything was removed before')
}

test('Another gateway goes on when the one that removes expired objects is killed', async (t) => {
  const { other, left } = await interrupted(t, ({ holder }) => holder.kill())
  await until(() => left().length === kept)
  assert.deepEqual(left().sort(), newOnes)
  await until(() => /removed what has expired/.test(other.logs()))
})

test('A gateway that was suspended removes nothing by rules that are gone', async (t) => {
  const { holder, left, leftThen } = await interrupted(t, async ({ holder, other }) => {
    process.kill(holder.pid, 'SIGSTOP')
    await send(other, 'DELETE')
  })
  // Longer than it may use what it has in memory.
  await delay(1_100)
  process.kill(holder.pid, 'SIGCONT')
  await until(() => /removed what has expired/.test(holder.logs()))
  assert.ok(left().length >= leftThen - concurrency, `${leftThen} ${left().length}`)
})

test('Removal stops within a second of a change of the rules at another gateway', async (t) => {
  const { holder, left, leftThen } = await interrupted(t, async ({ other }) => {
    await send(other, 'DELETE')
    await delay(1_000)
  })
  await until(() => /removed what has expired/.test(holder.logs()))
  assert.ok(left().length >= leftThen - concurrency, `${leftThen} ${left().length}`)
})
