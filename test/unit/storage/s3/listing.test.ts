import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareKeys } from '../../../../src/platform/text/key-order.ts'
import {
  decodeContinuationToken,
  encodeContinuationToken,
  keyEncoding,
  type ListPage,
  type PageQuery,
  readPage,
} from '../../../../src/storage/s3/listing.ts'
import { entriesOf, type FakeObject, fakeObject, isS3Error, SortedCursor } from './read-fixture.ts'

const everything: PageQuery = { prefix: '', delimiter: '', after: '', maxKeys: 1000 }

function objectsOf(keys: readonly string[]): ReadonlyMap<string, FakeObject> {
  return new Map(keys.map((key) => [key, fakeObject(key)]))
}

function cursorOf(keys: readonly string[], query: PageQuery): SortedCursor {
  const { prefix, after, delimiter } = query
  const shallow = delimiter === '/' ? { delimiter: '/' as const } : {}
  return new SortedCursor(entriesOf(objectsOf(keys), { prefix, after, ...shallow }))
}

function read(keys: readonly string[], query: Partial<PageQuery>): Promise<ListPage> {
  const whole = { ...everything, ...query }
  return readPage(cursorOf(keys, whole), whole)
}

/** Keys and common prefixes in their common order. */
function namesOf(page: ListPage): string[] {
  return [...page.objects.map(({ key }) => key), ...page.commonPrefixes].sort(compareKeys)
}

/** The listing as AWS describes it, over all keys at once. */
function naivePage(keys: readonly string[], query: PageQuery) {
  const { prefix, delimiter, after, maxKeys } = query
  const names = new Set<string>()
  for (const key of [...keys].sort(compareKeys)) {
    if (!key.startsWith(prefix) || compareKeys(key, after) <= 0) continue
    const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    const name = at < 0 ? key : key.slice(0, at + delimiter.length)
    if (name !== after) names.add(name)
  }
  const all = [...names].sort(compareKeys)
  const isTruncated = maxKeys > 0 && all.length > maxKeys
  return { names: all.slice(0, maxKeys), isTruncated }
}

const key = fc
  .array(fc.constantFrom('a', 'b', '/', '-', '.', '\u00e9', '\uffff', '\u{10000}'), {
    minLength: 1,
    maxLength: 6,
  })
  .map((characters) => characters.join(''))
const keySet = fc.uniqueArray(key, { maxLength: 40 })
const delimiter = fc.constantFrom('', '/', '-', 'ab', '//', '\u00e9', '\u{10ffff}')
const start = fc.oneof(fc.constant(''), key)

test('readPage agrees with a naive listing for any keys, prefix, delimiter and start', async () => {
  await fc.assert(
    fc.asyncProperty(
      keySet,
      fc.record({ prefix: start, delimiter, after: start, maxKeys: fc.nat(12) }),
      async (keys, query) => {
        const page = await readPage(cursorOf(keys, query), query)
        const { names, isTruncated } = naivePage(keys, query)
        assert.deepEqual(namesOf(page), names)
        assert.equal(page.isTruncated, isTruncated)
      },
    ),
    { numRuns: 2000 },
  )
})

test('readPage, repeated after the last name, lists everything once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      keySet,
      delimiter,
      fc.integer({ min: 1, max: 5 }),
      async (keys, by, maxKeys) => {
        const names: string[] = []
        let after = ''
        for (;;) {
          const page = await read(keys, { delimiter: by, after, maxKeys })
          names.push(...namesOf(page))
          if (!page.isTruncated) break
          assert.equal(namesOf(page).length, maxKeys, 'a page is full unless it is the last')
          assert.ok(page.last !== after, 'every page gets further')
          after = page.last
        }
        assert.deepEqual(names, naivePage(keys, { ...everything, delimiter: by }).names)
      },
    ),
    { numRuns: 500 },
  )
})

test('readPage of 0 keys is empty and not truncated', async () => {
  const page = await read(['a', 'b'], { maxKeys: 0 })
  assert.deepEqual([namesOf(page), page.isTruncated], [[], false])
})

test('readPage is not truncated when everything fits exactly', async () => {
  assert.equal((await read(['a', 'b'], { maxKeys: 2 })).isTruncated, false)
  assert.equal((await read(['a/1', 'a/2'], { maxKeys: 1, delimiter: '/' })).isTruncated, false)
  assert.equal((await read(['a-1', 'a-2'], { maxKeys: 1, delimiter: '-' })).isTruncated, false)
})

