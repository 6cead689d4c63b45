import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import {
  type Database,
  DatabaseError,
  type SqlValue,
  type Statement,
} from '../../../../src/platform/state/database.ts'
import {
  openRouting,
  openTestDatabase,
  type RoutingGateway,
  type TestDatabase,
} from './routing-fixture.ts'

const empty = { connections: [], combos: [], customModels: [], modelAliases: {} }

describe('routing API, several at once', () => {
  let testDatabase: TestDatabase
  let gateways: readonly RoutingGateway[]
  before(async () => {
    testDatabase = await openTestDatabase()
    const open = () => openRouting(testDatabase.database)
    gateways = await Promise.all([open(), open(), open()])
  })
  beforeEach(() => gateway(0).send('PUT', '', empty))
  after(() => testDatabase.remove())

  const gateway = (index: number): RoutingGateway => {
    const found = gateways[index % gateways.length]
    assert.ok(found)
    return found
  }

  test('two PATCHes of one connection both survive', async () => {
    const { body } = await gateway(0).send('POST', '/connections', { provider: 'p' })
    const path = `/connections/${body.id}`
    const answers = await Promise.all([
      gateway(0).send('PATCH', path, { name: 'Mine' }),
      gateway(1).send('PATCH', path, { apiKey: 'sk-1' }),
      gateway(2).send('PATCH', path, { providerSpecificData: { prefix: 'a' } }),
      gateway(0).send('PATCH', path, { providerSpecificData: { enabledModels: ['m'] } }),
    ])
    for (const { status } of answers) assert.equal(status, 200)
    for (const { source } of gateways) {
      assert.deepEqual(await source.connections(), [
        {
          ...{ id: body.id, provider: 'p', name: 'Mine', isActive: true, apiKey: 'sk-1' },
          ...{ providerSpecificData: { prefix: 'a', enabledModels: ['m'] }, createdAtMs: 1_000 },
        },
      ])
    }
  })

  test('many creations at once are all there', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `combo-${index}`)
    const answers = await Promise.all(
      names.map((name, index) => gateway(index).send('POST', '/combos', { name })),
    )
    for (const { status } of answers) assert.equal(status, 201)
    const combos = await gateway(0).source.combos()
    assert.deepEqual(combos.map(({ name }) => name).toSorted(), names.toSorted())
  })

  test('one of many that create the same name succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        gateway(index).send('POST', '/combos', { name: 'wanted' }),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409, 409])
  })

  test('one of many PUTs on the same revision succeeds', async () => {
    const { headers } = await gateway(0).send('GET', '')
    const ifMatch = { 'if-match': String(headers.etag) }
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name, index) =>
        gateway(index).send('PUT', '', { ...empty, combos: [{ name }] }, ifMatch),
      ),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 412, 412, 412])
  })

  test('GET never shows a mixture of two PUTs', async () => {
    const stateOf = (name: string) => ({
      ...empty,
      combos: [{ name }],
      customModels: [{ id: name, providerAlias: 'p' }],
      modelAliases: { [name]: 'p/m' },
    })
    await gateway(0).send('PUT', '', stateOf('even'))
    for (let round = 0; round < 20; round++) {
      const put = gateway(0).send('PUT', '', stateOf(round % 2 === 0 ? 'odd' : 'even'))
      const seen = await Promise.all([1, 2, 4, 5].map((index) => gateway(index).send('GET', '')))
      await put
      for (const { body } of seen) assert.deepEqual(body, stateOf(body.combos[0].name))
    }
  })

  test('a change is seen by all gateways as soon as it is answered', async () => {
    for (let round = 0; round < 10; round++) {
      await gateway(round).send('POST', '/combos', { name: `c${round}` })
      for (const { source } of gateways) assert.equal((await source.combos()).length, round + 1)
    }
  })
})

/** Counts the statements of a database, and can refuse them. */
class WatchedDatabase implements Database {
  readonly kind = 'watched'
  readonly reads: string[] = []
  refused: RegExp | undefined
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async read<Row>(sql: string, params?: readonly SqlValue[]): Promise<Row[]> {
    this.reads.push(sql)
    if (this.refused?.test(sql)) throw new DatabaseError('refused')
    return this.#database.read<Row>(sql, params)
  }

  write(statements: readonly Statement[]) {
    return this.#database.write(statements)
  }

  check(): Promise<void> {
    return this.#database.check()
  }

  close(): Promise<void> {
    return this.#database.close()
  }
}

describe('DatabaseRoutingSource', () => {
  let testDatabase: TestDatabase
  let watched: WatchedDatabase
  let gateway: RoutingGateway
  before(async () => {
    testDatabase = await openTestDatabase()
  })
  beforeEach(async () => {
    watched = new WatchedDatabase(testDatabase.database)
    gateway = await openRouting(watched)
    await gateway.send('PUT', '', {
      ...empty,
      combos: [{ name: 'one' }],
      modelAliases: { a: 'p/m' },
    })
  })
  after(() => testDatabase.remove())

  const loadAll = () => {
    const { source } = gateway
    return [source.connections(), source.combos(), source.customModels(), source.modelAliases()]
  }

  test('four loads at once cost one small SELECT when nothing has changed', async () => {
    const first = await Promise.all(loadAll())
    watched.reads.length = 0
    const second = await Promise.all(loadAll())
    assert.equal(watched.reads.length, 1)
    assert.match(watched.reads[0] ?? '', /^SELECT revision/)
    for (const [index, value] of second.entries()) assert.equal(value, first[index])
    await gateway.source.combos()
    assert.equal(watched.reads.length, 2)
  })

  test('a load that fails leaves the others, and works again later', async () => {
    await gateway.send('POST', '/combos', { name: 'two' })
    watched.refused = /FROM routing_combos/
    const outcomes = await Promise.allSettled(loadAll())
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    watched.refused = undefined
    assert.equal((await gateway.source.combos()).length, 2)
  })

  test('all loads fail when the revision cannot be read, and work again later', async () => {
    watched.refused = /routing_revision/
    for (const outcome of await Promise.allSettled(loadAll())) {
      assert.equal(outcome.status, 'rejected')
    }
    watched.refused = undefined
    assert.deepEqual(await gateway.source.modelAliases(), { a: 'p/m' })
  })

  test('connections are answered by priority, then age, then in the order in which they were given', async () => {
    const connections = [
      { id: 'none-young', provider: 'p', createdAtMs: 9 },
      { id: 'none-b', provider: 'p', createdAtMs: 5 },
      { id: 'none-a', provider: 'p', createdAtMs: 5 },
      { id: 'two', provider: 'p', priority: 2 },
      { id: 'zero', provider: 'p', priority: 0 },
      { id: 'two-old', provider: 'p', priority: 2, createdAtMs: 1 },
    ]
    const { body } = await gateway.send('PUT', '', { ...empty, connections })
    assert.deepEqual(
      body.connections.map(({ id }: { id: string }) => id),
      ['zero', 'two-old', 'two', 'none-b', 'none-a', 'none-young'],
    )
  })
})
