import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withDatabaseErrors } from '../../../../../src/storage/drives/kit/drive-database.ts'

const lost = new Error('lost')

class Store {
  readonly name = 'store'
  async find(id: string): Promise<string> {
    return `${this.name} ${id}`
  }
  async save(): Promise<void> {
    throw lost
  }
  forget(): void {
    throw lost
  }
  size(): number {
    return 7
  }
}

test('withDatabaseErrors leaves results as they are', async () => {
  const store = withDatabaseErrors(new Store(), 'the records')
  assert.equal(await store.find('a'), 'store a')
  assert.equal(store.size(), 7)
  assert.equal(store.name, 'store')
})

test('withDatabaseErrors turns failures into DriveErrors with their cause', async () => {
  const store = withDatabaseErrors(new Store(), 'the records')
  const expected = {
    name: 'DriveError',
    kind: 'unavailable',
    message: 'The database with the records is not responding.',
    cause: lost,
  }
  await assert.rejects(store.save(), expected)
  assert.throws(() => store.forget(), expected)
})
