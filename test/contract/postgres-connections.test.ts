import assert from 'node:assert/strict'
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { GatewayTable } from '../../src/app/fleet/gateway-table.ts'
import { DatabaseError } from '../../src/platform/state/database.ts'
import { applyMigrations, readMigrations } from '../../src/platform/state/migrate.ts'
import { openDatabase, openSession } from '../../src/platform/state/open-database.ts'
import { Revisions } from '../../src/platform/state/revision-table.ts'
import { startOwnPostgres, takeAllConnections } from '../support/start-postgres.ts'

const maxConnections = 20
const server = await startOwnPostgres([`max_connections=${maxConnections}`])
const insert = 'INSERT INTO own_folders (identity) VALUES (?)'

/** The error of a server that is recovering (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
function notReady(): Buffer {
  const fields = ['SFATAL', 'C57P03', 'Mthe database system is starting up', '']
  const body = Buffer.from(`${fields.join('\0')}\0`)
  const head = Buffer.from('E....')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** A proxy to the server that can make connections half open. */
async function startNetwork(serverPort: number) {
  const pairs: (readonly [net.Socket, net.Socket])[] = []
  let refusals = 0
  const proxy = net.createServer((near) => {
    refusals -= 1
    if (refusals >= 0) {
      near.once('data', () => near.end(notReady()))
      return
    }
    const far = net.connect(serverPort, '127.0.0.1')
    near.pipe(far).pipe(near)
    for (const socket of [near, far]) socket.on('error', () => undefined)
    pairs.push([near, far])
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    port: (proxy.address() as AddressInfo).port,
    refuse(times: number) {
      refusals = times
    },
    loseAll() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause()
        far.unpipe(near).pause()
      }
    },
    stop() {
      proxy.close()
      for (const pair of pairs) for (const socket of pair) socket.destroy()
    },
  }
}

