import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListCache, type ListReply, maxListBytes } from '../../../../src/models/list/list-cache.ts'
import type { ModelEntry } from '../../../../src/models/list/list-schemas.ts'

const hostileId = 'a/"created":0,\\"created\\":0'
const entries: readonly ModelEntry[] = [
  { id: hostileId, object: 'model', created: 5, owned_by: 'a' },
  { id: 'ü/search', object: 'model', created: 5, owned_by: 'ü', kind: 'webSearch' },
]
const sources = [[], [], [], {}]

/** What a reply gets that is complete at once. */
function parsed(reply: ListReply | undefined) {
  void reply?.close()
  return JSON.parse(reply?.bytes.toString() ?? 'null')
}

test('find returns the cached list with the time of the current second', async () => {
  const lists = new ListCache()
  lists.keep('llm', sources, entries)
  const reply = lists.find('llm', [...sources], 1_779_000_000_999)
  assert.deepEqual(parsed(reply), {
    object: 'list',
    data: entries.map((entry) => ({ ...entry, created: 1_779_000_000 })),
  })
  const same = lists.find('llm', sources, 1_779_000_000_001)
  assert.equal(same?.bytes, reply?.bytes, 'made once a second')
  await same?.close()
  assert.equal(parsed(lists.find('llm', sources, 1_779_000_001_000)).data[1].created, 1_779_000_001)
  assert.equal(parsed(lists.find('llm', sources, 3_000)).data[0].created, 3, 'a clock set back')
})

test('find returns undefined for another list, or when a source is another object', () => {
  const lists = new ListCache()
  assert.equal(lists.find('llm', sources, 0), undefined)
  lists.keep('llm', sources, entries)
  assert.equal(lists.find('tts', sources, 0), undefined)
  for (const [index] of sources.entries()) {
    assert.equal(lists.find('llm', sources.with(index, []), 0), undefined)
  }
  assert.equal(lists.find('llm', sources.slice(1), 0), undefined)
})

test('keep of an empty list gives an empty list', () => {
  const lists = new ListCache()
  lists.keep('llm', sources, [])
  assert.deepEqual(parsed(lists.find('llm', sources, 0)), { object: 'list', data: [] })
})

test('Lists that were not sent for the longest time are forgotten', () => {
  const lists = new ListCache()
  for (let count = 0; count < 64; count += 1) lists.keep(`${count}`, sources, entries)
  void lists.find('0', sources, 0)?.close()
  lists.keep('64', sources, entries)
  assert.equal(lists.find('1', sources, 0), undefined)
  const found = ['0', '2', '64'].map((name) => lists.find(name, sources, 0))
  assert.equal(found.filter((reply) => reply === undefined).length, 0)
  for (const reply of found) void reply?.close()
})

test('A list of several fields is cut at the end of the last one', () => {
  const lists = new ListCache()
  const large = Array.from({ length: 3 }, () => JSON.stringify('x'.repeat(maxListBytes / 3)))
  assert.equal(lists.keepJson('a', sources, { models: large, data: ['{"created":0}'] }), false)
  const reply = lists.find('a', sources, 5_000)
  const { models, data } = parsed(reply)
  assert.deepEqual([models.length, data], [2, []])
  lists.clear()
  assert.equal(lists.find('a', sources, 5_000), undefined)
})
