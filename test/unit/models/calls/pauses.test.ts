import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Failure, Scope } from '../../../../src/models/calls/failures.ts'
import { Pauses } from '../../../../src/models/calls/pauses.ts'
import type { CallTarget } from '../../../../src/models/list/resolve-model.ts'

const target = (id: string, ownId = 'big', apiKey = 'k'): CallTarget => ({
  connection: {
    id,
    provider: 'p',
    prefix: undefined,
    baseUrl: 'http://h',
    apiKey,
    enabledModels: undefined,
    ...{ priority: 1, weight: 1, price: undefined },
  },
  ownId,
  listedId: `p/${ownId}`,
})

const failure = (scope: Scope, waitMs?: number): Failure => ({
  scope,
  reason: 'r',
  status: 500,
  waitMs,
})

const path = '/chat/completions'

function open(random = 1) {
  const clock = { nowMs: 1_000_000 }
  return { clock, pauses: new Pauses({ now: () => clock.nowMs, random: () => random }) }
}

/** Milliseconds from now; undefined: it does not pause. */
function restMs(
  { pauses, clock }: ReturnType<typeof open>,
  one: CallTarget,
  on = path,
): number | undefined {
  const pause = pauses.pauseOf(one, on)
  return pause === undefined ? undefined : pause.untilMs - clock.nowMs
}

test('A bad request pauses nothing', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('request', 60_000))
  assert.deepEqual(world.pauses.list([target('a').connection]), [])
})

test('A missing model is paused for ten minutes, on its connection and path only', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('model', 1_000))
  assert.equal(restMs(world, target('a')), 600_000)
  assert.equal(restMs(world, target('a', 'small')), undefined)
  assert.equal(restMs(world, target('b')), undefined)
  // A chat model that was called for embeddings still chats.
  assert.equal(restMs(world, target('a'), '/embeddings'), undefined)
  world.clock.nowMs += 600_000
  assert.equal(restMs(world, target('a')), undefined)
})

test('A quota is paused as long as the upstream says, otherwise longer each time up to a minute', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('quota', 17_000))
  assert.equal(restMs(world, target('a')), 17_000)
  const waits = Array.from({ length: 8 }, () => {
    world.pauses.note(target('b'), path, failure('quota'))
    const ms = restMs(world, target('b'))
    world.clock.nowMs += ms ?? 0
    return ms
  })
  assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  // Half of it is random.
  const other = open(0)
  other.pauses.note(target('b'), path, failure('quota'))
  assert.equal(restMs(other, target('b')), 1_000)
})

test('A refused key pauses the whole connection until the key changes', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('connection'))
  assert.notEqual(restMs(world, target('a', 'small')), undefined)
  assert.equal(restMs(world, target('a', 'small', 'other key')), undefined)
  assert.equal(world.pauses.list([target('a').connection])[0]?.model, undefined)
  assert.ok(!JSON.stringify(world.pauses.list([target('a').connection])).includes('apiKey'))
})

test('A refused key is listed until it is accepted, replaced or removed, however long that takes', () => {
  const world = open()
  world.pauses.note(target('a'), path, { ...failure('connection'), status: 401 })
  world.pauses.note(target('b'), path, { ...failure('connection'), status: 502 })
  world.clock.nowMs += 86_400_000
  const listed = (...connections: CallTarget[]) =>
    world.pauses
      .list(connections.map(({ connection }) => connection))
      .map((one) => one.connectionId)
  assert.deepEqual(listed(target('a'), target('b')), ['a'])
  assert.equal(restMs(world, target('a')), undefined)
  assert.deepEqual(listed(target('a', 'big', 'other key')), [])
  assert.deepEqual(listed(), [])
  world.pauses.clear(target('a'), path)
  assert.deepEqual(listed(target('a')), [])
})

test('A success ends pauses, and the next pause is short again', () => {
  const world = open()
  for (let count = 0; count < 5; count += 1) world.pauses.note(target('a'), path, failure('moment'))
  world.pauses.clear(target('a'), path)
  assert.deepEqual(world.pauses.list([target('a').connection]), [])
  world.pauses.note(target('a'), path, failure('moment'))
  assert.equal(restMs(world, target('a')), 2_000)
})

test('The longer of two pauses counts', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('connection'))
  world.pauses.note(target('a'), path, failure('model'))
  assert.equal(restMs(world, target('a')), 600_000)
})

test('Memory is bounded: the oldest are forgotten', () => {
  const world = open()
  for (let count = 0; count < 10_010; count += 1)
    world.pauses.note(target('a', `m${count}`), path, failure('model'))
  assert.equal(world.pauses.list([target('a').connection]).length, 10_000)
  assert.equal(restMs(world, target('a', 'm0')), undefined)
  assert.equal(restMs(world, target('a', 'm10009')), 600_000)
})

test('The wait that an upstream asks for is limited', () => {
  for (const [scope, asked, pause] of [
    ['quota', 0, 1_000],
    ['quota', 1_000_000_000, 86_400_000],
    ['moment', 30_000, 30_000],
    ['moment', 86_400_000, 60_000],
  ] as const) {
    const world = open()
    world.pauses.note(target('a'), path, failure(scope, asked))
    assert.equal(restMs(world, target('a')), pause, `${scope} ${asked}`)
  }
})

test('Calls that fail together are one failure', () => {
  for (const [scope, first, second] of [
    ['connection', 2_000, 4_000],
    ['moment', 2_000, 4_000],
  ] as const) {
    const world = open()
    for (let count = 0; count < 100; count += 1)
      world.pauses.note(target('a'), path, failure(scope))
    assert.equal(restMs(world, target('a')), first, scope)
    world.clock.nowMs += first
    for (let count = 0; count < 100; count += 1)
      world.pauses.note(target('a'), path, failure(scope))
    assert.equal(restMs(world, target('a')), second, scope)
  }
})

test('What one of them asks for is not shortened by the others', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('quota', 17_000))
  world.pauses.note(target('a'), path, failure('quota'))
  assert.equal(restMs(world, target('a')), 17_000)
})
