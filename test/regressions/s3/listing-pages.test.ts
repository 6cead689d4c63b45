import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPage } from '../../../src/storage/s3/listing.ts'
import { openDriveOn } from './store-under-test.ts'

test('a key before the prefix does not end a listing', async (t) => {
  const drive = await openDriveOn(t, (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://store')
    const prefix = searchParams.get('prefix') ?? ''
    const keys = ['alpha/a', 'alpha/b/1', 'alpha/b/2']
    // As Garage, which begins there and stops at the first key that does not begin with the prefix.
    const after = keys.filter((key) => key > (searchParams.get('start-after') ?? ''))
    const from = searchParams.has('start-after') ? 0 : after.findIndex((key) => key >= prefix)
    const page = after.slice(from)
    const end = page.findIndex((key) => !key.startsWith(prefix))
    const entries = page
      .slice(0, end < 0 ? undefined : end)
      .map((key) => `<Contents><Key>${key}</Key></Contents>`)
    response.end(`<ListBucketResult>${entries.join('')}</ListBucketResult>`)
  })
  const listed = await drive.list('alpha', { prefix: 'b/', after: 'Z' }).next(10)
  assert.deepEqual(
    listed.map(({ key }) => key),
    ['b/1', 'b/2'],
  )
})

test('a page of one key is not the last one', async (t) => {
  const drive = await openDriveOn(t, (request, response) => {
    const most = Number(new URL(request.url ?? '', 'http://store').searchParams.get('max-keys'))
    // As MinIO, whose page of one key ends the listing if the prefix is that key.
    const entries = ['a', 'a-']
      .slice(0, most)
      .map((key) => `<Contents><Key>alpha/${key}</Key></Contents>`)
    response.end(
      `<ListBucketResult>${entries.join('')}<IsTruncated>false</IsTruncated></ListBucketResult>`,
    )
  })
  const cursor = drive.list('alpha', { prefix: 'a', after: '' })
  const pages = [await cursor.next(1), await cursor.next(1), await cursor.next(1)]
  assert.deepEqual(
    pages.map((page) => page.map(({ key }) => key)),
    [['a'], ['a-'], []],
  )
})

test('a full page is one request to the store', async (t) => {
  let requests = 0
  const drive = await openDriveOn(t, (request, response) => {
    const asked = new URL(request.url ?? '', 'http://store').searchParams
    if (asked.get('prefix') === 'alpha/') requests += 1
    const entries = Array.from({ length: Number(asked.get('max-keys')) }, (_, index) => {
      return `<Contents><Key>alpha/${1000 + index}</Key></Contents>`
    })
    response.end(
      `<ListBucketResult>${entries.join('')}<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken></ListBucketResult>`,
    )
  })
  const cursor = drive.list('alpha', { prefix: '', after: '' })
  const asked = { prefix: '', delimiter: '', after: '', maxKeys: 1000 }
  const { objects, isTruncated, last } = await readPage(cursor, asked)
  assert.deepEqual([requests, objects.length, isTruncated, last], [1, 1000, true, '1999'])
})

/** As MinIO: after a key in a folder, objects whose names begin like the folder's count for the page. Its tokens are right. */
function pageOfMinio(keys: readonly string[], asked: URLSearchParams): string {
  const [prefix, after] = [asked.get('prefix') ?? '', asked.get('start-after') ?? '']
  const from = asked.get('continuation-token') ?? after
  const most = Number(asked.get('max-keys') ?? 1000)
  const slash = after.indexOf('/', prefix.length)
  const doesCount = (key: string) =>
    key > from || (slash > 0 && key.startsWith(after.slice(0, slash)))
  const counted = keys.filter((key) => key.startsWith(prefix) && doesCount(key)).slice(0, most)
  const listed = counted.filter((key) => key > from)
  const last = listed.at(-1) ?? ''
  const isTruncated = listed.length === most && keys.some((key) => key > last)
  const entries = listed.map((key) => `<Contents><Key>${key}</Key></Contents>`).join('')
  const token = isTruncated ? `<NextContinuationToken>${last}</NextContinuationToken>` : ''
  return `<ListBucketResult>${entries}<IsTruncated>${isTruncated}</IsTruncated>${token}</ListBucketResult>`
}

test('a listing goes on after a key in a folder on a store that leaves out others', async (t) => {
  const beside = Array.from({ length: 12 }, (_, index) => `d-${100 + index}`)
  const inside = Array.from({ length: 9 }, (_, index) => `d/e/${index}`)
  const names = [...beside, 'd/a', ...inside, 'd/e0', 'd/e1', 'd/f', 'd0', 'd1', 'e/1']
  const probed = new Set<string>()
  const drive = await openDriveOn(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store')
    const key = decodeURIComponent(pathname.slice('/bucket/'.length))
    if (request.method === 'PUT' && /(list|folder)\//.test(key)) probed.add(key)
    request.resume()
    const keys = [...probed, ...names.map((name) => `alpha/${name}`)].sort()
    response.setHeader('etag', '"00000000000000000000000000000000"')
    response.end(pageOfMinio(keys, searchParams))
  })
  for (const after of names) {
    const cursor = drive.list('alpha', { prefix: '', after })
    const listed: string[] = []
    for (;;) {
      const page = await cursor.next(3)
      if (page.length === 0) break
      listed.push(...page.map(({ key }) => key))
    }
    assert.deepEqual(
      listed,
      names.filter((name) => name > after),
      after,
    )
  }
  const cursor = drive.list('alpha', { prefix: '', after: 'd-1', delimiter: '/' })
  await cursor.next(1)
  cursor.seek('d/e0')
  assert.deepEqual(
    (await cursor.next(1)).map(({ key }) => key),
    ['d0'],
  )
  const folders = drive.list('alpha', { prefix: '', after: 'd/e/8', delimiter: '/' })
  assert.deepEqual(
    (await folders.next(1)).map(({ key }) => key),
    ['d/'],
  )
})
