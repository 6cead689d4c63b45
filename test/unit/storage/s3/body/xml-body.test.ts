import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  childText,
  parseXmlBody,
  readSmallBody,
} from '../../../../../src/storage/s3/body/xml-body.ts'
import { xmlDocument } from '../../../../../src/storage/s3/reply/xml.ts'
import { fakeRequest } from '../fake-request.ts'
import { isS3Error } from '../read-fixture.ts'

const parse = (text: string, root = 'A') => parseXmlBody(Buffer.from(text), root)

test('parseXmlBody returns elements in order with their text', () => {
  const root = parse(
    '\uFEFF<?xml version="1.0" encoding="UTF-8"?>\n<!-- c --><?p i?><A xmlns="u" a="1"><b>1</b><c/><b> 2 </b></A>\n',
  )
  assert.deepEqual(root.children, [
    { name: 'b', children: [], text: '1' },
    { name: 'c', children: [], text: '' },
    { name: 'b', children: [], text: ' 2 ' },
  ])
})

test('parseXmlBody resolves predefined entities and character references once', () => {
  const { text } = parse('<A>&lt;&gt;&amp;amp;&quot;&apos;&#65;&#x1F600;&#xD;<![CDATA[&lt;]]></A>')
  assert.equal(text, '<>&amp;"\'A😀\r&lt;')
})

test('parseXmlBody drops namespace prefixes', () => {
  const root = parse('<s3:A xmlns:s3="u"><s3:b>1</s3:b></s3:A>')
  assert.equal(childText(root, 'b'), '1')
})

test('parseXmlBody reads back any text that xmlDocument wrote', () => {
  const legal = fc
    .string({ unit: 'binary' })
    .filter((text) => !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text))
  fc.assert(
    fc.property(fc.array(legal, { maxLength: 5 }), (texts) => {
      const root = parse(xmlDocument('A', { b: texts }))
      assert.deepEqual(
        root.children.map(({ text }) => text),
        texts,
      )
    }),
  )
})

const malformed: readonly (readonly [what: string, text: string])[] = [
  ['an empty body', ''],
  ['plain text', 'hello'],
  ['another root', '<B/>'],
  ['two roots', '<A/><A/>'],
  ['text after the root', '<A/>x'],
  ['an unclosed element', '<A><b>'],
  ['crossed elements', '<A><b></A></b>'],
  ['a document type', '<!DOCTYPE A><A/>'],
  ['an entity bomb', '<!DOCTYPE A [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><A>&b;</A>'],
  ['an unknown entity', '<A>&nbsp;</A>'],
  ['a bare ampersand', '<A>a & b</A>'],
  ['an invalid character reference', '<A>&#0;</A>'],
  ['a repeated attribute', '<A b="1" b="2"/>'],
  ['a raw control character', '<A>\u0001</A>'],
  ['17 levels', `${'<A>'.repeat(17)}${'</A>'.repeat(17)}`],
  ['a million levels', '<A>'.repeat(1_000_000)],
]

for (const [what, text] of malformed) {
  test(`parseXmlBody refuses ${what}`, () => {
    assert.throws(() => parse(text), isS3Error('MalformedXML'))
  })
}

test('parseXmlBody refuses bytes that are not UTF-8', () => {
  assert.throws(
    () => parseXmlBody(Buffer.from('<A>\xff</A>', 'latin1'), 'A'),
    isS3Error('MalformedXML'),
  )
})

test('parseXmlBody keeps its message short for any document', () => {
  try {
    parse(`<A><${'b'.repeat(100_000)}></A>`)
    assert.fail('expected an error')
  } catch (error) {
    assert.ok(error instanceof Error && error.message.length <= 200)
  }
})

test('parseXmlBody handles element names such as __proto__', () => {
  const root = parse('<A><__proto__>1</__proto__><constructor>2</constructor></A>')
  assert.equal(childText(root, '__proto__'), '1')
  assert.equal(childText(root, 'constructor'), '2')
  assert.equal(childText(root, 'toString'), undefined)
})

test('childText refuses a repeated element', () => {
  assert.throws(() => childText(parse('<A><b/><b/></A>'), 'b'), isS3Error('MalformedXML'))
})

function request(text: string, headers: Record<string, string> = {}) {
  return fakeRequest({ method: 'POST', headers, body: [Buffer.from(text)] })
}

test('readSmallBody returns the body, decoded', async () => {
  assert.equal(String(await readSmallBody(request('abc'), 3)), 'abc')
  const headers = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' }
  assert.equal(String(await readSmallBody(request('3\r\nabc\r\n0\r\n\r\n', headers), 3)), 'abc')
  assert.equal((await readSmallBody(fakeRequest({ method: 'POST' }), 3)).length, 0)
})

test('readSmallBody refuses a body that is too big, by its declared length before reading it', async () => {
  const tooBig = { code: 'MaxMessageLengthExceeded', status: 400 }
  await assert.rejects(readSmallBody(request('abcd'), 3), tooBig)
  const acceptBody = () => assert.fail('the body must not be asked for')
  const declared = fakeRequest({ headers: { 'content-length': '4' }, acceptBody })
  await assert.rejects(readSmallBody(declared, 3), tooBig)
})

test('readSmallBody verifies Content-MD5 and checksums', async () => {
  const bad = { code: 'BadDigest' }
  const md5 = { 'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==' }
  const crc = { 'x-amz-checksum-crc32': 'AAAAAA==' }
  await assert.rejects(readSmallBody(request('abc', md5), 9), bad)
  await assert.rejects(readSmallBody(request('abc', crc), 9), bad)
})

test('readSmallBody verifies the given digests instead of those in the headers', async () => {
  const crc = request('abc', { 'x-amz-checksum-crc32': 'AAAAAA==-2' })
  const none = { md5Hex: undefined, checksum: undefined }
  assert.equal(String(await readSmallBody(crc, 9, none)), 'abc')
  const wrong = { md5Hex: '0'.repeat(32), checksum: undefined }
  await assert.rejects(readSmallBody(request('abc'), 9, wrong), { code: 'BadDigest' })
})
