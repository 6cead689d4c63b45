import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonModel } from '../../../../src/models/calls/model-name.ts'
import { conversationOf, spread } from '../../../../src/models/calls/spreading.ts'
import type { CallTarget } from '../../../../src/models/list/resolve-model.ts'

const target = (id: string, priority = 1, weight = 1, listedId = 'lab/big'): CallTarget => ({
  connection: {
    ...{ id, provider: 'lab', prefix: undefined, baseUrl: undefined, apiKey: undefined },
    ...{ enabledModels: undefined, priority, weight, price: undefined },
  },
  ...{ ownId: 'big', listedId },
})

const ids = (targets: readonly CallTarget[]) => targets.map(({ connection }) => connection.id)

/** How often each is first. */
function firsts(targets: readonly CallTarget[], calls = 4_000): Map<string, number> {
  const counts = new Map<string, number>()
  for (let call = 0; call < calls; call += 1) {
    const [first = ''] = ids(spread(targets, () => `conversation ${call}`))
    counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  return counts
}

test('Connections of one priority share the calls by their weights', () => {
  const counts = firsts([target('a', 1, 1), target('b', 1, 3)])
  assert.ok(Math.abs((counts.get('b') ?? 0) / 4_000 - 0.75) < 0.04, JSON.stringify([...counts]))
  // Also those without a priority.
  const unranked = firsts([target('a', Number.POSITIVE_INFINITY), target('b', Infinity)])
  assert.ok(Math.abs((unranked.get('a') ?? 0) / 4_000 - 0.5) < 0.04)
})

test('Priorities, and the models of a combo, keep their order', () => {
  const targets = [target('a', 1), target('b', 2), target('c', 2, 1, 'lab/other'), target('d', 3)]
  assert.equal(
    spread(targets, () => assert.fail('not needed')),
    targets,
  )
  const two = [target('a', 1), target('b', 1), target('c', 2), target('d', 2)]
  for (let call = 0; call < 50; call += 1) {
    const order = ids(spread(two, () => String(call)))
    assert.deepEqual(
      [order.slice(0, 2).toSorted(), order.slice(2).toSorted()],
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    )
  }
})

test('A conversation stays, and moves only if its connection is gone', () => {
  const all = ['a', 'b', 'c', 'd'].map((id) => target(id))
  for (let call = 0; call < 200; call += 1) {
    const key = () => `conversation ${call}`
    const order = ids(spread(all, key))
    assert.deepEqual(ids(spread(all.toReversed(), key)), order)
    const [first] = order
    const rest = all.filter(({ connection }) => connection.id !== first)
    assert.deepEqual(ids(spread(rest, key)), order.slice(1))
    for (const gone of order.slice(1)) {
      const others = all.filter(({ connection }) => connection.id !== gone)
      assert.equal(ids(spread(others, key))[0], first)
    }
  }
})

function conversation(body: object, affinity?: string): string | undefined {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', ...body }))
  const finder = new JsonModel()
  finder.take(bytes)
  finder.find(bytes)
  const bytesOf = (name: Parameters<typeof finder.rangeOf>[0]) => {
    const range = finder.rangeOf(name)
    return range && bytes.subarray(...range)
  }
  return conversationOf(
    { bytes: bytesOf, value: (name) => JSON.parse(String(bytesOf(name) ?? 'null')) },
    affinity,
  )
}

const user = (content: unknown) => ({ role: 'user', content })

test('A conversation is known by what the client says', () => {
  const messages = [user('hi')]
  const keyed = (key: string) => conversation({ prompt_cache_key: key })
  assert.equal(
    conversation({ messages, prompt_cache_key: 'p', metadata: { user_id: 'u' } }, 's'),
    keyed('p'),
  )
  assert.equal(conversation({ messages, metadata: { user_id: 'u' } }, 's'), keyed('s'))
  assert.equal(conversation({ messages, metadata: { user_id: 'u' } }), keyed('u'))
  // Pauses keep it.
  assert.equal(conversation({}, 'x'.repeat(10_000))?.length, 40)
  assert.equal(conversation({}), undefined)
  // Other types are no keys.
  const plain = conversation({ messages })
  assert.equal(conversation({ messages, prompt_cache_key: 1, metadata: [] }, ''), plain)
})

test('Otherwise by its messages up to the first one of the user', () => {
  const system = { role: 'system', content: 'You are' }
  const answer = { role: 'assistant', content: 'hello' }
  const cached = [{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]
  const known = conversation({ messages: [system, user('hi')] })
  assert.equal(conversation({ messages: [system, user('hi'), answer, user('more')] }), known)
  assert.notEqual(conversation({ messages: [system, user('ho')] }), known)
  assert.notEqual(conversation({ messages: [user('hi')] }), known)
  assert.equal(
    conversation({ messages: [user(cached)] }),
    conversation({ messages: [user([{ type: 'text', text: 'hi' }]), answer] }),
  )
  // Responses.
  assert.notEqual(conversation({ input: 'a' }), conversation({ input: 'b' }))
  assert.equal(conversation({ input: [user('a'), answer] }), conversation({ input: [user('a')] }))
})

test('Messages of any form and size have a conversation', () => {
  const forms = [[], [1, 2], 'text', null, {}, [[{}]], [{ role: 'user' }], '[{"role":"user"}]']
  for (const messages of forms) assert.equal(typeof conversation({ messages }), 'string')
  const long = 'x'.repeat(1_000_000)
  const messages = [{ role: 'system', content: long }, user('hi')]
  assert.equal(conversation({ messages }), conversation({ messages: [...messages, user('b')] }))
  const many = Array.from({ length: 100 }, () => ({ role: 'system', content: 'a' }))
  assert.equal(conversation({ messages: many }), conversation({ messages: [...many, user('b')] }))
})
