import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  OwnChanges,
  SpreadingChanges,
} from '../../../../../src/app/start/processes/change-spread.ts'

/** A primary process with these workers, and what it has asked them. */
function primaryOf(...workers: string[]) {
  const changes = new SpreadingChanges<string>()
  const asked: (readonly [worker: string, id: number])[] = []
  let isRead = false
  const spread = changes
    .spread(workers, (worker, id) => asked.push([worker, id]))
    .then(() => {
      isRead = true
    })
  const answer = (worker: string) => {
    for (const [name, id] of asked) if (name === worker) changes.receive(worker, id)
  }
  const isReadNow = async () => {
    await Promise.resolve()
    await Promise.resolve()
    return isRead
  }
  return { changes, spread, answer, isReadNow }
}

test('a change is read when every worker has answered', async () => {
  const { answer, isReadNow, spread } = primaryOf('a', 'b')
  answer('a')
  answer('a')
  assert.equal(await isReadNow(), false)
  answer('b')
  await spread
})

test('a worker that has ended is not waited for', async () => {
  const { changes, answer, isReadNow, spread } = primaryOf('a', 'b')
  answer('a')
  assert.equal(await isReadNow(), false)
  changes.left('b')
  await spread
})

test('a change without other workers is read at once', async () => {
  await primaryOf().spread
})

test('a worker waits for the answer to its own change', async () => {
  const ids: number[] = []
  const changes = new OwnChanges((id) => ids.push(id))
  let isSpread = false
  const first = changes.spread().then(() => {
    isSpread = true
  })
  const second = changes.spread()
  changes.receive(ids[1] ?? 0)
  await second
  assert.equal(isSpread, false)
  changes.receive(ids[0] ?? 0)
  await first
})

test('a worker waits a second for processes that do not answer', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const changes = new OwnChanges(() => undefined)
  const spread = changes.spread()
  t.mock.timers.tick(1_000)
  await spread
})
