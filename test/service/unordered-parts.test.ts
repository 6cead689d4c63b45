/** Parts in any order through several processes, on folders. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { diskFolder } from '../support/disk-folder.ts'
import {
  filesBelow,
  type GatewayProcess,
  startGatewayProcess,
  testBucket,
} from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { startPostgres, type TestPostgres } from '../support/start-postgres.ts'
import { testBytes } from '../support/test-bytes.ts'
import { UnorderedUpload } from '../support/unordered-upload.ts'

const target = `/${testBucket}/k`

let postgres: TestPostgres | undefined
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres?.stop())

/** Gateways over one folder and database. */
async function gateways(t: TestContext, count: number, databaseUrl: string | undefined) {
  const folder = mkdtempSync(join(diskFolder, 'bucketry-unordered-'))
  const drive = join(folder, 'drive')
  mkdirSync(drive)
  const settings = {
    ...{ COMPATIBILITY: 'aws', MIN_PART_MIB: '0', WORKERS: '2', DRIVE: `file:${drive}` },
    ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
  }
  const all: GatewayProcess[] = []
  for (let number = 0; number < count; number += 1) {
    const own = join(folder, `gateway-${number}`)
    mkdirSync(own)
    all.push(await startGatewayProcess({ folder: own, settings }))
  }
  t.after(async () => {
    for (const gateway of all) await gateway.kill()
    rmSync(folder, { recursive: true })
  })
  /** Files of uploads that have bytes. */
  const left = () =>
    filesBelow(join(drive, '.bucketry/uploads')).filter((path) => statSync(path).size > 0)
  return { all, drive, left }
}

/** Sends the parts over this many connections at a time. */
async function sendAll(
  send: (number: number) => Promise<void>,
  numbers: readonly number[],
  connections: number,
): Promise<void> {
  const waiting = [...numbers]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await send(next)
  }
  await Promise.all(Array.from({ length: connections }, work))
}

const databases = [
  ['SQLite', 1],
  ['PostgreSQL', 2],
] as const

for (const [kind, count] of databases) {
  test(`200 parts over 64 connections, ${kind} and ${count} gateways with 2 workers`, async (t) => {
    const url = kind === 'SQLite' ? undefined : await postgres?.createDatabase()
    if (kind === 'PostgreSQL' && url === undefined) return t.skip("needs Debian's postgresql")
    const { all, drive, left } = await gateways(t, count, url)
    const random = new Random(26)
    const [first] = all
    assert.ok(first)
    const some = () => all[random.integer(0, count - 1)] ?? first
    const upload = await UnorderedUpload.begin(first, target)
    const size = 100_000
    const numbers = Array.from({ length: 200 }, (_, at) => at + 1)
    const shuffled = numbers.map((n) => [random.next(), n] as const).sort(([a], [b]) => a - b)
    const send = async (number: number) => {
      const bytes = testBytes(`${number}`, number === 200 ? 777 : size)
      const { status, text } = await upload.put(some(), number, bytes)
      assert.equal(status, 200, text)
    }
    await sendAll(
      send,
      shuffled.map(([, number]) => number),
      64,
    )
    const [data = ''] = readdirSync(join(drive, '.bucketry/uploads'))
    const common = join(drive, '.bucketry/uploads', data, 'parts/data')
    const { ino } = statSync(common)
    assert.equal((await upload.complete(some())).status, 200)
    assert.deepEqual(await upload.found(some()), upload.expected())
    if (shuffled[0]?.[1] !== 200) {
      assert.equal(statSync(join(drive, testBucket, 'k')).ino, ino, 'only renamed')
    }
    assert.deepEqual(left(), [])
  })
}

test('parts with gaps, of other sizes and sent again become the object, and leave nothing', async (t) => {
  const { all, left } = await gateways(t, 1, undefined)
  const [gateway] = all
  assert.ok(gateway)
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = new Random(seed)
    const upload = await UnorderedUpload.begin(gateway, target)
    const send = async (number: number) => {
      const bytes = testBytes(
        `${seed} ${number} ${random.next()}`,
        random.pick([1, 5000, 5000, 7000]),
      )
      assert.equal((await upload.put(gateway, number, bytes)).status, 200)
    }
    const numbers = Array.from({ length: 12 }, () => random.integer(1, 20))
    await sendAll(send, [...new Set(numbers)], 4)
    // Again, some with other bytes.
    await sendAll(send, [...new Set(numbers.slice(0, 4))], 2)
    const list = upload.numbers.filter(() => random.next() < 0.8)
    if (list.length === 0) continue
    assert.equal((await upload.complete(gateway, list)).status, 200, `seed ${seed}`)
    assert.deepEqual(await upload.found(gateway), upload.expected(list), `seed ${seed}`)
    assert.deepEqual(left(), [], `seed ${seed}`)
  }
})
