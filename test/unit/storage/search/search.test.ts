import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sortKeys } from '../../../../src/platform/text/key-order.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import type { Entry } from '../../../../src/storage/drives/listed-entry.ts'
import { type SearchLine, type SearchQuery, search } from '../../../../src/storage/search/search.ts'

type Listed = SearchQuery['drive']

/** A drive with these keys in each bucket, which are listed as a drive does without a delimiter. */
function driveWith(keys: Readonly<Record<string, readonly string[]>>) {
  const asked = { pages: 0 }
  const drive: Listed = {
    head: () => Promise.reject(new Error('listings have the metadata')),
    list(bucket, { prefix, after }) {
      const rest = sortKeys([...(keys[bucket] ?? [])]).filter(
        (key) => key.startsWith(prefix) && key > after,
      )
      return {
        seek: () => undefined,
        async next(limit) {
          asked.pages += 1
          return rest
            .splice(0, limit)
            .map((key): Entry => ({ kind: 'object', key, size: 1, modifiedAtMs: 0, etag: 'e' }))
        },
      }
    },
  }
  return { drive, asked }
}

const at = { buckets: ['b'], prefix: '', signal: new AbortController().signal }

async function linesOf(query: Omit<SearchQuery, keyof typeof at> & Partial<SearchQuery>) {
  const lines: SearchLine[] = []
  for await (const some of search({ ...at, ...query })) lines.push(...some)
  return lines
}

async function hitsOf(query: Parameters<typeof linesOf>[0]) {
  return (await linesOf(query)).flatMap((line) => ('hit' in line ? [line.hit] : []))
}

test('finds parts of names of files and folders, each folder once', async () => {
  const { drive } = driveWith({
    b: ['trip/day 1/Tripod.jpg', 'trip/day 2/a.jpg', 'trip/day 2/strip.txt', 'other/x', 'tripped'],
  })
  const found = await hitsOf({ drive, text: 'trip' })
  assert.deepEqual(
    found.map(({ key, kind, match }) => [key, kind, match]),
    [
      ['trip/', 'folder', [0, 4]],
      ['trip/day 1/Tripod.jpg', 'file', [0, 4]],
      ['trip/day 2/strip.txt', 'file', [1, 5]],
      ['tripped', 'file', [0, 4]],
    ],
  )
  assert.deepEqual(await hitsOf({ drive, text: 'day 1/Tri' }), [], 'a name has no slash')
})

test('looks only below the folder, whose own name is none', async () => {
  const { drive } = driveWith({ b: ['a/a', 'a/', 'a/b/a.txt', 'a/b/', 'ab'] })
  const found = await hitsOf({ drive, text: 'A', prefix: 'a/' })
  assert.deepEqual(
    found.map(({ key }) => key),
    ['a/a', 'a/b/a.txt'],
  )
})

test('names that people call the same are the same', async () => {
  const names: readonly (readonly [string, string, readonly [number, number]])[] = [
    ['U\u0308BER.txt', 'über', [0, 5]],
    ['x über', 'U\u0308', [2, 3]],
    ['İstanbul', 'istan', [0, 5]],
    ['ısparta', 'ISP', [0, 3]],
    ['ΟΔΟΣ', 'οδος', [0, 4]],
    ['Straße', 'STRASSE', [0, 6]],
    ['😀 smile', 'Smile', [3, 8]],
  ]
  for (const [name, text, match] of names) {
    const { drive } = driveWith({ b: [name] })
    const [hit] = await hitsOf({ drive, text })
    assert.deepEqual(hit?.match, match, `${name} has ${text}`)
  }
})

test('ends after 200 results, and goes on after the last', async () => {
  const keys = Array.from({ length: 450 }, (_, index) => `k/${String(index).padStart(4, '0')}`)
  const { drive } = driveWith({ a: ['0'], b: keys, c: ['0-c'] })
  const found: string[] = []
  let after: SearchQuery['after']
  let calls = 0
  do {
    const lines = await linesOf({ drive, buckets: ['a', 'b', 'c'], text: '0', after })
    found.push(...lines.flatMap((line) => ('hit' in line ? [line.hit.key] : [])))
    const last = lines.at(-1)
    assert.ok(last !== undefined && 'next' in last)
    after = last.next ?? undefined
    calls += 1
  } while (after !== undefined)
  assert.deepEqual(found, ['0', ...keys.filter((key) => key.includes('0')), '0-c'])
  assert.equal(new Set(found).size, found.length)
  assert.ok(calls > 1)
})

