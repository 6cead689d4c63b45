import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type GatewayInProcess, startGatewayInProcess } from '../../support/gateway-in-process.ts'
import { testBucket } from '../../support/gateway-process.ts'
import { testInBothModes } from '../../support/in-both-modes.ts'
import { dashboardPassword, ManagementClient } from '../../support/management-client.ts'
import { beginUpload } from '../../support/open-upload.ts'
import { exchange, type Xml } from '../../support/wire-case.ts'

const target = `/${testBucket}?uploads`
const begin = (gateway: GatewayInProcess, key: string) =>
  beginUpload(gateway, `/${testBucket}/${key}`)

testInBothModes({
  contract: async (gateway) => {
    await begin(gateway, 'k')
    return [
      {
        title: 'ListMultipartUploads is empty while an upload is open',
        ...{ method: 'GET', target, status: 200 },
        xml: { ListMultipartUploadsResult: { IsTruncated: 'false', Upload: undefined } },
      },
    ]
  },
  aws: async (gateway) => {
    const UploadId = await begin(gateway, 'k')
    return [
      {
        title: 'ListMultipartUploads has the open upload',
        ...{ method: 'GET', target, status: 200 },
        xml: {
          ListMultipartUploadsResult: {
            Upload: { Key: 'k', UploadId, StorageClass: 'STANDARD' },
          },
        },
      },
    ]
  },
})

/** Of a page: the IDs of uploads, the common prefixes, and the query of the next page. */
async function pageOf(gateway: GatewayInProcess, query: string) {
  const { xml, text } = await exchange(gateway, { method: 'GET', target: `${target}&${query}` })
  const result = xml.ListMultipartUploadsResult as Readonly<Record<string, Xml[string]>>
  assert.ok(result, text)
  const of = (element: string, name: string) =>
    [result[element] ?? []].flat().map((one) => (one as Record<string, string>)[name] ?? '')
  return {
    ids: of('Upload', 'UploadId'),
    keys: of('Upload', 'Key'),
    prefixes: of('CommonPrefixes', 'Prefix'),
    next:
      result.IsTruncated === 'true'
        ? `key-marker=${result.EncodingType === 'url' ? result.NextKeyMarker : encodeURIComponent(String(result.NextKeyMarker))}&upload-id-marker=${result.NextUploadIdMarker}`
        : undefined,
  }
}

async function allPages(gateway: GatewayInProcess, query: string) {
  const pages = []
  let marker: string | undefined = ''
  while (marker !== undefined) {
    const page = await pageOf(gateway, `${query}&${marker}`)
    pages.push(page)
    marker = page.next
  }
  return pages
}

test('pages have every upload once, in the order of keys, whatever their size', async (t) => {
  const gateway = await startGatewayInProcess(t, { COMPATIBILITY: 'aws' })
  // In UTF-8 order; U+FF21 is before U+1F600, whose UTF-16 units are smaller.
  const keys = [
    'a',
    'a%00',
    'a%20b',
    'a/b',
    'a/b',
    'a/b',
    'aa',
    'b%22',
    'b/c/d',
    'b/e',
    '%EF%BC%A1',
    '%F0%9F%98%80',
  ]
  const ids = new Map<string, string[]>()
  for (const key of keys.toReversed()) {
    ids.set(key, [...(ids.get(key) ?? []), await begin(gateway, key)])
  }
  const inOrder = [...new Set(keys)].flatMap((key) => (ids.get(key) ?? []).sort())
  for (const size of [1, 2, 5, 1000]) {
    const pages = await allPages(gateway, `max-uploads=${size}&encoding-type=url`)
    assert.deepEqual(
      pages.flatMap((page) => page.ids),
      inOrder,
    )
    assert.ok(pages.slice(0, -1).every((page) => page.ids.length === size))
  }
  const rolledUp = await allPages(gateway, 'max-uploads=1&delimiter=/&encoding-type=url')
  assert.deepEqual(
    rolledUp.flatMap((page) => [...page.prefixes, ...page.keys]),
    ['a', 'a%00', 'a%20b', 'a/', 'aa', 'b%22', 'b/', '%EF%BC%A1', '%F0%9F%98%80'],
  )
  const below = await pageOf(gateway, 'prefix=b/&delimiter=/')
  assert.deepEqual([below.keys, below.prefixes], [['b/e'], ['b/c/']])
  const afterKey = await pageOf(gateway, 'key-marker=a/b')
  assert.deepEqual(afterKey.ids, inOrder.slice(6))
  const [, second = ''] = (ids.get('a/b') ?? []).sort()
  const afterId = await pageOf(gateway, `key-marker=a/b&upload-id-marker=${second}`)
  assert.deepEqual(afterId.ids, inOrder.slice(5))
})

test('only who may list a key learns of its uploads', async (t) => {
  const gateway = await startGatewayInProcess(t, {
    COMPATIBILITY: 'aws',
    PUBLIC_READ_BUCKETS: testBucket,
    DASHBOARD_PASSWORD: dashboardPassword,
  })
  const id = await begin(gateway, 'a/k')
  await begin(gateway, 'b/k')
  const unsigned = await exchange(gateway, { method: 'GET', target, isUnsigned: true })
  assert.equal(unsigned.status, 200)
  assert.equal((unsigned.xml.ListMultipartUploadsResult as Xml).Upload, undefined)
  const management = await ManagementClient.signIn(gateway.url)
  const grants = [{ bucket: testBucket, prefix: 'a/', actions: ['list'] }]
  const { key, secretKey } = await management.done('POST', '/keys', { name: 'lister', grants })
  const credentials = { ...gateway.credentials, accessKey: key.accessKeyId, secretKey }
  const lister = { ...gateway, credentials }
  assert.deepEqual((await pageOf(lister, 'delimiter=/')).ids, [])
  assert.deepEqual((await pageOf(lister, 'prefix=b/')).ids, [])
  assert.deepEqual((await pageOf(lister, 'prefix=a/')).ids, [id])
})
