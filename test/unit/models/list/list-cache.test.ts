import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListCache, type ListReply, maxListBytes } from '../../../../src/models/list/list-cache.ts'
import type { ModelEntry } from '../../../../src/models/list/list-schemas.ts'
import { silentLog } from '../../../support/silent-log.ts'

const hostileId = 'a/"created":0,\\"created\\":0'
const entries: readonly ModelEntry[] = [
  { id: hostileId, object: 'model', created: 5, owned_by: 'a' },
  { id: 'ü/search', object: 'model', created: 5, owned_by: 'ü', kind: 'webSearch' },
]
const sources = [[], [], [], {}]

const data = entries.map((entry) => JSON.stringify({ ...entry, created: 0 }))

/** A cache whose clock is set by `at`, and what it warns of. */
function cache() {
  let nowMs = 0
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (...told: unknown[]) => void warnings.push(told) }
  const lists = new ListCache({ now: () => nowMs, log })
  const keep = (name: string, fields: Parameters<ListCache['keep']>[2] = { data }) =>
    void lists.keep(name, sources, fields).close()
  const at = (ms: number, name = 'llm') => {
    nowMs = ms
    return lists.find(name, sources)
  }
  return { lists, keep, at, warnings }
}

/** What a reply gets that is complete at once. */
function parsed(reply: ListReply | undefined) {
  void reply?.close()
  return JSON.parse(reply?.bytes.toString() ?? 'null')
}

test('find returns the cached list with the time of the current second', async () => {
  const { keep, at } = cache()
  keep('llm')
  const reply = at(1_779_000_000_999)
  assert.deepEqual(parsed(reply), {
    object: 'list',
    data: entries.map((entry) => ({ ...entry, created: 1_779_000_000 })),
  })
  const same = at(1_779_000_000_001)
  assert.equal(same?.bytes, reply?.bytes, 'made once a second')
  await same?.close()
  assert.equal(parsed(at(1_779_000_001_000)).data[1].created, 1_779_000_001)
  assert.equal(parsed(at(3_000)).data[0].created, 3, 'a clock set back')
})

test('find returns undefined for another list, or when a source is another object', () => {
  const { lists, keep } = cache()
  assert.equal(lists.find('llm', sources), undefined)
  keep('llm')
  assert.equal(lists.find('tts', sources), undefined)
  for (const [index] of sources.entries()) {
    assert.equal(lists.find('llm', sources.with(index, [])), undefined)
  }
  assert.equal(lists.find('llm', sources.slice(1)), undefined)
})

test('keep of an empty list gives an empty list', () => {
  const { keep, at } = cache()
  keep('llm', { data: [] })
  assert.deepEqual(parsed(at(0)), { object: 'list', data: [] })
})

test('Lists that were not sent for the longest time are forgotten', () => {
  const { keep, at } = cache()
  for (let count = 0; count < 64; count += 1) keep(`${count}`)
  void at(0, '0')?.close()
  keep('64')
  assert.equal(at(0, '1'), undefined)
  const found = ['0', '2', '64'].map((name) => at(0, name))
  assert.equal(found.filter((reply) => reply === undefined).length, 0)
  for (const reply of found) void reply?.close()
})

test('A list of several fields is cut at the end of the last one, which is logged once', () => {
  const { lists, keep, at, warnings } = cache()
  const large = Array.from({ length: 3 }, () => JSON.stringify('x'.repeat(maxListBytes / 3)))
  for (const _ of [1, 2]) keep('a', { models: large, data: ['{"created":0}'] })
  assert.equal(warnings.length, 1)
  const { models, data: rest } = parsed(at(5_000, 'a'))
  assert.deepEqual([models.length, rest], [2, []])
  lists.clear()
  assert.equal(at(5_000, 'a'), undefined)
})
