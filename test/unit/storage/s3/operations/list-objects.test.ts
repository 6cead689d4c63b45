import assert from 'node:assert/strict'
import { test } from 'node:test'
import { XMLParser } from 'fast-xml-parser'
import type { BucketContext, Operation } from '../../../../../src/storage/s3/context.ts'
import {
  listObjects,
  listObjectsV2,
} from '../../../../../src/storage/s3/operations/list-objects.ts'
import { bodyOf, contextOf, FakeDrive, fakeObject } from '../read-fixture.ts'

const parser = new XMLParser({
  parseTagValue: false,
  trimValues: false,
  isArray: (name) => name === 'Contents' || name === 'CommonPrefixes',
})

async function list(operation: Operation<BucketContext>, keys: readonly string[], query = '') {
  const drive = new FakeDrive(Object.fromEntries(keys.map((key) => [key, fakeObject(key)])))
  const reply = await operation(contextOf(drive, { query }))
  assert.equal(reply.status, 200)
  const { ListBucketResult } = parser.parse(await bodyOf(reply))
  return ListBucketResult as Record<string, unknown>
}

const object = (key: string) => ({
  Key: key,
  LastModified: '2025-01-01T12:00:00.000Z',
  ETag: '&quot;abc&quot;'.replaceAll('&quot;', '"'),
  Size: String(Buffer.byteLength(key)),
  StorageClass: 'STANDARD',
})

test('ListObjectsV2 returns the documented elements, without the owner', async () => {
  assert.deepEqual(await list(listObjectsV2, ['a', 'b/c'], 'list-type=2&delimiter=/'), {
    Name: 'b',
    Prefix: '',
    KeyCount: '2',
    MaxKeys: '1000',
    Delimiter: '/',
    IsTruncated: 'false',
    Contents: [object('a')],
    CommonPrefixes: [{ Prefix: 'b/' }],
  })
})

test('ListObjectsV2 continues after its token, past deleted keys, whatever start-after is', async () => {
  const first = await list(listObjectsV2, ['a', 'b', 'c'], 'max-keys=2&start-after=A')
  assert.equal(first.StartAfter, 'A')
  const token = String(first.NextContinuationToken)
  const second = await list(
    listObjectsV2,
    ['a', 'c'],
    `max-keys=2&start-after=A&continuation-token=${token}`,
  )
  assert.equal(second.ContinuationToken, token)
  assert.deepEqual(second.Contents, [object('c')])
  assert.equal(second.NextContinuationToken, undefined)
})

test('ListObjects escapes keys for XML', async () => {
  const drive = new FakeDrive({ '<&>"\n': fakeObject('') })
  const body = await bodyOf(await listObjects(contextOf(drive)))
  assert.ok(body.includes('<Key>&lt;&amp;&gt;"&#xA;</Key>'), body)
})
