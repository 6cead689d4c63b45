/** Uploads with parts in any order, while all processes of the gateway are killed again and again. */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { diskFolder } from '../support/disk-folder.ts'
import {
  filesBelow,
  type GatewayProcess,
  startGatewayProcess,
  testBucket,
} from '../support/gateway-process.ts'
import { Random } from '../support/random.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { md5Of, testBytes } from '../support/test-bytes.ts'
import { UnorderedUpload } from '../support/unordered-upload.ts'

const rounds = Number(process.env.CRASH_ROUNDS ?? (process.env.FULL === '1' ? 200 : 8))
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 31))
const clients = 4
const mostParts = 12
const settings = { COMPATIBILITY: 'aws', MIN_PART_MIB: '0', WORKERS: '2', LOG_LEVEL: 'warn' }

/** An upload as its client knows it. */
interface Tracked {
  readonly upload: UnorderedUpload
  /** The bytes of requests without a reply, by part. */
  readonly unanswered: Map<number, Buffer<ArrayBuffer>>
  /** The list of a Complete without a reply. */
  completing: readonly number[] | undefined
}

class Client {
  readonly #random: Random
  readonly #name: string
  #count = 0
  tracked: Tracked | undefined
  completed = 0
  /** Of its uploads. */
  readonly uploadIds: string[] = []

  constructor(name: string, random: Random) {
    this.#name = name
    this.#random = random
  }

  /** Uploads one object after another, until the gateway no longer answers. */
  async run(server: GatewayProcess): Promise<void> {
    for (;;) {
      this.#count += 1
      const target = `/${testBucket}/${this.#name}-${this.#count}`
      const upload = await UnorderedUpload.begin(server, target)
      this.uploadIds.push(upload.uploadId)
      this.tracked = { upload, unanswered: new Map(), completing: undefined }
      const waiting = this.#numbers()
      const work = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          await this.#put(server, this.tracked, next)
        }
      }
      const results = await Promise.allSettled([work(), work(), work()])
      for (const result of results) if (result.status === 'rejected') throw result.reason
      const again = upload.numbers.filter(() => this.#random.next() < 0.1)
      for (const number of again) await this.#put(server, this.tracked, number)
      await this.finish(server)
    }
  }

  /** After a restart: what was acknowledged must be there, and the upload can be completed. */
  async recover(server: GatewayProcess): Promise<void> {
    const { tracked } = this
    if (tracked === undefined) return
    const { upload, unanswered, completing } = tracked
    const { status, text } = await upload.list(server)
    const found = await upload.found(server)
    if (status === 404) {
      assert.ok(completing, `${upload.target} is gone`)
      assert.deepEqual(found, upload.expected(completing), upload.target)
      this.tracked = undefined
      return
    }
    assert.equal(found, undefined, `${upload.target} is an object, but its upload is open`)
    for (const number of upload.numbers) {
      const possible = [upload.parts.get(number), unanswered.get(number)].flatMap((bytes) =>
        bytes === undefined ? [] : [md5Of(bytes)],
      )
      const pattern = new RegExp(`<PartNumber>${number}</PartNumber>.*?<ETag>[^0-9a-f]*([0-9a-f]+)`)
      const [, etag = ''] = pattern.exec(text.replaceAll('&quot;', '"').replaceAll('\n', '')) ?? []
      assert.ok(possible.includes(etag), `${upload.target}: part ${number} is ${etag}`)
    }
    for (const number of [...unanswered.keys()]) await this.#put(server, tracked, number)
    await this.finish(server)
  }

  async finish(server: GatewayProcess): Promise<void> {
    const { tracked } = this
    if (tracked === undefined) return
    const { upload } = tracked
    tracked.completing = upload.numbers
    const { status, text } = await upload.complete(server)
    assert.equal(status, 200, text)
    assert.deepEqual(await upload.found(server), upload.expected(), upload.target)
    this.tracked = undefined
    this.completed += 1
  }

  async #put(server: GatewayProcess, tracked: Tracked | undefined, number: number): Promise<void> {
    if (tracked === undefined) return
    const random = this.#random
    const size = random.next() < 0.8 ? 50_000 : random.size(100_000)
    const bytes = testBytes(`${random.next()}`, size)
    tracked.unanswered.set(number, bytes)
    const { status, text } = await tracked.upload.put(server, number, bytes)
    assert.equal(status, 200, text)
    tracked.unanswered.delete(number)
  }

  /** In a random order, with gaps. */
  #numbers(): number[] {
    const count = this.#random.integer(1, mostParts)
    const numbers = Array.from({ length: count }, () => this.#random.integer(1, mostParts))
    return [...new Set(numbers)]
  }
}

