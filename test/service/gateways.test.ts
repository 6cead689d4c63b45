/** Several gateways over one folder and one PostgreSQL, each in a PID namespace of its own, as on hosts of their own. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { globSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { openDatabase } from '../../src/platform/state/open-database.ts'
import { changeKey } from '../../src/storage/buckets/made-bucket-table.ts'
import { driveDigest } from '../../src/storage/drives/kit/drive-database.ts'
import { DatabaseLeases } from '../../src/storage/drives/kit/key-lease-table.ts'
import { aboutOrder, newFigures } from '../../src/storage/jobs/files/file-order.ts'
import { JobTable, type NewJob } from '../../src/storage/jobs/job-table.ts'
import { assertWithin } from '../support/assert-within.ts'
import { MainProcess } from '../support/main-process.ts'
import { dashboardPassword, ManagementClient, until } from '../support/management-client.ts'
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
    BUCKET_CREATION: 'on',
    DASHBOARD_PASSWORD: dashboardPassword,
  }
  const start = (changes: Readonly<Record<string, string>> = {}) => {
    const main = new MainProcess(folder, { ...settings, ...changes }, { isElsewhere: true })
    t.after(() => main.kill())
    return main
  }
  const query = async <Row extends object>(sql: string, values: readonly unknown[] = []) => {
    const client = new Client({ connectionString: settings.DATABASE_URL })
    await client.connect()
    const { rows } = await client.query<Row>(sql, [...values])
    await client.end()
    return rows
  }
  /** Whether each gateway in the database has ended, the earliest first. */
  const ended = async () => {
    const sql = 'SELECT ended_at_ms <> 0 AS ended FROM gateways ORDER BY started_at_ms'
    return (await query<{ ended: boolean }>(sql)).map((row) => row.ended)
  }
  /** Lets a process run a job. */
  const hold = async (job: Omit<NewJob, 'beganAtMs' | 'owner'>, owner: string) => {
    const location = { kind: 'postgres', url: settings.DATABASE_URL } as const
    const database = await openDatabase(location, { migrate: false })
    const leases = new DatabaseLeases(database, '/jobs')
    const keys = [`${job.kind}/${job.id}`]
    const claim = { owner, untilMs: Date.now() + 30_000, note: '' }
    await until(async () => leases.take(keys, claim, (await leases.look(keys, [])).leases))
    const table = new JobTable(database)
    assert.ok(await table.take({ ...job, beganAtMs: 1, owner }, await table.find(job)))
    await database.close()
  }
  const own = join(folder, 'drive/.bucketry')
  return { folder, start, query, hold, ended, own, temporary: join(own, 'tmp') }
}

function send(url: string, method: string, target: string, body?: string): Promise<Response> {
  const server = { host: new URL(url).host, credentials }
  return signedFetch(server, { method, target, ...(body !== undefined && { body }) })
}

function put(url: string, key: string, body = 'bytes'): Promise<Response> {
  return send(url, 'PUT', `/photos/${key}`, body)
}

/** Sends the beginning of an object or part. */
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

/** The drafts of all processes, as paths below the temporary folder, whose folders may be removed meanwhile. */
function draftsIn(folder: string): string[] {
  return globSync('**', { cwd: folder }).filter(
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
      await assertWithin(5_000, async () => {
        const startedAt = performance.now()
        const other = start({ [setting]: 'another-value-of-it' })
        assert.equal(await other.ended(), 1)
        assert.match(other.stderr, new RegExp(`^ *${setting} is not that of the gateway on `, 'm'))
        return performance.now() - startedAt
      })
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
    await until(() => draftsIn(temporary).length === 1)
    await one.kill()
    await until(() => draftsIn(temporary).length === 0)
    await two.line(({ msg }) => msg === 'another gateway has ended')
  })

  test('What a worker held that has died is free for other gateways within 2 s', async (t) => {
    const { start, query, hold, own, temporary } = await scene(t)
    const [one, two] = [start(), start()]
    const [url, other] = await Promise.all([one.url(), two.url()])
    const management = await ManagementClient.signIn(other)
    const works = async (sending: Promise<Response>) => assert.equal((await sending).status, 200)
    /** Lets a worker of the one gateway die that holds a lock and leases of each kind. Returns when all were free. */
    const round = async (id: string) => {
      await until(async () => one.workers().length === 2)
      // A new worker is a process before it listens.
      await until(async () => (await fetch(`${url}/-/livez`).catch(() => undefined))?.ok === true)
      const created = await (await send(other, 'POST', `/photos/${id}?uploads=`)).text()
      const part = `${id}?partNumber=1&uploadId=${/<UploadId>([^<]*)/.exec(created)?.[1]}`
      await putHalf(url, part)
      const holderSql = "SELECT lease_owner FROM uploads WHERE lease_owner <> ''"
      const holders = () => query<{ lease_owner: string }>(holderSql)
      await until(async () => (await holders()).length > 0)
      const [{ lease_owner: holder } = { lease_owner: '' }] = await holders()
      const name = encodeURIComponent(holder.slice(0, holder.lastIndexOf(' ')))
      const lock = join(own, 'locks', hash('md5', `photos/${id}-locked`))
      linkSync(join(temporary, name, 'holder'), lock)
      const lease = [holder, Date.now() + 30_000]
      const key = driveDigest('/buckets', changeKey)
      await query(
        `INSERT INTO key_leases (key_digest, parent, owner, until_ms, note) VALUES ('${key}', '', $1, $2, '')`,
        lease,
      )
      const none = { objects: 0, bytes: 0, lastModifiedMs: 0, countedAtMs: 1, tookMs: 0 }
      const figures = JSON.stringify(none)
      await hold({ kind: 'count', id: 'photos', target: '', figures }, holder)
      const order = { action: 'delete', bucket: 'photos', paths: ['p/'] } as const
      const stored = { about: aboutOrder(order), figures: newFigures() }
      const target = JSON.stringify(order)
      await hold({ kind: 'file', id, target, figures: JSON.stringify(stored) }, holder)
      for (const pid of one.workers()) process.kill(pid, 'SIGKILL')
      const diedAt = performance.now()
      await Promise.all([
        works(put(other, `${id}-locked`)),
        works(put(other, part)),
        works(send(other, 'PUT', `/made-${id}`)),
        until(async () => (await management.done('GET', `/file-jobs/${id}`)).state === 'done'),
        until(async () => !(await management.done('GET', '/buckets')).buckets[0].isCounting),
      ])
      return performance.now() - diedAt
    }
    let rounds = 0
    await assertWithin(2_000, () => round(`round-${rounds++}`))
  })

  test('A gateway that was suspended goes on after others marked it as ended', async (t) => {
    const { start, temporary } = await scene(t)
    const one = start()
    const two = start()
    const [url] = await Promise.all([one.url(), two.url()])
    await putHalf(url, 'half')
    await until(() => draftsIn(temporary).length === 1)
    const pids = [one.pid, ...one.workers()]
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    await until(() => draftsIn(temporary).length === 0)
    for (const pid of pids) process.kill(pid, 'SIGCONT')
    // Its temporary folders are gone.
    for (let index = 0; index < 20; index += 1) {
      const body = 'x'.repeat(index * 20_000)
      const reply = await put(url, `after/${index}`, body)
      assert.equal(reply.status, 200, await reply.text())
    }
    await one.line(
      ({ msg }) => msg === 'another gateway marked this one as ended: registering again',
    )
  })
})
