import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FolderListing } from '../../../../../web/src/files/listing/folder-listing.ts'
import { FolderPages, readWhole } from '../../../../../web/src/files/listing/folder-pages.ts'

const line = (names: readonly string[], end: object = {}) =>
  `${JSON.stringify({ entries: names.map((name) => ({ key: `p/${name}`, ...(!name.endsWith('/') && { size: 1, modifiedAtMs: 0, etag: 'e' }) })), ...end })}\n`

/** A listing of these responses, each of which has these chunks; an error cuts it. */
function startListing(...responses: (readonly (string | Uint8Array | Error)[])[]) {
  const asked: string[] = []
  let pauses = 0
  const pages = new FolderPages({
    prefix: 'p/',
    open: async ({ after }) => {
      const chunks = responses[asked.length]?.values()
      asked.push(after)
      return new ReadableStream({
        pull(controller) {
          const { value, done } = chunks?.next() ?? { done: true, value: undefined }
          if (done) controller.close()
          else if (value instanceof Error) controller.error(value)
          else controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value)
        },
      })
    },
    pause: async () => {
      pauses += 1
    },
  })
  const listing = new FolderListing({
    fetchPage: (after, signal) => pages.fetch(after, signal),
    now: () => 0,
  })
  const ended = () =>
    new Promise<void>((resolve) => {
      const unsubscribe = listing.subscribe(() => {
        if (listing.snapshot().status === 'loading') return
        unsubscribe()
        resolve()
      })
      listing.resume()
    })
  const names = () => listing.snapshot().entries.map(({ name }) => name)
  return { listing, asked, ended, names, pauses: () => pauses }
}

describe('FolderPages', () => {
  test('reads one response to its end, and pauses between its lines', async () => {
    const bytes = Buffer.from(line(['ü']) + line(['b', 'sub/']) + line([], { next: null }))
    const cut = bytes.indexOf(0xc3) + 1
    const run = startListing([bytes.subarray(0, cut), bytes.subarray(cut)])
    await run.ended()
    assert.deepEqual(run.names(), ['sub', 'b', 'ü'])
    assert.equal(run.listing.snapshot().status, 'complete')
    assert.deepEqual(run.asked, [''])
    assert.equal(run.pauses(), 2)
  })

  test('continues a response that was cut off after its last whole line', async () => {
    for (const end of [new Error('cut'), line(['c']).slice(0, 20)]) {
      const run = startListing([line(['a', 'b']), end], [line(['c'], { next: null })])
      await run.ended()
      assert.equal(run.listing.snapshot().status, 'failed')
      assert.equal((run.listing.snapshot().error as { status?: number }).status, 0)
      await run.ended()
      assert.deepEqual(run.asked, ['', 'p/b'])
      assert.deepEqual(run.names(), ['a', 'b', 'c'])
    }
  })

  test('says why the drive could not list the rest', async () => {
    const run = startListing([line(['a']), line([], { message: 'Check the permissions.' })])
    await run.ended()
    assert.equal(run.listing.snapshot().error?.message, 'Check the permissions.')
  })

  test('goes on with the next request where a long response ends', async () => {
    const run = startListing(
      [line(['a'], { next: 'p/a' })],
      [line(['b']), line([], { next: null })],
    )
    await run.ended()
    assert.deepEqual(run.asked, ['', 'p/a'])
    assert.deepEqual(run.names(), ['a', 'b'])
  })
})

describe('readWhole', () => {
  const read = (...lines: readonly string[]) =>
    readWhole(new Blob([...lines]).stream(), 'p/', new AbortController().signal)

  test('reads all lines of a response, and where the next one continues', async () => {
    const page = await read(line(['a', 'sub/']), line(['b'], { next: 'p/b' }))
    assert.deepEqual(
      page.entries.map(({ kind, name }) => [kind, name]),
      [
        ['file', 'a'],
        ['folder', 'sub'],
        ['file', 'b'],
      ],
    )
    assert.equal(page.continuationToken, 'p/b')
    assert.equal((await read(line(['a'], { next: null }))).continuationToken, undefined)
  })

  test('rejects if the response is cut off or the drive fails', async () => {
    await assert.rejects(read(line(['a'])), { name: 'ApiError', status: 0 })
    const failure = line([], { message: 'Check the permissions.' })
    await assert.rejects(read(line(['a']), failure), { message: 'Check the permissions.' })
  })
})
