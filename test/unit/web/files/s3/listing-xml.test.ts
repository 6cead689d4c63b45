import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readListing } from '../../../../../web/src/files/s3/listing-xml.ts'
import { readFailure, S3Failure } from '../../../../../web/src/files/s3/s3-failure.ts'
import { xmlTree } from '../../../../support/xml-tree.ts'

const page = `<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>b</Name><Prefix>a/</Prefix><KeyCount>4</KeyCount><IsTruncated>true</IsTruncated>
  <NextContinuationToken>to/ke+n</NextContinuationToken>
  <Contents><Key>a/</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;m&quot;</ETag><Size>0</Size></Contents>
  <Contents><Key>a/b%20c%2B%25%C3%A9+d.txt</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>&quot;abc&quot;</ETag><Size>12</Size></Contents>
  <CommonPrefixes><Prefix>a/%0Ax/</Prefix></CommonPrefixes>
  <CommonPrefixes><Prefix>a//</Prefix></CommonPrefixes>
</ListBucketResult>`

describe('readListing', () => {
  const listing = readListing(xmlTree(page), 'a/')

  test('returns folders and files with decoded names, without the marker of the folder', () => {
    assert.deepEqual(listing.entries, [
      { kind: 'folder', key: 'a/\nx/', name: '\nx' },
      { kind: 'folder', key: 'a//', name: '' },
      {
        kind: 'file',
        key: 'a/b c+%é d.txt',
        name: 'b c+%é d.txt',
        size: 12,
        modifiedAtMs: Date.UTC(2026, 0, 2, 3, 4, 5),
        etag: 'abc',
      },
    ])
  })

  test('returns every key, including the marker', () => {
    assert.deepEqual(listing.keys, ['a/', 'a/b c+%é d.txt'])
  })

  test('returns the token unchanged', () => {
    assert.equal(listing.continuationToken, 'to/ke+n')
  })

  test('returns no token on the last page', () => {
    const last = xmlTree('<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>')
    const empty = { entries: [], keys: [], continuationToken: undefined }
    assert.deepEqual(readListing(last, ''), empty)
  })

  test('throws for any other document', () => {
    assert.throws(() => readListing(xmlTree('<html/>'), ''), TypeError)
  })
})

describe('readFailure', () => {
  test('takes code and message from the document', () => {
    const xml = '<Error><Code>NoSuchKey</Code><Message>It is gone.</Message></Error>'
    const failure = readFailure(xmlTree(xml), 404)
    assert.ok(failure instanceof S3Failure)
    assert.deepEqual(
      [failure.status, failure.code, failure.message],
      [404, 'NoSuchKey', 'It is gone.'],
    )
  })

  test('names the status if the response has no document', () => {
    assert.match(readFailure(undefined, 502).message, /502/)
    assert.equal(readFailure(xmlTree('<html/>'), 502).code, '')
  })
})
