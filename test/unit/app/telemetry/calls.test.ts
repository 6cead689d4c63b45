import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CallRecord, type CallSpans, watched } from '../../../../src/app/telemetry/calls.ts'

/** With private fields, which only exist on the object itself. */
class Shop {
  readonly name = 'shop'
  readonly back = { lock: () => this.#log.push('locked') }
  readonly absent?: () => void
  #stock = 3
  readonly #log: string[] = []

  get stock(): number {
    return this.#stock
  }

  async buy(count: number): Promise<{ weigh(): number; size: number }> {
    this.#stock -= count
    return { size: count, weigh: () => count * 2 }
  }

  close(): string[] {
    return this.#log
  }
}

const table = {
  name: {},
  back: { within: { lock: { name: 'lock', span: 'lock' } } },
  absent: { name: 'absent' },
  stock: {},
  buy: { name: 'purchase', span: 'buy', result: { weigh: { span: 'weigh' }, size: {} } },
  close: {},
}

function watch() {
  const ended: unknown[] = []
  const begun: unknown[] = []
  const spansAt = (depth: number): CallSpans => ({
    begin(name, given) {
      begun.push([depth, name, ...given])
      return { run: (work) => work(), end: ({ error }) => begun.push(`${name} ended ${error}`) }
    },
    ofResult: () => spansAt(depth + 1),
  })
  const sink = { onCall: ({ name, error }: CallRecord) => ended.push([name, error]) }
  const watches = { sinks: [sink], spans: spansAt(0) }
  return { shop: watched(new Shop(), table, watches), ended, begun, watches }
}

test('Calls have one record under their names, also those of results and of objects within', async () => {
  const { shop, ended, begun } = watch()
  const bought = await shop.buy(2)
  assert.equal(bought.weigh(), 4)
  assert.equal(bought.size, 2)
  assert.equal(shop.back.lock(), 1)
  assert.deepEqual(ended, [
    ['purchase', undefined],
    ['lock', undefined],
  ])
  assert.deepEqual(begun, [
    ...[[0, 'buy', 2], 'buy ended undefined', [1, 'weigh'], 'weigh ended undefined'],
    ...[[0, 'lock'], 'lock ended undefined'],
  ])
})

test('A call that rejects, and one that throws, have records with the error', async () => {
  const { watches, ended } = watch()
  const error = new Error('broken')
  const failing = {
    reject: async () => Promise.reject(error),
    throw() {
      throw error
    },
  }
  const rows = { reject: { name: 'reject' }, throw: { name: 'throw' } }
  const { reject, throw: throwing } = watched(failing, rows, watches)
  await assert.rejects(reject(), error)
  assert.throws(throwing, error)
  assert.deepEqual(ended, [
    ['reject', error],
    ['throw', error],
  ])
})

test('Members that are not observed are those of the object', async () => {
  const { shop, ended } = watch()
  assert.equal(shop.name, 'shop')
  assert.equal(shop.stock, 3)
  assert.equal(shop.absent, undefined)
  await shop.buy(1)
  assert.equal(shop.stock, 2, 'values are read when they are asked for')
  const { close } = shop
  assert.deepEqual(close(), [])
  assert.equal(ended.length, 1)
})

test('An object whose calls nobody reads is not wrapped', () => {
  const shop = new Shop()
  assert.equal(watched(shop, table, { sinks: [], spans: undefined }), shop)
})
