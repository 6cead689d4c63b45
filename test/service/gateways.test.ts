/** Several gateways over one folder and one PostgreSQL, each in a PID namespace of its own, as on hosts of their own. */
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { MainProcess } from '../support/main-process.ts'
import { RawConnection } from '../support/raw-connection.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import { presignTarget } from '../support/signed-request.ts'
import { startPostgres, type TestPostgres } from '../support/start-postgres.ts'

const credentials = {
  accessKey: 'AKEXAMPLE',
  secretKey: 'hunter2hunter2hunter2',
  region: 'us-east-1',
}
const isRoot = process.getuid?.() === 0
let postgres: TestPostgres | undefined
before(async () => {
  postgres = await startPostgres()
})
after(() => postgres?.stop())

/** Looks again until it is so, for at most `withinMs`. */
async function until(isSo: () => boolean, withinMs: number, what: string): Promise<number> {
  const startedAt = performance.now()
  while (!isSo()) {
    assert.ok(performance.now() - startedAt < withinMs, `not within ${withinMs} ms: ${what}`)
    await sleep(50)
  }
  return performance.now() - startedAt
}

async function scene(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-gateways-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const settings = {
    ACCESS_KEY: credentials.accessKey,
    SECRET_KEY: credentials.secretKey,
    ALLOWED_BUCKETS: 'photos',
    DATABASE_URL: (await postgres?.createDatabase()) ?? '',
    DRIVE: `file:${join(folder, 'drive')}`,
    WORKERS: '2',
  }
  const start = (changes: Readonly<Record<string, string>> = {}) => {
    const main = new MainProcess(folder, { ...settings, ...changes }, { isElsewhere: true })
    t.after(() => main.kill())
    return main
  }
  /** Whether each gateway in the database has ended, the earliest first. */
  const ended = async () => {
    const client = new Client({ connectionString: settings.DATABASE_URL })
    await client.connect()
    const sql = 'SELECT ended_at_ms <> 0 AS ended FROM gateways ORDER BY started_at_ms'
    const { rows } = await client.query<{ ended: boolean }>(sql)
    await client.end()
    return rows.map((row) => row.ended)
  }
  return { folder, start, ended, temporary: join(folder, 'drive/.bucketry/tmp') }
}

function put(url: string, key: string, body = 'bytes'): Promise<Response> {
  const server = { host: new URL(url).host, credentials }
  return signedFetch(server, { method: 'PUT', target: `/photos/${key}`, body })
}

/** Sends the beginning of an object. */
async function putHalf(url: string, key: string): Promise<void> {
  const { host, port } = new URL(url)
  const target = presignTarget(
    { method: 'PUT', target: `/photos/${key}`, host, expiresSeconds: 60 },
    credentials,
  )
  const connection = await RawConnection.open(Number(port))
  const head = `PUT ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 8000000\r\n\r\n`
  connection.socket.write(head)
  connection.socket.write(Buffer.alloc(4_000_000))
}

/** The drafts of all processes, as paths below the temporary folder. */
function draftsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => (statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0) > 1_000_000,
  )
}

const skip =
  isRoot && process.platform === 'linux' ? false : 'only root may create a PID namespace (Linux)'

suite('Gateways on several hosts', { skip }, () => {
  test('A gateway with another key ends within 5 s and names the setting', async (t) => {
    const { start } = await scene(t)
    await start().url()
    for (const setting of ['SECRET_KEY', 'ACCESS_KEY'] as const) {
      const startedAt = performance.now()
      const other = start({ [setting]: 'another-value-of-it' })
      assert.equal(await other.ended(), 1)
      assert.match(other.stderr, new RegExp(`^ *${setting} is not that of the gateway on `, 'm'))
      assert.ok(performance.now() - startedAt < 5_000)
    }
  })

  test('A gateway with another drive ends and names DRIVE', async (t) => {
    const { folder, start } = await scene(t)
    await start().url()
    const other = start({ DRIVE: `file:${join(folder, 'other')}` })
    assert.equal(await other.ended(), 1)
    assert.match(other.stderr, /^ *DRIVE is another drive than that of the gateway on /m)
  })

  test('A gateway that fails to start does not block the start of others', async (t) => {
    const { folder, start, ended } = await scene(t)
    const url = await start().url()
    const wrong = start({ DRIVE: `file:${join(folder, 'other')}` })
    assert.equal(await wrong.ended(), 1)
    assert.deepEqual(await ended(), [false])
    const samePort = start({ PORT: new URL(url).port })
    assert.equal(await samePort.ended(), 1)
    assert.deepEqual(await ended(), [false, true])
    await start().url()
  })

  test('What a killed gateway was writing is removed by another one', async (t) => {
    const { start, temporary } = await scene(t)
    const one = start()
    const two = start()
    const [url] = await Promise.all([one.url(), two.url()])
    await putHalf(url, 'half')
    await until(() => draftsIn(temporary).length === 1, 5_000, 'the draft is there')
    await one.kill()
    await until(() => draftsIn(temporary).length === 0, 20_000, 'the draft is removed')
    await two.line(({ msg }) => msg === 'another gateway has ended')
  })

  test('A gateway that was suspended goes on after others marked it as ended', async (t) => {
    const { start, temporary } = await scene(t)
    const one = start()
    const two = start()
    const [url] = await Promise.all([one.url(), two.url()])
    await putHalf(url, 'half')
    await until(() => draftsIn(temporary).length === 1, 5_000, 'the draft is there')
    const pids = [one.pid, ...one.workers()]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await until(() => draftsIn(temporary).length === 0, 20_000, 'the draft is removed')
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    // Its temporary folders are gone.
    for (let index = 0; index < 20; index += 1) {
      const body = 'x'.repeat(index * 20_000)
      assert.equal((await put(url, `after/${index}`, body)).status, 200)
    }
    await one.line(
      ({ msg }) => msg === 'another gateway marked this one as ended: registering again',
    )
  })
})