test('ends when its time is over, says how far it is, and goes on from there', async () => {
  const keys = Array.from({ length: 2_000 }, (_, index) => String(index).padStart(5, '0'))
  const { drive, asked } = driveWith({ b: [...keys, 'needle'] })
  const first = await linesOf({ drive, text: 'needle', limitMs: 0 })
  assert.deepEqual(first.at(-1), { looked: 1_000, next: { bucket: 'b', key: '00999' } })
  assert.equal(asked.pages, 1)
  const second = await linesOf({ drive, text: 'needle', after: { bucket: 'b', key: '00999' } })
  assert.deepEqual(second.at(-1), { looked: 1_001, next: null })
})

test('a bucket that cannot be listed is named, and the next one is searched', async () => {
  const { drive } = driveWith({ b: ['x'] })
  const broken: Listed = {
    head: drive.head,
    list(bucket, options) {
      if (bucket === 'b') return drive.list(bucket, options)
      const error = new DriveError('unavailable', 'The drive is away.')
      return { seek: () => undefined, next: () => Promise.reject(error) }
    },
  }
  const lines = await linesOf({ drive: broken, buckets: ['a', 'b'], text: 'x' })
  assert.deepEqual(lines[0], { problem: { bucket: 'a', message: 'The drive is away.' } })
  assert.ok(lines.some((line) => 'hit' in line && line.hit.key === 'x'))
  const bug = new TypeError('a bug')
  const wrong: Listed = {
    head: drive.head,
    list: () => ({ seek: () => undefined, next: () => Promise.reject(bug) }),
  }
  await assert.rejects(linesOf({ drive: wrong, text: 'x' }), bug)
})

test('stops with its signal, also while the drive does not answer', async () => {
  const control = new AbortController()
  const hanging: Listed = {
    head: async () => undefined,
    list: () => ({ seek: () => undefined, next: () => new Promise<never>(() => undefined) }),
  }
  const lines = linesOf({ drive: hanging, text: 'x', signal: control.signal })
  const reason = new Error('the client has left')
  control.abort(reason)
  await assert.rejects(lines, reason)
})

test('of keys alone, only what was found is read, and left out if it is gone', async () => {
  const heads: string[] = []
  const keys = ['a/x.txt', 'b', 'x-gone', 'x-here']
  const drive: Listed = {
    list: () => ({
      seek: () => undefined,
      next: () => Promise.reject(new Error('asked for metadata of all')),
      nextKeys: async (limit) => keys.splice(0, limit),
    }),
    async head(_bucket, key) {
      heads.push(key)
      if (key === 'x-gone') return undefined
      return { size: 7, modifiedAtMs: 5, attributes: { etag: 'e', headers: {}, metadata: {} } }
    },
  }
  const found = await hitsOf({ drive, text: 'X' })
  assert.deepEqual(heads, ['a/x.txt', 'x-gone', 'x-here'])
  assert.deepEqual(
    found.map(({ key, size, modifiedAtMs }) => [key, size, modifiedAtMs]),
    [
      ['a/x.txt', 7, 5],
      ['x-here', 7, 5],
    ],
  )
})

test('its time also ends it among removed objects, and hits come at once', async () => {
  let read = 0
  const drive: Listed = {
    list: () => ({
      seek: () => undefined,
      next: () => Promise.reject(new Error('keys are enough')),
      nextKeys: async () => Array.from({ length: 1_000 }, (_, index) => `x${1_000 + index}`),
    }),
    async head(_bucket, key) {
      read += 1
      if (key !== 'x1000') return undefined
      return { size: 7, modifiedAtMs: 5, attributes: { etag: 'e', headers: {}, metadata: {} } }
    },
  }
  const lines = search({ ...at, drive, text: 'x', limitMs: Number.POSITIVE_INFINITY })
  const first = await lines.next()
  assert.ok('hit' in (first.value?.[0] ?? {}))
  assert.equal(read, 1)
  await lines.return(undefined)
  const gone = await linesOf({ drive, text: 'x1001', limitMs: 0 })
  assert.deepEqual(gone, [{ looked: 2, next: { bucket: 'b', key: 'x1001' } }])
})

test('a long name costs no more than its length', async () => {
  const text = `${'a'.repeat(254)}b`
  const keys = Array.from(
    { length: 200 },
    (_, index) => `${'a'.repeat(990 + (index % 10))}b${index}`,
  )
  const { drive } = driveWith({ b: keys })
  const before = process.cpuUsage()
  const found = await hitsOf({ drive, text })
  assert.equal(found.length, 200)
  assert.ok(process.cpuUsage(before).user < 2_000_000)
})
