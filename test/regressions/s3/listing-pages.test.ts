import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openDriveOn } from './store-under-test.ts'

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
