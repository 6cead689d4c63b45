import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relatedBody } from '../../../../../../src/storage/drives/google/api/transfer-calls.ts'

test('relatedBody keeps binary bytes and non-ASCII metadata', () => {
  const bytes = Buffer.from([0xff, 0x00, 0x0d, 0x0a, 0xfe])
  const { contentType, body } = relatedBody(
    { name: 'Übung' },
    { bytes, mimeType: 'image/png', boundary: 'b-1' },
  )
  assert.equal(contentType, 'multipart/related; boundary=b-1')
  const head =
    '--b-1\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n{"name":"Übung"}\r\n' +
    '--b-1\r\nContent-Type: image/png\r\n\r\n'
  assert.deepEqual(
    Buffer.from(body),
    Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b-1--\r\n')]),
  )
})

test('relatedBody does not let a MIME type start another header', () => {
  const { body } = relatedBody(
    {},
    { bytes: Buffer.alloc(0), mimeType: 'text/plain\r\nX-Evil: 1\r\n\r\nmore', boundary: 'b' },
  )
  assert.match(Buffer.from(body).toString(), /\r\nContent-Type: text\/plainX-Evil: 1more\r\n\r\n/)
})
