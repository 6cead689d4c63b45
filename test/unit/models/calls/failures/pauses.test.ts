import assert from 'node:assert/strict'
import { test } from 'node:test'
import { failureRows, type RowName } from '../../../../../src/models/calls/failures/failure-rows.ts'
import type { Failure } from '../../../../../src/models/calls/failures/failures.ts'
import { Pauses, type Sender } from '../../../../../src/models/calls/failures/pauses.ts'
import type { CallTarget } from '../../../../../src/models/list/resolve-model.ts'

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

const failure = (name: RowName, waitMs?: number, isCertain?: boolean): Failure => {
  const row = failureRows[name]
  return { row, reason: 'r', status: 500, waitMs, isCertain: isCertain ?? row.isCertain }
}

const path = '/chat/completions'
const sender = (keyId: string, conversation = 'c'): Sender => ({
  keyId,
  conversation: () => conversation,
})
const ann = sender('ann')
const bob = sender('bob')

/** Notes failures of two keys, so that all callers are paused. */
function noteForAll({ pauses }: World, one: CallTarget, fails: Failure, on = path): void {
  for (const who of [ann, bob]) pauses.note(one, on, fails, who)
}

type World = ReturnType<typeof open>

function open(random = 1) {
  const clock = { nowMs: 1_000_000 }
  const paused: string[] = []
  const pauses = new Pauses({
    now: () => clock.nowMs,
    random: () => random,
    onConnection: ({ connectionId }) => paused.push(connectionId),
  })
  return { clock, paused, pauses }
}

/** Milliseconds from now; undefined: it does not pause. */
function restMs({ pauses, clock }: World, one: CallTarget, on = path, who = sender('any')) {
  const pause = pauses.pauseOf(one, on, who)
  return pause === undefined ? undefined : pause.untilMs - clock.nowMs
}

test('A bad request pauses nothing', () => {
  const world = open()
  for (const name of [
    'request',
    'content',
    'context',
    'missing',
    'too-large',
    'not-found',
  ] as const)
    noteForAll(world, target('a'), failure(name, 60_000))
  assert.deepEqual(world.pauses.list([target('a').connection]), [])
  assert.equal(restMs(world, target('a'), path, ann), undefined)
})

test('One request pauses its conversation, two conversations their key, two keys everybody', () => {
  for (const name of ['quota', 'failed', 'overloaded', 'forbidden', 'path', 'late'] as const) {
    const world = open()
    const seen = (who: Sender) => restMs(world, target('a'), path, who) !== undefined
    const others = sender('ann', 'another')
    for (const _ of [1, 2, 3]) world.pauses.note(target('a'), path, failure(name), ann)
    assert.deepEqual([ann, others, bob].map(seen), [true, false, false], name)
    assert.deepEqual(world.pauses.list([target('a').connection]), [])
    world.pauses.note(target('a'), path, failure(name), others)
    assert.deepEqual([ann, sender('ann', 'third'), bob].map(seen), [true, true, false], name)
    assert.equal(world.pauses.list([target('a').connection]).length, 1)
    world.pauses.note(target('a'), path, failure(name), bob)
    assert.deepEqual([ann, bob, sender('carl')].map(seen), [true, true, true], name)
  }
})

test('Two failures that are not alike, or far apart, pause nobody else', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('quota'), ann)
  world.pauses.note(target('a'), path, failure('failed'), bob)
  assert.equal(restMs(world, target('a')), undefined)
  world.clock.nowMs += 601_000
  world.pauses.note(target('a'), path, failure('quota'), bob)
  assert.equal(restMs(world, target('a')), undefined)
})

test('A certain failure pauses everybody at once, unless somebody uses the connection', () => {
  for (const name of ['money', 'key', 'region', 'unreachable', 'model'] as const) {
    const world = open()
    world.pauses.note(target('a'), path, failure(name), ann)
    assert.notEqual(restMs(world, target('a')), undefined, name)
    assert.deepEqual(world.paused, name === 'model' ? [] : ['a'])
    const used = open()
    used.pauses.clear(target('a'), path)
    used.pauses.note(target('a'), path, failure(name), ann)
    const isSureAnyway = name === 'region' || name === 'unreachable'
    assert.equal(restMs(used, target('a')) !== undefined, isSureAnyway, name)
    used.pauses.note(target('a'), path, failure(name), bob)
    assert.notEqual(restMs(used, target('a')), undefined, name)
    // What only a text says is not certain.
    const text = open()
    text.pauses.note(target('a'), path, failure(name, undefined, false), ann)
    assert.equal(restMs(text, target('a')), undefined, name)
  }
})

