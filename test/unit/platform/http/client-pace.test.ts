import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { ClientPace } from '../../../../src/platform/http/client-pace.ts'
import { ConnectionLimit } from '../../../../src/platform/http/connection-limit.ts'

const rate = 16 * 1024
const second = 1_000

test('A client below the minimum rate falls behind, and one above it does not', () => {
  for (const [bytesPerSecond, lagMs] of [
    [0, 40 * second],
    [rate / 2, 20 * second],
    [rate, 0],
    [10 * rate, 0],
  ] as const) {
    const pace = new ClientPace(rate)
    pace.update({ ms: second, bytesTaken: 0, isAwaited: true })
    for (let elapsed = 1; elapsed <= 40; elapsed++) {
      pace.update({ ms: second, bytesTaken: elapsed * bytesPerSecond, isAwaited: true })
    }
    assert.equal(pace.lagMs, lagMs)
    assert.equal(pace.stalledMs, bytesPerSecond === 0 ? 40 * second : 0)
  }
})

test('Time without waiting bytes does not count against the client', () => {
  const pace = new ClientPace(rate)
  for (let elapsed = 0; elapsed < 40; elapsed++) {
    pace.update({ ms: second, bytesTaken: 0, isAwaited: elapsed % 2 === 0 })
  }
  assert.equal(pace.lagMs, 0)
  assert.equal(pace.stalledMs, 0)
})

/** A limit of two connections, and what a test needs to act as its clients. */
function limitOfTwo() {
  let nowMs = 0
  let nextPort = 1
  const told: string[] = []
  const limit = new ConnectionLimit(
    {
      ...{ connections: 2, extra: 0, extraMs: 1, minIdleMs: 0 },
      ...{ minimumRate: rate, checkEveryMs: 5 * second },
      ...{ longestLagMs: 30 * second, longestStallMs: 120 * second },
    },
    { onFull: () => told.push('full'), onSlowClient: () => told.push('slow') },
    () => nowMs,
  )
  const connect = () => {
    const socket = Object.assign(new EventEmitter(), {
      ...{ remoteAddress: '::1', remotePort: nextPort++, localAddress: '::1' },
      ...{ bytesWritten: 0, bytesRead: 0, destroyed: false },
      destroy() {
        socket.destroyed = true
        socket.emit('close')
      },
    })
    const isAdmitted = limit.admit(socket as unknown as Socket)
    const user = { isWaitingForClient: true, isWaitingForBody: false, isKnown: true }
    limit.slotOf(socket as unknown as Socket)?.markBusy({ running: user })
    return { socket, user, isAdmitted }
  }
  const pass = (seconds: number, taking: Map<{ bytesWritten: number }, number> = new Map()) => {
    for (let elapsed = 0; elapsed < seconds; elapsed += 5) {
      nowMs += 5 * second
      for (const [socket, bytes] of taking) socket.bytesWritten += 5 * bytes
      limit.checkClients()
    }
  }
  return { connect, pass, told, suspend: (seconds: number) => (nowMs += seconds * second) }
}

test('At the limit the slowest client makes room after 30 seconds, and no earlier', () => {
  const { connect, pass, told } = limitOfTwo()
  const slow = connect()
  const slowest = connect()
  const taking = new Map([[slow.socket, rate / 4]])
  pass(30, taking)
  assert.equal(connect().isAdmitted, false)
  pass(15, taking)
  assert.equal(connect().isAdmitted, true)
  assert.equal(slowest.socket.destroyed, true)
  assert.equal(slow.socket.destroyed, false)
  assert.equal(connect().isAdmitted, true)
  assert.equal(slow.socket.destroyed, true)
  assert.equal(connect().isAdmitted, false)
  assert.deepEqual(told, ['full', 'slow', 'slow', 'full'])
})

test('A slow client that caught up since the last look keeps its connection', () => {
  const { connect, pass } = limitOfTwo()
  const clients = [connect(), connect()]
  pass(60)
  for (const { user } of clients) user.isWaitingForClient = false
  assert.equal(connect().isAdmitted, false)
  for (const { socket } of clients) assert.equal(socket.destroyed, false)
})

test('A client that reads nothing is disconnected after two minutes, one that reads a little is not', () => {
  const { connect, pass } = limitOfTwo()
  const stalled = connect()
  const slow = connect()
  const taking = new Map([[slow.socket, 1]])
  pass(120, taking)
  assert.equal(stalled.socket.destroyed, false)
  pass(5, taking)
  assert.equal(stalled.socket.destroyed, true)
  pass(600, taking)
  assert.equal(slow.socket.destroyed, false)
})

test('The time that the process was suspended does not count against its clients', () => {
  const { connect, pass, suspend } = limitOfTwo()
  const clients = [connect(), connect()]
  pass(10)
  suspend(600)
  pass(5)
  assert.equal(connect().isAdmitted, false)
  for (const { socket } of clients) assert.equal(socket.destroyed, false)
})
