import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Client } from 'pg'
import { DatabaseError } from '../../src/state/database.ts'
import { openDatabase } from '../../src/state/open-database.ts'
import { startOwnPostgres, takeAllConnections } from '../support/start-postgres.ts'

const maxConnections = 20
const server = await startOwnPostgres([`max_connections=${maxConnections}`])
const insert = 'INSERT INTO own_folders (identity) VALUES (?)'

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
    assert.ok(performance.now() - startedAt < 4_000, `${performance.now() - startedAt} ms`)
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

  test('openDatabase waits for a connection of a server that has none left', async () => {
    const { url } = await createLocation()
    const others = await takeAllConnections(url)
    assert.ok(others.length > 1)
    const opening = openDatabase({ kind: 'postgres', url }, { migrate: true })
    await Promise.all(others.map((client) => client.end()))
    await (await opening).close()
  })

  test('A server that is away fails calls at once, and serves them when it is back', async () => {
    const location = await createLocation()
    const database = await openDatabase(location, { migrate: true })
    await server.goAway()
    const startedAt = performance.now()
    await assert.rejects(database.read('SELECT identity FROM own_folders'), DatabaseError)
    await assert.rejects(database.write([{ sql: insert, params: ['lost'] }]), DatabaseError)
    assert.ok(performance.now() - startedAt < 2_000)
    await server.comeBack()
    await database.write([{ sql: insert, params: ['kept'] }])
    assert.deepEqual(await database.read('SELECT identity FROM own_folders'), [
      { identity: 'kept' },
    ])
    await database.close()
  })
}
