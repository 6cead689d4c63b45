import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { storeAbilities } from '../support/chosen-drive.ts'
import { publicBucket, useContractGateway } from '../support/contract-gateway.ts'
import { testBucket } from '../support/gateway-process.ts'
import { md5Of } from '../support/test-bytes.ts'
import { answer, itAnswers, type WireCase } from '../support/wire-case.ts'

const text = 'ten bytes.'
const etag = `"${md5Of(Buffer.from(text))}"`
const target = `/${testBucket}/object`
const httpDate = /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/
/** Headers of GET and HEAD (docs/contract/object-storage.md, "Object operations"). */
const facts = {
  etag,
  'last-modified': httpDate,
  'accept-ranges': 'bytes',
  'content-type': 'text/x-test',
}
const kept = {
  'content-type': 'text/x-test',
  'cache-control': 'max-age=60',
  'content-disposition': 'inline; filename="a.txt"',
  'content-encoding': 'x-none',
  'content-language': 'de',
  expires: 'Thu, 01 Dec 2044 16:00:00 GMT',
  'x-amz-meta-colour': 'blue',
}

/**
 * docs/contract/object-storage.md, "Object operations", "Stored headers" and
 * "Unsupported sub-resources".
 */
describe('objects', () => {
  const gateway = useContractGateway()
  before(async () => {
    await answer(gateway(), {
      ...{ title: '', method: 'PUT', target, body: text, status: 200 },
      headers: kept,
      fields: { etag, 'content-length': '0' },
    })
  })

  itAnswers(gateway, [
    {
      title: 'GetObject is 200 with every byte and the stored headers',
      ...{ method: 'GET', target, status: 200, text },
      fields: {
        ...{ ...facts, ...kept, 'content-length': '10', 'content-range': undefined },
        'x-content-type-options': 'nosniff',
        'content-security-policy': /^sandbox;/,
      },
    },
    {
      title: 'HeadObject is 200 with the same header and no body',
      ...{ method: 'HEAD', target, status: 200 },
      fields: { ...facts, ...kept, 'content-length': '10' },
    },
    ...['GET', 'HEAD'].flatMap((method) => [
      range(method, 'bytes=0-2', 'bytes 0-2/10', 'ten'),
      range(method, 'bytes=4-', 'bytes 4-9/10', 'bytes.'),
      range(method, 'bytes=-6', 'bytes 4-9/10', 'bytes.'),
      range(method, 'bytes=4-900', 'bytes 4-9/10', 'bytes.'),
      range(method, 'bytes=-900', 'bytes 0-9/10', text),
      range(method, 'bytes=0-1,4-5', undefined, text),
      range(method, 'bytes=5-2', undefined, text),
      range(method, 'lines=1-2', undefined, text),
    ]),
    ...['bytes=10-', 'bytes=10-12', 'bytes=-0'].map((field) => unsatisfiable(field)),
    {
      title: 'GetObject is 404 NoSuchKey',
      ...missing('GET'),
      code: 'NoSuchKey',
      error: { Key: 'none' },
    },
    { title: 'HeadObject is 404 without a body', ...missing('HEAD') },
    { title: 'DeleteObject is 404 NoSuchKey', ...missing('DELETE'), code: 'NoSuchKey' },
    ...['GET', 'PUT', 'DELETE', 'HEAD'].map((method) => ({
      ...{ title: `${method} in a bucket that is not served is 403`, method, status: 403 },
      ...{ target: '/other/object', ...(method !== 'HEAD' && { code: 'AccessDenied' }) },
    })),
    ...['GET', 'PUT', 'DELETE', 'HEAD'].map((method) => ({
      ...{ title: `${method} unsigned is 403`, method, target, status: 403, isUnsigned: true },
      ...(method !== 'HEAD' && { code: 'AccessDenied' }),
    })),
    {
      title: 'PutObject with a key over 1,024 bytes is 400 KeyTooLongError',
      ...{ method: 'PUT', target: `/${testBucket}/${'k'.repeat(1025)}`, body: 'x' },
      ...{ status: 400, code: 'KeyTooLongError', error: { MaxSizeAllowed: '1024' } },
    },
    {
      title: 'PutObject with over 2 KB of metadata is 400 MetadataTooLarge',
      ...{ method: 'PUT', target, body: 'x', headers: { 'x-amz-meta-long': 'm'.repeat(2049) } },
      ...{ status: 400, code: 'MetadataTooLarge' },
    },
    {
      title: 'GetObject with another version is 400 InvalidArgument',
      ...{ method: 'GET', target: `${target}?versionId=1`, status: 400, code: 'InvalidArgument' },
    },
    {
      title: 'GetObject with the version null is the object',
      ...{ method: 'GET', target: `${target}?versionId=null`, status: 200, text },
    },
  ])

  itAnswers(
    gateway,
    Object.entries({
      'x-amz-server-side-encryption': 'AES256',
      'x-amz-server-side-encryption-customer-algorithm': 'AES256',
      'x-amz-tagging': 'a=b',
      'x-amz-object-lock-mode': 'GOVERNANCE',
      'x-amz-acl': 'public-read',
      'x-amz-grant-read': 'id=1',
      'x-amz-storage-class': 'GLACIER',
      'x-amz-website-redirect-location': '/x',
    }).map(([name, value]) => ({
      title: `PutObject with ${name}: ${value} is 501 NotImplemented`,
      ...{ method: 'PUT', target, body: 'x', headers: { [name]: value } },
      ...{ status: 501, code: 'NotImplemented', error: { Header: name } },
    })),
  )

  const { controlKeys, folderTypes, namelessMetadata, pathKeys } = storeAbilities()
  it('PutObject and DeleteObject of an empty object, a folder marker and odd keys', async () => {
    const odd = `%E2%82%AC${controlKeys ? '%0A' : ''}`
    const paths = [...(folderTypes ? ['folder/'] : []), ...(pathKeys ? ['a//b', '%2Fx'] : [])]
    const escaped = ['empty', ...paths, '%20', 'a+b%2Bc', odd]
    for (const key of escaped) {
      const put = { title: '', method: 'PUT', target: `/${testBucket}/${key}`, status: 200 }
      await answer(gateway(), { ...put, fields: { etag: `"${md5Of(Buffer.alloc(0))}"` } })
      const head = { ...put, method: 'HEAD', fields: { 'content-length': '0' } }
      await answer(gateway(), { ...head, fields: { 'content-type': 'binary/octet-stream' } })
      const { text: body } = await answer(gateway(), { ...put, method: 'DELETE', status: 204 })
      assert.equal(body, '')
      await answer(gateway(), { ...put, method: 'DELETE', status: 404, code: 'NoSuchKey' })
    }
  })

  it('PutObject may request public-read in a public bucket', async () => {
    const put = { title: '', method: 'PUT', target: `/${publicBucket}/object`, status: 200 }
    await answer(gateway(), { ...put, body: 'x', headers: { 'x-amz-acl': 'public-read' } })
  })

  it('HeadObject sends metadata beyond ASCII in words of RFC 2047 and counts what has no name', async () => {
    const put = { title: '', method: 'PUT', target: `/${testBucket}/metadata`, status: 200 }
    const headers = {
      'x-amz-meta-utf8': Buffer.from('日本語').toString('latin1'),
      'x-amz-meta-latin1': 'caf\u00e9',
      'x-amz-meta-words': '=?UTF-8?Q?caf=C3=A9?=',
      ...(namelessMetadata && { 'x-amz-meta-': 'nameless' }),
    }
    await answer(gateway(), { ...put, body: 'x', headers })
    const fields = {
      'x-amz-meta-utf8': '=?UTF-8?B?5pel5pys6Kqe?=',
      'x-amz-meta-latin1': '=?UTF-8?B?Y2Fmw6k=?=',
      'x-amz-meta-words': '=?UTF-8?Q?caf=C3=A9?=',
      'x-amz-missing-meta': namelessMetadata ? '1' : undefined,
      'x-amz-meta-': undefined,
    }
    await answer(gateway(), { ...put, method: 'HEAD', fields })
    const copy = { ...put, target: `${put.target}-copy` }
    const source = { 'x-amz-copy-source': `${testBucket}/metadata` }
    await answer(gateway(), { ...copy, headers: source })
    await answer(gateway(), { ...copy, method: 'GET', fields, text: 'x' })
  })

  it('GetObject accepts response overrides in signed requests only', async () => {
    const put = { title: '', method: 'PUT', target: `/${publicBucket}/override`, status: 200 }
    await answer(gateway(), { ...put, body: 'x' })
    const query = 'response-cache-control=no-store&response-content-type=text%2Fplain'
    const get = { ...put, method: 'GET', target: `${put.target}?${query}` }
    const fields = { 'cache-control': 'no-store', 'content-type': 'text/plain' }
    await answer(gateway(), { ...get, fields })
    await answer(gateway(), { ...get, isUnsigned: true, status: 400, code: 'InvalidRequest' })
  })
})

function range(
  method: string,
  field: string,
  contentRange: string | undefined,
  bytes: string,
): WireCase {
  const status = contentRange === undefined ? 200 : 206
  return {
    title: `${method === 'GET' ? 'GetObject' : 'HeadObject'} with Range: ${field} is ${status}`,
    ...{ method, target, headers: { range: field }, status },
    ...(method === 'GET' && { text: bytes }),
    fields: { ...facts, 'content-length': String(bytes.length), 'content-range': contentRange },
  }
}

function unsatisfiable(field: string): WireCase {
  return {
    title: `GetObject with Range: ${field} is 416 InvalidRange`,
    ...{ method: 'GET', target, headers: { range: field }, status: 416, code: 'InvalidRange' },
    error: { RangeRequested: field, ActualObjectSize: '10' },
    fields: { 'content-range': 'bytes */10' },
  }
}

function missing(method: string) {
  return { method, target: `/${testBucket}/none`, status: 404 }
}
