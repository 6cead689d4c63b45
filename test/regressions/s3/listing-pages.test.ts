import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPage } from '../../../src/s3/listing/list-page.ts'
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