if (server === undefined) {
  describe('PostgreSQL connections', { skip: 'needs the Debian package postgresql' })
} else {
  after(() => server.stop())
  const createLocation = async () =>
    ({ kind: 'postgres', url: await server.createDatabase() }) as const

  test('A locked table stops no reads and writes of other tables', async () => {
    const location = await createLocation()
    const database = await openDatabase(location, { migrate: true })
    const locker = new Client({ connectionString: location.url })
    await locker.connect()
    await locker.query('BEGIN; LOCK TABLE uploads')
    const stuckReads = Array.from({ length: 8 }, () => database.read('SELECT id FROM uploads'))
    const stuckWrites = Array.from({ length: 8 }, () =>
      database.write([{ sql: 'DELETE FROM uploads' }]),
    )
    const stuck = Promise.all([...stuckReads, ...stuckWrites])
    const startedAt = performance.now()
    for (let round = 0; round < 3; round += 1) {
      await database.write([{ sql: insert, params: [`folder ${round}`] }])
      await database.read('SELECT identity FROM own_folders')
    }
    // Less than the others wait for their table.
    assert.ok(performance.now() - startedAt < 10_000, `${performance.now() - startedAt} ms`)
    await locker.end()
    await stuck
    await database.close()
  })

  test('Processes that want more connections than there are wait for each other', async () => {
    const location = await createLocation()
    const shortages: DatabaseError[] = []
    const onShortage = (error: DatabaseError) => shortages.push(error)
    const open = () => openDatabase(location, { migrate: true, onShortage })
    const databases = [await open(), await open(), await open()]
    const calls = databases.flatMap((database, index) =>
      Array.from({ length: 100 }, async (_, call) => {
        await database.write([{ sql: insert, params: [`${index} ${call}`] }])
        await database.read('SELECT identity FROM own_folders LIMIT 1')
      }),
    )
    await Promise.all(calls)
    const [row] = (await databases[0]?.read('SELECT count(*) AS many FROM own_folders')) ?? []
    assert.deepEqual(row, { many: 300 })
    for (const error of shortages) assert.match(error.message, /connections/)
    await Promise.all(databases.map((database) => database.close()))
  })

  test('An ordinary role also leaves connections to other programs', async () => {
    const { url } = await createLocation()
    const admin = new Client({ connectionString: url })
    await admin.connect()
    await admin.query('CREATE ROLE app LOGIN; CREATE ROLE other LOGIN')
    await admin.query('GRANT ALL ON SCHEMA public TO app')
    await admin.end()
    const asRole = (role: string) => Object.assign(new URL(url), { username: role }).href
    const others = Array.from({ length: 10 }, () => new Client(asRole('other')))
    for (const other of others) await other.connect()
    const database = await openDatabase(
      { kind: 'postgres', url: asRole('app') },
      { migrate: true, connections: maxConnections },
    )
    const calls = Array.from({ length: 40 }, (_, call) =>
      database.write([{ sql: insert, params: [`ordinary ${call}`] }]),
    )
    await Promise.all(calls)
    // The pool closes surplus connections at once. It would keep idle ones for 10 s.
    const another = await connectWithin(8_000, asRole('other'))
    await Promise.all([another, ...others].map((client) => client?.end()))
    await database.close()
    assert.ok(another)
  })

  test('openDatabase waits for a server that recovers', async (t) => {
    const { url } = await createLocation()
    const network = await startNetwork(Number(new URL(url).port))
    t.after(() => network.stop())
    const through = new URL(url)
    through.port = String(network.port)
    network.refuse(3)
    await (await openDatabase({ kind: 'postgres', url: through.href }, { migrate: true })).close()
  })

  test('openDatabase waits for a connection of a server that has none left', async () => {
    const { url } = await createLocation()
    const others = await takeAllConnections(url)
    assert.ok(others.length > 1)
    const opening = openDatabase({ kind: 'postgres', url }, { migrate: true })
    await Promise.all(others.map((client) => client.end()))
    await (await opening).close()
  })

  test('A migration that waits for a table lets requests for it pass', async () => {
    const location = await createLocation()
    const database = await openDatabase(location, { migrate: true })
    const backup = new Client({ connectionString: location.url })
    await backup.connect()
    await backup.query('BEGIN; SELECT FROM uploads')
    const migrations = await readMigrations()
    const next = { number: migrations.length + 1, name: 'next', checksum: 'next' }
    const sql = 'ALTER TABLE own_folders ADD COLUMN a TEXT; ALTER TABLE uploads ADD COLUMN b TEXT'
    let sessions = 0
    const again = Promise.withResolvers<void>()
    const migrating = applyMigrations(async () => {
      sessions += 1
      if (sessions === 3) again.resolve()
      return await openSession(location)
    }, [...migrations, { ...next, sql }])
    let longestMs = 0
    let isOver = false
    const readers = [`SELECT id FROM uploads`, `SELECT identity FROM own_folders`].map(
      async (select) => {
        while (!isOver) {
          const startedAt = performance.now()
          await database.read(select)
          longestMs = Math.max(longestMs, performance.now() - startedAt)
        }
      },
    )
    await again.promise
    await backup.end()
    await migrating
    isOver = true
    await Promise.all(readers)
    assert.ok(longestMs < 10_000, `${longestMs} ms`)
    assert.deepEqual(await database.read('SELECT b FROM uploads'), [])
    await database.close()
  })

  test("The statement that reads the revisions also tells the database's time", async () => {
    const database = await openDatabase(await createLocation(), { migrate: true })
    const times: (readonly number[])[] = []
    const revisions = new Revisions(database, (...given) => times.push(given))
    assert.equal((await revisions.read()).get('gateways'), 0)
    const [[timeMs = 0, askedAtMs = 0, answeredAtMs = 0] = []] = times
    assert.ok(Math.abs(timeMs - Date.now()) < 5_000)
    assert.ok(askedAtMs < answeredAtMs)
    await database.close()
  })

  test('A heartbeat does not wait for calls whose tables are locked', async () => {
    const location = await createLocation()
    const database = await openDatabase(location, { migrate: true, connections: 4 })
    const gateways = new GatewayTable(database)
    const row = { id: 'one', process: 'x/1/1', startedAtMs: 1, beatTicks: 1, json: '{}' }
    await gateways.add(row)
    const locker = new Client({ connectionString: location.url })
    await locker.connect()
    await locker.query('BEGIN; LOCK TABLE uploads, own_folders')
    const stuck = ['uploads', 'own_folders'].flatMap((table) =>
      Array.from({ length: 4 }, () => [
        database.read(`SELECT * FROM ${table}`),
        database.write([{ sql: `DELETE FROM ${table}` }]),
      ]).flat(),
    )
    // Less than the others wait for their tables.
    const inTime = { urgentMs: 10_000 }
    assert.equal(await gateways.beat('one', 2, inTime), true)
    assert.equal((await gateways.all(inTime)).length, 1)
    // Otherwise a gateway that sees the end of another one would seem to have ended, too.
    assert.equal(await gateways.end('one', 1, 2, inTime), true)
    await gateways.removeEnded(['one'], inTime)
    await gateways.add(row, inTime)
    await gateways.setFacts('one', '{"a":1}', inTime)
    await locker.end()
    await Promise.all(stuck)
    await database.close()
  })

  test('A call with a time limit abandons a half-open connection, and the next call uses another one', async (t) => {
    const { url } = await createLocation()
    await (await openDatabase({ kind: 'postgres', url }, { migrate: true })).close()
    const network = await startNetwork(Number(new URL(url).port))
    t.after(() => network.stop())
    const through = new URL(url)
    through.port = String(network.port)
    const database = await openDatabase({ kind: 'postgres', url: through.href }, { migrate: false })
    t.after(() => database.close())
    const ask = (urgentMs: number) => database.read('SELECT 1 AS one', [], { urgentMs })
    await Promise.all([ask(10_000), ask(10_000), ask(10_000)])
    network.loseAll()
    await assert.rejects(ask(2_500), DatabaseError)
    assert.deepEqual(await ask(10_000), [{ one: 1 }])
  })

  test('A process that is suspended during a migration blocks others only for seconds', async () => {
    const location = await createLocation()
    const database = await openDatabase(location, { migrate: true })
    const suspended = await openSession(location)
    await suspended.begin()
    await suspended.run('ALTER TABLE uploads ADD COLUMN later TEXT')
    const startedAt = performance.now()
    const other = await openDatabase(location, { migrate: true })
    await database.read('SELECT id FROM uploads')
    assert.ok(performance.now() - startedAt < 30_000, `${performance.now() - startedAt} ms`)
    await assert.rejects(suspended.commit(), DatabaseError)
    await suspended.close()
    await Promise.all([other.close(), database.close()])
  })

  test('A migration sees what others migrated while it waited, with any default isolation of the role', async () => {
    const { url } = await createLocation()
    const name = new URL(url).pathname.slice(1)
    const admin = new Client({ connectionString: url })
    await admin.connect()
    await admin.query(
      `ALTER DATABASE ${name} SET default_transaction_isolation = 'repeatable read'`,
    )
    await admin.end()
    const location = { kind: 'postgres', url } as const
    const databases = await Promise.all(
      Array.from({ length: 4 }, () => openDatabase(location, { migrate: true, connections: 2 })),
    )
    await Promise.all(databases.map((database) => database.close()))
  })

  test('A database on a server that hangs is closed within seconds', async () => {
    const database = await openDatabase(await createLocation(), { migrate: true })
    await database.read('SELECT identity FROM own_folders')
    server.freeze()
    const startedAt = performance.now()
    await database.close()
    const tookMs = performance.now() - startedAt
    server.thaw()
    assert.ok(tookMs < 10_000, `${tookMs} ms`)
  })

  test('A server that is away fails calls at once, and serves them when it is back', async () => {
    const location = await createLocation()
    const database = await openDatabase(location, { migrate: true })
    await server.goAway()
    const startedAt = performance.now()
    await assert.rejects(database.read('SELECT identity FROM own_folders'), DatabaseError)
    await assert.rejects(database.write([{ sql: insert, params: ['lost'] }]), DatabaseError)
    // Less than one connection is waited for.
    assert.ok(performance.now() - startedAt < 5_000)
    await server.comeBack()
    await database.write([{ sql: insert, params: ['kept'] }])
    assert.deepEqual(await database.read('SELECT identity FROM own_folders'), [
      { identity: 'kept' },
    ])
    await database.close()
  })
}

/** Tries again while the server has no connection left. */
async function connectWithin(limitMs: number, url: string): Promise<Client | undefined> {
  const startedAt = performance.now()
  while (performance.now() - startedAt < limitMs) {
    const client = new Client(url)
    try {
      await client.connect()
      return client
    } catch {
      await wait(50)
    }
  }
  return undefined
}
