import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import { FolderListings } from '../../../../../../src/storage/drives/google/index/index-crawl.ts'

/** Folders with unknown content, and lists that the test ends. */
function scene() {
  const unlisted = new Set<string>()
  const lists: { readonly id: string; end(error?: Error): void; readonly signal: AbortSignal }[] =
    []
  const listings = new FolderListings({
    rootId: 'root',
    index: {
      state: async () => undefined,
      unlistedOf: async (ids) => ids.filter((id) => unlisted.has(id)),
    },
    crawl: {
      list([id = ''], _, signal) {
        const { promise, resolve, reject } = Promise.withResolvers<void>()
        signal.addEventListener('abort', () => reject(signal.reason))
        const end = (error?: Error) => {
          if (error) return reject(error)
          unlisted.delete(id)
          resolve()
        }
        lists.push({ id, end, signal })
        return promise
      },
    },
  })
  const begun = async (count: number) => {
    while (lists.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
  return { unlisted, lists, listings, begun }
}

test('complete lists no known folder, and others once for several callers', async () => {
  const { unlisted, lists, listings, begun } = scene()
  await listings.complete(['a', 'b'], listings.deadline())
  assert.equal(lists.length, 0)
  unlisted.add('b')
  const waiting = [1, 2, 3].map(() => listings.complete(['a', 'b'], listings.deadline()))
  await begun(1)
  lists[0]?.end()
  await Promise.all(waiting)
  assert.deepEqual(
    lists.map(({ id }) => id),
    ['b'],
  )
})

test('complete rejects with the error of a listing, and lists again next time', async () => {
  const { unlisted, lists, listings, begun } = scene()
  unlisted.add('a')
  const refused = listings.complete(['a'], listings.deadline())
  await begun(1)
  const error = new DriveError('unavailable', 'down')
  lists[0]?.end(error)
  await assert.rejects(refused, error)
  const second = listings.complete(['a'], listings.deadline())
  await begun(2)
  lists[1]?.end()
  await second
})

test('complete rejects as busy when the time is up, and the listing continues', async () => {
  const { unlisted, lists, listings, begun } = scene()
  unlisted.add('a')
  const deadline = { untilMs: performance.now() + 20 }
  await assert.rejects(listings.complete(['a'], deadline), {
    kind: 'busy',
    retryAfterSeconds: 10,
  })
  const next = listings.complete(['a'], listings.deadline())
  await begun(1)
  lists[0]?.end()
  await next
  assert.equal(lists.length, 1)
})

test('complete rejects as busy at once when many folders are being listed', async () => {
  const { unlisted, listings, begun } = scene()
  const ids = Array.from({ length: 64 }, (_, at) => `f${at}`)
  for (const id of [...ids, 'more']) unlisted.add(id)
  const waiting = listings.complete(ids, listings.deadline())
  await begun(64)
  await assert.rejects(listings.complete(['more'], listings.deadline()), {
    kind: 'busy',
  })
  const ended = assert.rejects(waiting, { kind: 'unavailable' })
  await listings.close()
  await ended
})