// Fixture and expectations of ceph s3-tests, test_bucket_list_delimiter_prefix.
const cephKeys = ['asdf', 'boo/bar', 'boo/baz/xyzzy', 'cquux/thud', 'cquux/bla']

for (const [query, names, isTruncated, last] of [
  [{ maxKeys: 1 }, ['asdf'], true, 'asdf'],
  [{ maxKeys: 1, after: 'asdf' }, ['boo/'], true, 'boo/'],
  [{ maxKeys: 1, after: 'boo/' }, ['cquux/'], false, 'cquux/'],
  [{ maxKeys: 2 }, ['asdf', 'boo/'], true, 'boo/'],
  [{ maxKeys: 2, after: 'boo/' }, ['cquux/'], false, 'cquux/'],
  [{ prefix: 'boo/', maxKeys: 1 }, ['boo/bar'], true, 'boo/bar'],
  [{ prefix: 'boo/', maxKeys: 1, after: 'boo/bar' }, ['boo/baz/'], false, 'boo/baz/'],
] as const) {
  test(`readPage with delimiter / and ${JSON.stringify(query)} ends at ${last}`, async () => {
    const page = await read(cephKeys, { delimiter: '/', ...query })
    assert.deepEqual(namesOf(page), names)
    assert.deepEqual([page.isTruncated, page.last], [isTruncated, last])
  })
}

test('readPage lists a common prefix again when it starts inside it', async () => {
  assert.deepEqual(namesOf(await read(cephKeys, { delimiter: '/', after: 'boo/bar' })), [
    'boo/',
    'cquux/',
  ])
  assert.deepEqual(namesOf(await read(cephKeys, { delimiter: 'oo/', after: 'boo/bar' })), [
    'boo/',
    'cquux/bla',
    'cquux/thud',
  ])
})

test('readPage seeks over a common prefix instead of reading it', async () => {
  const keys = ['a', 'c'].flatMap((letter) =>
    Array.from({ length: 5000 }, (_, index) => `${letter}-${String(index).padStart(6, '0')}`),
  )
  const query = { ...everything, delimiter: '-' }
  const cursor = cursorOf(keys, query)
  const page = await readPage(cursor, query)
  assert.deepEqual(page.commonPrefixes, ['a-', 'c-'])
  assert.ok(cursor.entriesRead < 100, `read ${cursor.entriesRead} of ${keys.length} entries`)
})

const encodeUrl = keyEncoding(new Map([['encoding-type', 'url']]))

for (const [key, encoded] of [
  ['test_file(3).png', 'test_file%283%29.png'],
  ['photos/2006/a.jpg', 'photos/2006/a.jpg'],
  ['a b+c', 'a%20b%2Bc'],
  ['100%', '100%25'],
  ["!'()~*", '%21%27%28%29%7E*'],
  ['gr\u00fcn', 'gr%C3%BCn'],
  ['\u0001\n', '%01%0A'],
  ['a%2Fb', 'a%252Fb'],
] as const) {
  test(`encoding-type=url writes ${JSON.stringify(key)} as ${encoded}`, () => {
    assert.equal(encodeUrl(key), encoded)
  })
}

test('decoders of both kinds reverse encoding-type=url', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const encoded = encodeUrl(key)
      assert.equal(decodeURIComponent(encoded), key)
      assert.equal(decodeURIComponent(encoded.replaceAll('+', ' ')), key)
    }),
  )
})

test('keys are unchanged without an encoding-type, and any but url is refused', () => {
  assert.equal(keyEncoding(new Map())('a b'), 'a b')
  assert.throws(
    () => keyEncoding(new Map([['encoding-type', 'base64']])),
    isS3Error('InvalidArgument', { ArgumentName: 'encoding-type' }),
  )
})

test('a continuation token decodes to its key, for any key', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (key) => {
      const token = encodeContinuationToken(key)
      assert.match(token, /^[A-Za-z0-9_-]+$/)
      assert.equal(decodeContinuationToken(token), key)
    }),
  )
})

const encode = (text: string) => Buffer.from(text).toString('base64url')

for (const token of [
  'nonsense',
  'a b',
  '%%%',
  `${encodeContinuationToken('a')}=`,
  encode('a'),
  encode('{}'),
  encode('[2,"a"]'),
  encode('[1,2]'),
  encode('[1]'),
  encode('null'),
]) {
  test(`a continuation token ${token} from elsewhere is InvalidArgument`, () => {
    assert.throws(
      () => decodeContinuationToken(token),
      isS3Error('InvalidArgument', { ArgumentName: 'continuation-token' }),
    )
  })
}
