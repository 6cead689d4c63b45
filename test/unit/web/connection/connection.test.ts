import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Connection, type ConnectionStatus } from '../../../../web/src/connection/connection.ts'

/** A connection to a service that gives these answers, then the last one again. */
function connectionTo(...answers: boolean[]) {
  let asked = 0
  const connection = new Connection({
    ask: async () => {
      asked += 1
      return answers.length > 1 ? (answers.shift() ?? false) : (answers[0] ?? false)
    },
    pause: async () => undefined,
  })
  const seen: ConnectionStatus[] = []
  connection.subscribe(() => seen.push(connection.snapshot()))
  return { connection, seen, asked: () => asked }
}

describe('Connection', () => {
  test('is lost after two failures in a row, and back after one answer', async () => {
    const { connection, seen } = connectionTo(true, false, false, false, true)
    for (let check = 1; check <= 4; check += 1) await connection.check()
    assert.deepEqual(seen, ['lost', 'connected'])
  })

  test('is not lost after a single failure', async () => {
    const { connection, seen } = connectionTo(false, true)
    assert.equal(await connection.check(), 'connected')
    assert.deepEqual(seen, [])
  })

  test('asks once for checks at the same time', async () => {
    const { connection, asked } = connectionTo(true)
    await Promise.all([connection.check(), connection.check()])
    assert.equal(asked(), 1)
    await connection.check()
    assert.equal(asked(), 2)
  })
})
