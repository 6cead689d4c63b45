import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { revisionOf } from '../../../../../src/platform/text/revision-sum.ts'
import type { Entry } from '../../../../../web/src/files/entries/entry.ts'
import { FolderListing } from '../../../../../web/src/files/listing/folder-listing.ts'
import { FolderWatch, watchEveryMs } from '../../../../../web/src/files/listing/folder-watch.ts'

function file(name: string, size = 0): Entry {
  return { kind: 'file', key: name, name, size, modifiedAtMs: 0, etag: '' }
}

/** A folder that the test changes, and a list that watches it. */
async function watched(...first: readonly Entry[]) {
  const state = {
    folder: first as readonly Entry[],
    pages: 0,
    ageMs: 0,
    loadMs: 100,
    nowMs: 1_000,
    /** The response of the service, if it differs. */
    claimed: undefined as string | undefined,
    meanwhile: () => undefined as unknown,
  }
  const gone: string[] = []
  const listing = new FolderListing({
    fetchPage: async () => {
      state.pages += 1
      state.nowMs += state.loadMs
      const entries = state.folder
      state.meanwhile()
      return { entries, keys: [], continuationToken: undefined }
    },
    now: () => state.nowMs,
    onGone: (keys) => gone.push(...keys),
  })
  const watch = new FolderWatch({
    listing,
    now: () => state.nowMs,
    ask: async () => ({
      revision: state.claimed ?? revisionOf(state.folder),
      ageMs: state.ageMs,
    }),
  })
  listing.resume()
  await new Promise(setImmediate)
  assert.equal(listing.snapshot().status, 'complete')
  state.pages = 0
  const look = async (afterMs = watchEveryMs) => {
    state.nowMs += afterMs
    await watch.look(new AbortController().signal)
  }
  const names = () => listing.snapshot().entries.map(({ name }) => name)
  return { state, listing, watch, look, names, gone }
}

describe('FolderWatch', () => {
  test('a folder that has not changed is never downloaded again', async () => {
    const { state, look, listing } = await watched(file('a'), file('b'))
    const before = listing.snapshot()
    for (let looked = 0; looked < 50; looked += 1) await look()
    assert.equal(state.pages, 0)
    assert.equal(listing.snapshot(), before)
  })

  test('shows additions, changes and removals by others and keeps unchanged objects identical', async () => {
    const { state, look, listing, names, gone } = await watched(file('a'), file('b'), file('c'))
    const [a] = listing.snapshot().entries
    state.folder = [file('a'), file('b', 5), file('d')]
    await look()
    assert.deepEqual(names(), ['a', 'b', 'd'])
    assert.equal(listing.snapshot().entries[0], a)
    assert.equal((listing.snapshot().entries[1] as { size: number }).size, 5)
    assert.deepEqual(gone, ['c'])
  })

  test('ignores a reply older than the last change of the list', async () => {
    const { state, look, listing, names } = await watched(file('a'))
    listing.change([file('uploaded')], new Set())
    state.ageMs = 60_000
    await look()
    assert.equal(state.pages, 0)
    assert.deepEqual(names(), ['a', 'uploaded'])
  })

  test('keeps files that this page uploads while the folder reloads', async () => {
    const { state, look, listing, names } = await watched(file('a'))
    state.folder = [file('a'), file('b')]
    state.meanwhile = () => listing.change([file('mine')], new Set(['a']))
    await look()
    assert.deepEqual(names(), ['b', 'mine'])
  })

  test('spends at most a twentieth of the time on a large folder that keeps changing', async () => {
    const { state, look, watch } = await watched(file('a'))
    state.loadMs = 30_000
    state.folder = [file('b')]
    await look()
    assert.equal(watch.delayMs, 300_000)
    state.loadMs = 1_000
    state.folder = [file('c')]
    await look()
    assert.equal(watch.delayMs, 20_000)
    await look()
    assert.equal(watch.delayMs, watchEveryMs)
  })

  test('checks less and less often if the service always reports a change', async () => {
    const { state, look, watch } = await watched(file('a'))
    state.claimed = 'something else'
    const delays: number[] = []
    for (let looked = 0; looked < 8; looked += 1) {
      await look(watch.delayMs)
      delays.push(watch.delayMs)
    }
    assert.deepEqual(delays.slice(0, 3), [8_000, 16_000, 32_000])
    assert.equal(delays.at(-1), 300_000)
  })

  test('a failure leaves the list unchanged', async () => {
    const { state, look, names, listing } = await watched(file('a'))
    state.folder = []
    state.meanwhile = () => {
      throw new Error('no line')
    }
    await assert.rejects(look(), /no line/)
    assert.deepEqual(names(), ['a'])
    assert.equal(listing.snapshot().status, 'complete')
    listing.change([file('b')], new Set())
    assert.deepEqual(names(), ['a', 'b'])
  })
})