interface Round {
  readonly folder: string
  readonly all: readonly Client[]
  readonly random: Random
  /** Settings of each gateway; all of them share the folder. */
  readonly gateways: readonly Readonly<Record<string, string>>[]
}

/** Each client goes on at one of the gateways, which are killed one after the other. */
async function crashOnce(t: TestContext, { folder, all, random, gateways }: Round, round: number) {
  await withGateways(folder, gateways, async (servers) => {
    const of = (at: number) => servers[(at + round) % servers.length] ?? assert.fail()
    for (const [at, client] of all.entries()) await client.recover(of(at))
    const isOver = servers.map((server) => delay(random.integer(50, 900)).then(() => server.kill()))
    const runs = all.map((client, at) => client.run(of(at)))
    for (const [at, result] of (await Promise.allSettled(runs)).entries()) {
      assert.equal(result.status, 'rejected')
      // Connections break; what is answered must be right.
      if (result.reason instanceof assert.AssertionError) {
        t.diagnostic(of(at).logs())
        throw result.reason
      }
    }
    await Promise.all(isOver)
  })
}

async function withGateways(
  folder: string,
  gateways: Round['gateways'],
  work: (servers: readonly GatewayProcess[]) => Promise<void>,
): Promise<void> {
  const servers: GatewayProcess[] = []
  try {
    for (const settings of gateways) servers.push(await startGatewayProcess({ folder, settings }))
    await work(servers)
  } finally {
    await Promise.all(servers.map((server) => server.kill()))
  }
}

async function crashAgainAndAgain(t: TestContext, gateways: Round['gateways'], rounds: number) {
  t.diagnostic(`CRASH_SEED=${seed}`)
  const folder = mkdtempSync(join(diskFolder, 'bucketry-unordered-crash-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const random = new Random(seed)
  const all = Array.from(
    { length: clients },
    (_, at) => new Client(`client-${at}`, new Random(seed + at + 1)),
  )
  const parts = { folder, all, random, gateways }
  for (let round = 0; round < rounds; round += 1) await crashOnce(t, parts, round)
  await withGateways(folder, gateways.slice(0, 1), async ([server]) => {
    assert.ok(server)
    for (const client of all) await client.recover(server)
    // One that was killed before its client got the ID stays until it expires.
    const uploads = all.flatMap(({ uploadIds }) => uploadIds)
    const folders = uploads.map((id) => join(server.driveFolder, '.bucketry/uploads', id))
    const files = folders.filter((path) => existsSync(path)).flatMap(filesBelow)
    assert.deepEqual(
      files.filter((path) => statSync(path).size > 0),
      [],
    )
  })
  const completed = all.reduce((sum, client) => sum + client.completed, 0)
  t.diagnostic(`${rounds} crashes, ${completed} uploads completed`)
}

test('a gateway killed at random moments loses no part that it acknowledged, and mixes none', async (t) => {
  await crashAgainAndAgain(t, [settings], rounds)
})

test('two gateways on PostgreSQL, each killed, lose and mix none either', async (t) => {
  const postgres = await startPostgres()
  if (postgres === undefined) return t.skip('PostgreSQL is not installed (.ci/run installs it)')
  t.after(() => postgres.stop())
  const shared = { ...settings, DATABASE_URL: await postgres.createDatabase() }
  await crashAgainAndAgain(t, [shared, shared], Math.ceil(rounds / 2))
})
