import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tracedDatabase } from '../../../../../src/app/telemetry/tracing/database-spans.ts'
import {
  type Database,
  DatabaseError,
  UnmetChange,
} from '../../../../../src/platform/state/database.ts'
import { recordSpans } from './recorded-spans.ts'

const errorStatus = 2

function fakeDatabase(changes: Partial<Database> = {}): Database {
  return {
    kind: 'postgres',
    read: async () => [],
    write: async () => [],
    check: async () => undefined,
    close: async () => undefined,
    ...changes,
  }
}

test('Calls of the database are spans of their request, with texts and without values', async () => {
  const { children, context, ended } = recordSpans()
  const database = tracedDatabase(fakeDatabase(), children)
  await children.within(context, async () => {
    await database.read('SELECT size FROM uploads WHERE id = ?', ['secret'])
    await database.write([
      { sql: 'INSERT INTO parts (id) VALUES (?)', params: ['secret'] },
      { sql: 'UPDATE uploads SET size = ?', params: [1] },
    ])
    await database.check()
  })
  const system = { 'db.system.name': 'postgresql' }
  assert.deepEqual(ended(), [
    {
      name: 'SELECT uploads',
      attributes: {
        ...system,
        'db.query.text': 'SELECT size FROM uploads WHERE id = ?',
        'db.query.summary': 'SELECT uploads',
      },
      status: 0,
    },
    {
      name: 'INSERT parts, UPDATE uploads',
      attributes: {
        ...system,
        'db.query.text': 'INSERT INTO parts (id) VALUES (?); UPDATE uploads SET size = ?',
        'db.query.summary': 'INSERT parts, UPDATE uploads',
        'db.operation.batch.size': 2,
      },
      status: 0,
    },
    { name: 'check', attributes: system, status: 0 },
  ])
})

test('A database that fails marks the span; that another writer was first does not', async () => {
  const { children, context, ended } = recordSpans()
  const errors = [new DatabaseError('the password is secret'), new UnmetChange(0)]
  const write = async () => Promise.reject(errors.shift())
  const database = tracedDatabase(fakeDatabase({ write }), children)
  await children.within(context, async () => {
    await assert.rejects(database.write([{ sql: 'DELETE FROM uploads' }]), DatabaseError)
    await assert.rejects(database.write([{ sql: 'DELETE FROM uploads' }]), UnmetChange)
  })
  const [failed, unmet] = ended()
  assert.equal(failed?.status, errorStatus)
  assert.equal(failed?.attributes['error.type'], 'DatabaseError')
  assert.equal(unmet?.status, 0)
  assert.doesNotMatch(JSON.stringify(ended()), /secret/)
})
