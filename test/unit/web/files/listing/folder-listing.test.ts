import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Entry } from '../../../../../web/src/files/entries/entry.ts'
import {
  autoLoadEntries,
  FolderListing,
} from '../../../../../web/src/files/listing/folder-listing.ts'
import type { FolderPage } from '../../../../../web/src/files/listing/folder-pages.ts'

function file(name: string): Entry {
  return { kind: 'file', key: name, name, size: 0, modifiedAtMs: 0, etag: '' }
}

function pageOf(names: readonly string[], continuationToken?: string): FolderPage {
  return { entries: names.map(file), continuationToken }
}

interface Asked {
  readonly token: string | undefined
  readonly signal: AbortSignal
  readonly answer: (page: FolderPage) => void
  readonly fail: (error: Error) => void
}

function startListing() {
  const asked: Asked[] = []
  let now = 0
  const listing = new FolderListing({
    fetchPage: (token, signal) => {
      const { promise, resolve, reject } = Promise.withResolvers<FolderPage>()
      asked.push({ token, signal, answer: resolve, fail: reject })
      return promise
    },
    now: () => now,
  })
  const answer = async (page: FolderPage) => {
    asked.at(-1)?.answer(page)
    await turn()
  }
  const advance = (milliseconds: number) => {
    now += milliseconds
  }
  return { listing, asked, answer, advance }
}

const names = ({ listing }: { listing: FolderListing }) =>
  listing.snapshot().entries.map(({ name }) => name)

describe('FolderListing', () => {
  test('requests all pages in order, then completes', async () => {
    const run = startListing()
    run.listing.resume()
    await run.answer(pageOf(['b'], 't1'))
    await run.answer(pageOf(['a'], 't2'))
    await run.answer(pageOf(['c']))
    assert.deepEqual(
      run.asked.map(({ token }) => token),
      [undefined, 't1', 't2'],
    )
    assert.deepEqual(names(run), ['a', 'b', 'c'])
    assert.equal(run.listing.snapshot().status, 'complete')
  })

  test('notifies of the first page at once, then at most four times a second', async () => {
    const run = startListing()
    let told = 0
    run.listing.resume()
    run.listing.subscribe(() => {
      told += 1
    })
    await run.answer(pageOf(['a'], 't1'))
    assert.deepEqual(names(run), ['a'])
    await run.answer(pageOf(['b'], 't2'))
    assert.equal(told, 1)
    run.advance(250)
    await run.answer(pageOf(['c'], 't3'))
    assert.equal(told, 2)
    await run.answer(pageOf(['d'], 't4'))
    assert.deepEqual(names(run), ['a', 'b', 'c'])
    run.listing.stop()
    assert.deepEqual(names(run), ['a', 'b', 'c', 'd'])
  })

  test('stop keeps the loaded entries, and resume continues from there', async () => {
    const run = startListing()
    run.listing.resume()
    await run.answer(pageOf(['a'], 't1'))
    run.listing.stop()
    assert.equal(run.asked.at(-1)?.signal.aborted, true)
    assert.equal(run.listing.snapshot().status, 'stopped')
    await run.answer(pageOf(['late'], 't2'))
    assert.deepEqual(names(run), ['a'])
    run.listing.resume()
    assert.equal(run.asked.at(-1)?.token, 't1')
    await run.answer(pageOf(['b']))
    assert.deepEqual(names(run), ['a', 'b'])
  })

  test('a failure keeps the loaded entries, and resume retries the page', async () => {
    const run = startListing()
    run.listing.resume()
    await run.answer(pageOf(['a'], 't1'))
    run.asked.at(-1)?.fail(new Error('no line'))
    await turn()
    const { status, error } = run.listing.snapshot()
    assert.deepEqual([status, error?.message], ['failed', 'no line'])
    run.listing.resume()
    assert.equal(run.listing.snapshot().error, undefined)
    await run.answer(pageOf(['b']))
    assert.deepEqual(names(run), ['a', 'b'])
  })

  test('pauses after a large number of entries and loads as many again on resume', async () => {
    const run = startListing()
    const many = Array.from({ length: autoLoadEntries }, (_, index) => String(index))
    run.listing.resume()
    await run.answer(pageOf(many, 't1'))
    assert.equal(run.listing.snapshot().status, 'stopped')
    run.listing.resume()
    await run.answer(pageOf(['more'], 't2'))
    assert.equal(run.listing.snapshot().status, 'loading')
  })

  test('change adds new entries and removes deleted ones', async () => {
    const run = startListing()
    run.listing.resume()
    await run.answer(pageOf(['a', 'b', 'c']))
    run.listing.change([file('bb'), file('c')], new Set(['a', 'c']))
    assert.deepEqual(names(run), ['b', 'bb', 'c'])
    assert.equal(run.listing.snapshot().status, 'complete')
  })
})
