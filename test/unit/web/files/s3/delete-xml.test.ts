import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { childText, parseXmlBody } from '../../../../../src/storage/s3/body/xml-body.ts'
import {
  canStandInXml,
  deleteBody,
  readDeleteFailures,
} from '../../../../../web/src/files/s3/delete-xml.ts'
import { xmlTree } from '../../../../support/xml-tree.ts'

/** The objects that the gateway reads from the body. */
function readBack(body: string) {
  const document = parseXmlBody(Buffer.from(body), 'Delete')
  return document.children
    .filter(({ name }) => name === 'Object')
    .map((object) => ({ key: childText(object, 'Key'), etag: childText(object, 'ETag') }))
}

describe('deleteBody', () => {
  test('is read back by the gateway for every key that XML can represent', () => {
    const anyKey = fc.string({ minLength: 1, unit: 'binary' }).filter(canStandInXml)
    fc.assert(
      fc.property(fc.array(anyKey, { minLength: 1 }), (keys) => {
        const body = deleteBody(keys.map((key) => ({ key, etag: '"<e&>' })))
        assert.deepEqual(
          readBack(body),
          keys.map((key) => ({ key, etag: '"<e&>' })),
        )
      }),
    )
  })

  test('contains no condition without an ETag', () => {
    assert.deepEqual(readBack(deleteBody([{ key: 'a' }])), [{ key: 'a', etag: undefined }])
  })
})

test('canStandInXml rejects characters that XML cannot represent', () => {
  for (const key of ['a\u0000', '\u0001', '\u001f', '\ufffe', '\ud800']) {
    assert.equal(canStandInXml(key), false, JSON.stringify(key))
  }
  for (const key of ['a\tb\r\nc', 'é', '😀', '\u007f']) assert.equal(canStandInXml(key), true)
})

test('readDeleteFailures returns the objects that were not deleted', () => {
  const xml =
    '<DeleteResult><Deleted><Key>a</Key></Deleted><Error><Key>b</Key><Code>PreconditionFailed</Code><Message>no</Message></Error></DeleteResult>'
  const expected = [{ key: 'b', code: 'PreconditionFailed', message: 'no' }]
  assert.deepEqual(readDeleteFailures(xmlTree(xml)), expected)
})

test('deleteBody names the version', () => {
  const document = parseXmlBody(Buffer.from(deleteBody([{ key: 'a', versionId: '1&2' }])), 'Delete')
  const [object] = document.children.filter(({ name }) => name === 'Object')
  assert.ok(object !== undefined)
  assert.equal(childText(object, 'VersionId'), '1&2')
})
