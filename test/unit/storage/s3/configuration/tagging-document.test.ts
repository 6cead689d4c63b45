import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  objectTagLimits,
  parseTagging,
  parseTaggingHeader,
  taggingContent,
} from '../../../../../src/storage/s3/configuration/tagging-document.ts'
import { S3Error } from '../../../../../src/storage/s3/errors.ts'
import { xmlDocument } from '../../../../../src/storage/s3/reply/xml.ts'

const tagOf = (key: string, value: string) => `<Tag><Key>${key}</Key><Value>${value}</Value></Tag>`
const documentOf = (...tags: string[]) => `<Tagging><TagSet>${tags.join('')}</TagSet></Tagging>`
const parse = (text: string) => parseTagging(Buffer.from(text), objectTagLimits)

function refusal(code: string, message = /./) {
  return (error: unknown) => {
    assert.ok(error instanceof S3Error)
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  }
}

test('reads what it has written, sorted by key', () => {
  const tags = { z: '', 'a b': '+-=._:/@ é', __proto__: 'x', 数: '数' }
  const own = Object.fromEntries([...Object.entries(tags), ['__proto__', 'x']])
  const text = xmlDocument('Tagging', taggingContent(own))
  assert.deepEqual(parse(text), own)
  assert.match(text, /__proto__.*a b.*z.*数/)
  assert.deepEqual(parse(documentOf()), {})
})

test('limits are those of S3, in units of UTF-16', () => {
  const long = documentOf(tagOf('k'.repeat(128), '𝒳'.repeat(128)))
  assert.equal(Object.values(parse(long))[0]?.length, 256)
  const refused: [string, RegExp][] = [
    [documentOf(tagOf('k'.repeat(129), '')), /TagKey/],
    [documentOf(tagOf('', 'v')), /TagKey/],
    [documentOf(tagOf('k', 'v'.repeat(257))), /TagValue/],
    [documentOf(tagOf('k', '𝒳'.repeat(129))), /TagValue/],
    [documentOf(tagOf('k', 'a;b')), /TagValue/],
    [documentOf(tagOf('k', 'a&#9;b')), /TagValue/],
    [documentOf(tagOf('k&amp;', '')), /TagKey/],
    [documentOf(tagOf('k', '1'), tagOf('k', '2')), /same key/],
    [documentOf(tagOf('aws:k', '1')), /aws:/],
    [documentOf(tagOf('AWS:k', '1')), /aws:/],
  ]
  for (const [text, message] of refused) {
    assert.throws(() => parse(text), refusal('InvalidTag', message), text)
  }
})

test('the number of tags counts after each of them', () => {
  const tags = Array.from({ length: 11 }, (_, index) => tagOf(`k${index}`, ''))
  assert.equal(Object.keys(parse(documentOf(...tags.slice(1)))).length, 10)
  assert.throws(() => parse(documentOf(...tags)), refusal('BadRequest', /greater than 10/))
  assert.throws(() => parse(documentOf(...tags, tagOf('', ''))), refusal('InvalidTag'))
})

test('refuses what is no Tagging document', () => {
  const documents = [
    ...['', '<Tagging>', '<Tagging/>', '<TagSet/>', '<Tagging><TagSet/><TagSet/></Tagging>'],
    ...['<Tagging><TagSet/><Other/></Tagging>', documentOf('<Tag><Key>k</Key></Tag>')],
    ...[documentOf('<Tag><Value>k</Value></Tag>'), documentOf('<Other/>')],
    documentOf('<Tag><Key>a</Key><Key>b</Key><Value/></Tag>'),
  ]
  for (const text of documents) assert.throws(() => parse(text), refusal('MalformedXML'), text)
})

test('reads the header field as the query of a URL', () => {
  assert.deepEqual(parseTaggingHeader('foo=bar&bar'), { foo: 'bar', bar: '' })
  assert.deepEqual(parseTaggingHeader('a+b=c%20d%2B&%C3%A9=x%3Dy=z'), { 'a b': 'c d+', é: 'x=y=z' })
  assert.deepEqual(parseTaggingHeader(''), {})
  for (const value of ['a=1&a=2', 'a=%', 'a=%FF', 'a=%zz&b=1']) {
    assert.throws(() => parseTaggingHeader(value), refusal('InvalidArgument', /x-amz-tagging/))
  }
  for (const value of ['=v', 'a=%00', 'aws%3Ax=1', `${'k'.repeat(129)}=v`]) {
    assert.throws(() => parseTaggingHeader(value), refusal('InvalidTag'), value)
  }
  const many = Array.from({ length: 11 }, (_, index) => `k${index}=v`).join('&')
  assert.throws(() => parseTaggingHeader(many), refusal('BadRequest'))
})