test('A success of anybody ends what a request has begun', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('failed'), ann)
  world.pauses.clear(target('a'), path)
  world.pauses.note(target('a'), path, failure('failed'), bob)
  assert.equal(restMs(world, target('a'), path, ann), undefined)
  noteForAll(world, target('a'), failure('failed'))
  world.pauses.clear(target('a'), path)
  assert.deepEqual(world.pauses.list([target('a').connection]), [])
  world.pauses.note(target('a'), path, failure('failed'), ann)
  assert.equal(restMs(world, target('a'), path, ann), 1_000)
})

test('A missing model is paused longer each time, on its connection and path only', () => {
  const world = open()
  const waits = [1, 2, 3, 4, 5].map(() => {
    world.pauses.note(target('a'), path, failure('model', 1_000), ann)
    const ms = restMs(world, target('a'))
    assert.equal(restMs(world, target('a', 'small')), undefined)
    assert.equal(restMs(world, target('b')), undefined)
    // A chat model that was called for embeddings still chats.
    assert.equal(restMs(world, target('a'), '/embeddings'), undefined)
    world.clock.nowMs += ms ?? 0
    assert.equal(restMs(world, target('a')), undefined)
    return ms
  })
  assert.deepEqual(waits, [60_000, 120_000, 240_000, 480_000, 600_000])
})

test('A quota is paused as long as the upstream says, otherwise longer each time up to a minute', () => {
  const world = open()
  noteForAll(world, target('a'), failure('quota', 17_000))
  assert.equal(restMs(world, target('a')), 17_000)
  const waits = Array.from({ length: 8 }, () => {
    noteForAll(world, target('b'), failure('quota'))
    const ms = restMs(world, target('b'))
    world.clock.nowMs += ms ?? 0
    return ms
  })
  assert.deepEqual(waits, [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000])
  // Half of it is random.
  const other = open(0)
  noteForAll(other, target('b'), failure('quota'))
  assert.equal(restMs(other, target('b')), 500)
})

test('A refused key pauses the whole connection until the key changes', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('key'), ann)
  assert.notEqual(restMs(world, target('a', 'small')), undefined)
  assert.equal(restMs(world, target('a', 'small', 'other key')), undefined)
  assert.equal(world.pauses.list([target('a').connection])[0]?.model, undefined)
  assert.ok(!JSON.stringify(world.pauses.list([target('a').connection])).includes('apiKey'))
})

test('A refused key is listed until it is accepted, replaced or removed, however long that takes', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('key'), ann)
  world.pauses.note(target('b'), path, failure('unreachable'), ann)
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

test('A pause that refuses calls comes before one that does not, then the longer one', () => {
  const world = open()
  noteForAll(world, target('a'), failure('overloaded', 60_000))
  assert.equal(world.pauses.pauseOf(target('a'), path, ann)?.row.name, 'overloaded')
  noteForAll(world, target('a'), failure('quota'))
  assert.equal(world.pauses.pauseOf(target('a'), path, ann)?.row.name, 'quota')
  world.pauses.note(target('a'), path, failure('model'), ann)
  assert.equal(world.pauses.pauseOf(target('a'), path, ann)?.row.name, 'model')
})

test('Memory is bounded: the oldest are forgotten', () => {
  const world = open()
  for (let count = 0; count < 10_010; count += 1)
    world.pauses.note(target('a', `m${count}`), path, failure('model'), ann)
  assert.equal(world.pauses.list([target('a').connection]).length, 10_000)
  assert.equal(restMs(world, target('a', 'm0')), undefined)
  assert.equal(restMs(world, target('a', 'm10009')), 60_000)
})

test('Ids that are joined in another way are another model', () => {
  const world = open()
  world.pauses.note(target('a', 'b 1 c'), path, failure('model'), ann)
  assert.equal(restMs(world, target('a b', '1 c')), undefined)
})

test('The wait that an upstream asks for is limited', () => {
  for (const [name, asked, pause] of [
    ['quota', 0, 1_000],
    ['quota', 1_000_000_000, 86_400_000],
    ['overloaded', 30_000, 30_000],
    ['failed', 86_400_000, 60_000],
    ['model', 86_400_000, 60_000],
  ] as const) {
    const world = open()
    noteForAll(world, target('a'), failure(name, asked))
    assert.equal(restMs(world, target('a')), pause, `${name} ${asked}`)
  }
})

test('Calls that fail together are one failure', () => {
  for (const name of ['unreachable', 'failed'] as const) {
    const world = open()
    for (const expected of [1_000, 2_000]) {
      for (let count = 0; count < 50; count += 1) noteForAll(world, target('a'), failure(name))
      assert.equal(restMs(world, target('a')), expected, name)
      world.clock.nowMs += expected
    }
  }
})

