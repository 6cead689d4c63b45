import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { XMLParser } from 'fast-xml-parser'
import { escapeXml, xmlDocument } from '../../../../../src/storage/s3/reply/xml.ts'

test('xmlDocument writes elements in order, repeats arrays and omits undefined values', () => {
  const xml = xmlDocument('List', {
    Name: 'b',
    Empty: '',
    Absent: undefined,
    Item: [{ A: 1 }, { A: 2 }],
  })
  assert.equal(
    xml,
    '<?xml version="1.0" encoding="UTF-8"?>\n<List xmlns="http://s3.amazonaws.com/doc/2006-03-01/">' +
      '<Name>b</Name><Empty></Empty><Item><A>1</A></Item><Item><A>2</A></Item></List>',
  )
})

test('escapeXml escapes everything that a parser would read as markup or drop', () => {
  assert.equal(escapeXml(`<a b="c" d='e'>&\r\n\t`), `&lt;a b="c" d='e'&gt;&amp;&#xD;&#xA;&#x9;`)
  assert.equal(escapeXml(']]>'), ']]&gt;')
  assert.equal(escapeXml('\u0000\u001f\ufffe'), '&#x0;&#x1F;&#xFFFE;')
  assert.equal(escapeXml('\ud800 😀 \udc00'), '&#xD800; 😀 &#xDC00;')
})

test('a parser reverses escapeXml for every text that XML 1.0 can contain', () => {
  const parser = new XMLParser({
    htmlEntities: true,
    trimValues: false,
    parseTagValue: false,
    processEntities: { maxTotalExpansions: 1e6, maxExpandedLength: 1e7 },
  })
  const legal = fc.string({ unit: 'grapheme', maxLength: 60 })
  fc.assert(
    fc.property(legal, (text) => {
      assert.equal(String(parser.parse(`<a>${escapeXml(text)}</a>`).a), text)
    }),
  )
})

test('escapeXml writes only characters that XML 1.0 allows', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      assert.doesNotMatch(
        escapeXml(text),
        /[\u0000-\u001f<>\ufffe\uffff]|&(?![a-z]+;|#x[0-9A-F]+;)/,
      )
    }),
  )
})
