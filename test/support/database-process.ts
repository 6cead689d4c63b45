/**
 * A separate process that uses a database, for tests that need two. Arguments: the
 * location as JSON, what to do, and how often.
 */
import { type DatabaseLocation, openDatabase } from '../../src/platform/state/open-database.ts'

const [locationJson = '', task = '', times = '0'] = process.argv.slice(2)
const location = JSON.parse(locationJson) as DatabaseLocation
const callers = 8

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  migrate: async () => (await openDatabase(location, { migrate: true })).close(),
  increment,
  acknowledge,
  idle,
}

/** Adds one to the counter `shared`, again and again, from several callers at once. */
async function increment(): Promise<void> {
  const database = await openDatabase(location, { migrate: false })
  const sql = 'UPDATE counters SET value = value + 1 WHERE name = ?'
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (let count = 0; count < Number(times); count++) {
        await database.write([{ sql, params: ['shared'], mustChange: 1 }])
      }
    }),
  )
  await database.close()
}

/** Inserts pairs of rows until it is killed, naming each pair on stdout once it is acknowledged. */
async function acknowledge(): Promise<void> {
  const database = await openDatabase(location, { migrate: false })
  const sql = 'INSERT INTO counters (name, value) VALUES (?, ?)'
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let count = 0; ; count++) {
        const name = `${caller}-${count}`
        await database.write([
          { sql, params: [`${name}-first`, count] },
          { sql, params: [`${name}-second`, count] },
        ])
        process.stdout.write(`${name}\n`)
      }
    }),
  )
}

/** Leaves the database open: the process must end nevertheless. */
async function idle(): Promise<void> {
  const database = await openDatabase(location, { migrate: true })
  await database.write([{ sql: 'DELETE FROM own_folders' }])
  await database.check()
}

await tasks[task]?.()
