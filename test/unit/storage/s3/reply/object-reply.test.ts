import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseQuery } from '../../../../../src/storage/s3/address/query.ts'
import type { ObjectContext } from '../../../../../src/storage/s3/context.ts'
import {
  contentSecurityPolicy,
  expiringObject,
  metadataFields,
  responseOverrides,
} from '../../../../../src/storage/s3/reply/object-reply.ts'
import { isS3Error } from '../read-fixture.ts'

test('contentSecurityPolicy sandboxes everything but a PDF', () => {
  for (const type of ['text/html', 'image/svg+xml', '', 'application/pdfx', 'x application/pdf']) {
    assert.match(contentSecurityPolicy(type), /^sandbox;/, type)
  }
  for (const type of ['application/pdf', 'Application/PDF; charset=x']) {
    assert.doesNotMatch(contentSecurityPolicy(type), /sandbox/, type)
  }
})

test('contentSecurityPolicy sandboxes types that begin like a PDF and that browsers read as another', () => {
  for (const rest of [';,text/html', '; a=b, text/html', ' ;a="b,text/html']) {
    assert.match(contentSecurityPolicy(`application/pdf${rest}`), /^sandbox;/, rest)
  }
})

test('contentSecurityPolicy never allows a script', () => {
  for (const type of ['text/html', 'application/pdf']) {
    assert.match(contentSecurityPolicy(type), /default-src 'none'/)
    assert.doesNotMatch(contentSecurityPolicy(type), /script|allow-/)
  }
})

test('responseOverrides maps the six parameters to header fields', () => {
  const query = parseQuery(
    'response-content-type=text%2Fplain&response-cache-control=a&response-content-disposition=b&response-content-encoding=c&response-content-language=d&response-expires=e&x-id=GetObject',
  )
  assert.deepEqual(responseOverrides(query, true), {
    'content-type': 'text/plain',
    'cache-control': 'a',
    'content-disposition': 'b',
    'content-encoding': 'c',
    'content-language': 'd',
    expires: 'e',
  })
})

test('responseOverrides is undefined when there are none', () => {
  assert.equal(responseOverrides(parseQuery('x-id=GetObject&response-expires='), false), undefined)
})

test('responseOverrides refuses unsigned requests', () => {
  assert.throws(
    () => responseOverrides(parseQuery('response-content-type=text/html'), false),
    isS3Error('InvalidRequest'),
  )
})

for (const value of ['a%0d%0aSet-Cookie:x', '%00', '%7f', '%E2%82%AC']) {
  test(`responseOverrides refuses ${value}, which no header field can carry`, () => {
    assert.throws(
      () => responseOverrides(parseQuery(`response-content-disposition=${value}`), true),
      isS3Error('InvalidArgument', { ArgumentName: 'response-content-disposition' }),
    )
  })
}

test('responseOverrides accepts latin1', () => {
  assert.deepEqual(responseOverrides(parseQuery('response-content-language=%C3%BC'), true), {
    'content-language': '\u00fc',
  })
})

const sent = (value: string): string => metadataFields({ a: value })[0]?.[1] ?? ''
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')

/** As a mail program reads it: RFC 2047 section 6.2. */
function decoded(field: string): string {
  return field
    .split(' ')
    .map((word) => {
      const [, base64 = ''] = /^=\?UTF-8\?B\?([A-Za-z0-9+/]+=*)\?=$/.exec(word) ?? assert.fail(word)
      return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
    })
    .join('')
}

test('metadataFields sends ASCII as it was stored, words that a client wrote among it', () => {
  for (const value of [
    '',
    'a  b',
    'a\tb',
    '=?UTF-8?Q?caf=C3=A9?=',
    '=?utf-8?b?w6k=?= =?UTF-8?B?!',
  ]) {
    assert.equal(sent(value), value)
  }
})

test('metadataFields sends UTF-8 and latin1 in words of RFC 2047', () => {
  assert.equal(sent(bytesOf('café')), '=?UTF-8?B?Y2Fmw6k=?=')
  assert.equal(sent('caf\u00e9'), '=?UTF-8?B?Y2Fmw6k=?=')
  assert.equal(sent(bytesOf('日本語')), '=?UTF-8?B?5pel5pys6Kqe?=')
})

test('metadataFields sends words of at most 75 characters, each with whole characters', () => {
  const text = fc
    .string({ unit: 'binary', maxLength: 120 })
    .filter((value) => /[^\0-\x7f]/.test(value))
  fc.assert(
    fc.property(text, (value) => {
      const field = sent(bytesOf(value))
      for (const word of field.split(' ')) assert.ok(word.length <= 75, word)
      assert.equal(decoded(field), value)
    }),
  )
})

test('metadataFields counts an empty name, which no header can have', () => {
  assert.deepEqual(metadataFields({ '': 'b', c: 'd' }), [
    ['x-amz-missing-meta', '1'],
    ['x-amz-meta-c', 'd'],
  ])
})

test('a request that names a version of a bucket with versions has no expiration', () => {
  const expires = (query: string, changes?: number[]) => {
    const lifecycle = [
      { ...{ id: 'r', prefix: '', prefixForm: 'filter', isEnabled: true }, days: 1 } as const,
    ]
    const versioning = changes && { versioning: { changes } }
    const configuration = { name: 'b', isPublic: false, lifecycle, ...versioning }
    const context = { configuration, key: 'k', query: parseQuery(query) }
    return expiringObject(context as unknown as ObjectContext) !== undefined
  }
  assert.deepEqual([expires(''), expires('versionId=null')], [true, true])
  assert.deepEqual([expires('', [1]), expires('versionId=null', [1])], [true, false])
})
