/** Listings of one gateway while another one changes the folder. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startGatewayProcess, testBucket } from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { type Server, signedFetch } from '../support/signed-fetch.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { absenceOfWrongClock, wrongClock } from '../support/wrong-clock.ts'

const cycles = Number(process.env.LISTING_CYCLES ?? 400)
/** How many keys may exist: some cycles add one, others delete one. */
const keys = 40

const postgres = absenceOfWrongClock ? undefined : await startPostgres()
const skip = absenceOfWrongClock || (postgres === undefined && "needs Debian's postgresql")

test(`the listings of ${cycles} changes by other gateways are current`, {
  skip,
  timeout: 30_000 + cycles * 200,
}, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-listing-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  t.after(() => postgres?.stop())
  mkdirSync(join(folder, 'drive'))
  const url = (await postgres?.createDatabase()) ?? assert.fail()
  const start = async (clock: Readonly<Record<string, string>>) => {
    const settings = { WORKERS: '1', DATABASE_URL: url, LOG_LEVEL: 'warn', ...clock }
    const gateway = await startGatewayProcess({ folder, settings })
    t.after(() => gateway.kill())
    return gateway
  }
  // The clocks of two gateways are not that of the file system.
  const fleet = await Promise.all([
    start({}),
    start(wrongClock('+60s')),
    start(wrongClock('-60s')),
  ] as const)
  const random = new Random(cycles)
  const present = new Set<string>()
  for (let cycle = 0; cycle < cycles; cycle += 1) {
    const key = `key-${random.integer(1, keys)}`
    const method = present.has(key) ? 'DELETE' : 'PUT'
    const writer = random.pick(fleet)
    const readers = fleet.filter((gateway) => gateway !== writer)
    const reply = await signedFetch(writer, { method, target: `/${testBucket}/${key}`, body: '' })
    assert.ok(reply.ok, `${method} ${reply.status}`)
    if (method === 'PUT') present.add(key)
    else present.delete(key)
    const expected = [...present].sort()
    const listings = await Promise.all(readers.map(listed))
    for (const listing of listings) assert.deepEqual(listing, expected, `cycle ${cycle}`)
  }
})

async function listed(server: Server): Promise<string[]> {
  const target = `/${testBucket}?list-type=2`
  const reply = await signedFetch(server, { method: 'GET', target })
  return Array.from((await reply.text()).matchAll(/<Key>([^<]+)</g), ([, key = '']) => key)
}