test('What one of them asks for is not shortened by the others', () => {
  const world = open()
  noteForAll(world, target('a'), failure('quota', 17_000))
  noteForAll(world, target('a'), failure('quota'))
  assert.equal(restMs(world, target('a')), 17_000)
})

test('A second model that fails in the same way pauses the connection for those who met both', () => {
  for (const [name, isLastResort] of [
    ['forbidden', false],
    ['late', true],
  ] as const) {
    const seen = (world: World, who: Sender) =>
      world.pauses.pauseOf(target('a', 'third'), path, who)?.row.isLastResort
    const note = (world: World, model: string, who: Sender) =>
      world.pauses.note(target('a', model), path, failure(name), who)
    const alone = open()
    note(alone, 'big', ann)
    note(alone, 'big', ann)
    assert.equal(seen(alone, ann), undefined, name)
    note(alone, 'small', ann)
    assert.deepEqual(
      [ann, bob].map((who) => seen(alone, who)),
      [isLastResort, undefined],
      name,
    )
    assert.equal(restMs(alone, target('b', 'third'), path, ann), undefined)
    // Two keys.
    const both = open()
    note(both, 'big', ann)
    note(both, 'small', bob)
    assert.equal(seen(both, sender('carl')), isLastResort, name)
    assert.equal(both.pauses.list([target('a').connection]).at(-1)?.model, undefined)
    assert.deepEqual(both.paused, ['a'])
    both.pauses.clear(target('a', 'third'), path)
    assert.equal(seen(both, ann), undefined, name)
    // A model that nobody may use does not let one key pause the others.
    const known = open()
    noteForAll(known, target('a', 'big'), failure(name))
    note(known, 'small', ann)
    assert.deepEqual(
      [ann, bob].map((who) => seen(known, who)),
      [isLastResort, undefined],
      name,
    )
    note(known, 'small', bob)
    assert.equal(seen(known, sender('carl')), isLastResort, name)
    // Later than the pause of the first one, or with another key of the connection.
    const late = open()
    note(late, 'big', ann)
    late.clock.nowMs += isLastResort ? 7_200_001 : 60_000
    note(late, 'small', ann)
    assert.equal(seen(late, ann), undefined, name)
    const changed = open()
    note(changed, 'big', ann)
    changed.pauses.note(target('a', 'small', 'other key'), path, failure(name), ann)
    assert.equal(restMs(changed, target('a', 'third', 'other key'), path, ann), undefined, name)
  }
})

test('A list that has a missing model again ends its pause, and the next one is longer', () => {
  const world = open()
  world.pauses.note(target('a'), path, failure('model'), ann)
  noteForAll(world, target('a', 'small'), failure('quota'))
  world.pauses.noteList('b', ['big'])
  world.pauses.noteList('a', ['small'])
  assert.equal(restMs(world, target('a')), 60_000)
  world.pauses.noteList('a', ['small', 'big'])
  assert.equal(restMs(world, target('a')), undefined)
  assert.notEqual(restMs(world, target('a', 'small')), undefined)
  world.pauses.note(target('a'), path, failure('model'), ann)
  assert.equal(restMs(world, target('a')), 120_000)
})

test('One call finds out whether a target that hangs answers again, while others avoid it', () => {
  const world = open()
  noteForAll(world, target('a'), failure('late'))
  world.pauses.probe(target('a'), path)
  assert.equal(restMs(world, target('a')), 60_000)
  world.clock.nowMs += 60_000
  assert.equal(restMs(world, target('a')), undefined)
  world.pauses.probe(target('a'), path)
  assert.equal(restMs(world, target('a')), 60_000)
  world.pauses.clear(target('a'), path)
  assert.equal(restMs(world, target('a')), undefined)
  world.pauses.probe(target('a'), path)
  assert.equal(restMs(world, target('a')), undefined)
})

test('Keys that wait one after the other pause what hangs, however long each waits', () => {
  const world = open()
  const waitMs = 1_800_000
  for (const who of [ann, bob]) {
    assert.equal(restMs(world, target('a')), undefined)
    world.pauses.probe(target('a'), path)
    world.clock.nowMs += waitMs
    world.pauses.note(target('a'), path, failure('late'), who)
  }
  assert.notEqual(restMs(world, target('a')), undefined)
  for (const who of [ann, bob]) {
    assert.equal(restMs(world, target('a', 'third')), undefined)
    world.clock.nowMs += waitMs
    world.pauses.note(target('a', 'small'), path, failure('late'), who)
  }
  assert.notEqual(restMs(world, target('a', 'third')), undefined)
})
