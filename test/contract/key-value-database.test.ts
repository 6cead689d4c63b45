import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openKeyValueStore } from '../../src/app/start/open-state.ts'
import { DatabaseKeyValueStore } from '../../src/platform/state/key-value/database-key-value.ts'
import { KeyValueError } from '../../src/platform/state/key-value/key-value.ts'
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { describeKeyValueStore, type StorePair } from './key-value-contract.ts'

const folder = await mkdtemp(join(tmpdir(), 'bucketry-key-value-'))
after(() => rm(folder, { recursive: true }))
const server = await startPostgres()

describeKeyValueStore('SQLite', () => openPair({ kind: 'sqlite', path: join(folder, 'pair.db') }))

if (server === undefined) {
  const skip = 'needs POSTGRES_URL or the Debian package postgresql'
  describe('PostgreSQL key-value store', { skip })
} else {
  after(() => server.stop())
  describeKeyValueStore('PostgreSQL', async () =>
    openPair({ kind: 'postgres', url: await server.createDatabase() }),
  )
}

test('sweep deletes the rows that have expired, and only those', async () => {
  const database = await openDatabase(sqlite('sweep'), { migrate: true })
  let now = 1_000
  const store = new DatabaseKeyValueStore(database, () => now)
  await store.set('s:early', 'x', { ttlMs: 10, maxFamily: 10 })
  await store.increment('s:counter', { ttlMs: 10, renewUpTo: 1 })
  await store.set('s:late', 'x', { ttlMs: 11, maxFamily: 10 })
  now += 10
  assert.equal(await store.get('s:early'), undefined)
  await store.sweep()
  assert.deepEqual(await database.read('SELECT key FROM auth_kv'), [{ key: 's:late' }])
  await database.close()
})

test('every operation rejects with KeyValueError when the database does not answer', async () => {
  const database = await openDatabase(sqlite('closed'), { migrate: true })
  const store = await openKeyValueStore({ url: undefined, database, now: Date.now })
  await database.close()
  for (const operation of [
    () => store.get('a:b'),
    () => store.set('a:b', 'c', { ttlMs: 1_000, maxFamily: 1 }),
    () => store.delete('a:b'),
    () => store.increment('a:b', { ttlMs: 1_000, renewUpTo: 1 }),
    () => store.sweep(),
  ]) {
    await assert.rejects(operation, KeyValueError)
  }
})

function sqlite(name: string): DatabaseLocation {
  return { kind: 'sqlite', path: join(folder, `${name}.db`) }
}

/** Each has separate connections, as in two processes. */
async function openPair(location: DatabaseLocation): Promise<StorePair> {
  const first = await openDatabase(location, { migrate: true })
  const second = await openDatabase(location, { migrate: false })
  return {
    one: await openKeyValueStore({ url: undefined, database: first, now: Date.now }),
    other: await openKeyValueStore({ url: undefined, database: second, now: Date.now }),
    async close() {
      await first.close()
      await second.close()
    },
  }
}
