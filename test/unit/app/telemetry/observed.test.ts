import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Observer, observed } from '../../../../src/app/telemetry/observed.ts'

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

function watch() {
  const calls: unknown[] = []
  const observer = (depth: number): Observer => ({
    call(name, given, work) {
      calls.push([depth, name, ...given])
      return work()
    },
    ofResult: () => (depth < 1 ? observer(depth + 1) : undefined),
  })
  const members = {
    buy: { name: 'purchase', result: { weigh: { name: 'weigh' }, size: {} } },
    back: { within: { lock: { name: 'lock' } } },
    absent: { name: 'absent' },
  }
  return { shop: observed(new Shop(), members, observer(0)), calls }
}

test('Calls are observed under their names, with what was given, also those of results', async () => {
  const { shop, calls } = watch()
  const bought = await shop.buy(2)
  assert.equal(bought.weigh(), 4)
  assert.equal(shop.back.lock(), 1)
  assert.deepEqual(calls, [
    [0, 'purchase', 2],
    [1, 'weigh'],
    [0, 'lock'],
  ])
})

test('Members that are not observed are those of the object', async () => {
  const { shop, calls } = watch()
  assert.equal(shop.name, 'shop')
  assert.equal(shop.stock, 3)
  assert.equal(shop.absent, undefined)
  assert.equal('absent' in shop, 'absent' in new Shop())
  await shop.buy(1)
  assert.equal(shop.stock, 2, 'values are read when they are asked for')
  const { close } = shop
  assert.deepEqual(close(), [])
  assert.equal(calls.length, 1)
})
