import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxPictureBytes, pictureType } from '../../../../src/dashboard/thumbnails/picture-form.ts'
import { jpegBytes, webpBytes } from '../../../support/thumbnail-bytes.ts'

const animation = 0b10

test('takes WebP of each form and JPEG, up to 256 × 256 pixels', () => {
  for (const kind of ['VP8 ', 'VP8L', 'VP8X']) {
    assert.equal(pictureType(webpBytes(kind, 256, 256)), 'image/webp', kind)
    assert.equal(pictureType(webpBytes(kind, 1, 1)), 'image/webp', kind)
    assert.equal(pictureType(webpBytes(kind, 257, 1)), undefined, kind)
    assert.equal(pictureType(webpBytes(kind, 1, 257)), undefined, kind)
  }
  for (const frame of [0xffc0, 0xffc1, 0xffc2]) {
    assert.equal(pictureType(jpegBytes(256, 256, frame)), 'image/jpeg')
    assert.equal(pictureType(jpegBytes(257, 1, frame)), undefined)
    assert.equal(pictureType(jpegBytes(1, 257, frame)), undefined)
  }
})

test('takes nothing that is not whole, moves, has no pixels, or has something behind its end', () => {
  const webp = webpBytes('VP8X', 10, 10)
  const jpeg = jpegBytes(10, 10)
  const page = Buffer.from('<script>alert(1)</script>')
  const refused = [
    Buffer.alloc(0),
    Buffer.alloc(maxPictureBytes + 1),
    webp.subarray(0, -1),
    jpeg.subarray(0, -1),
    Buffer.concat([webp, page]),
    Buffer.concat([jpeg, page]),
    Buffer.concat([page, jpeg]),
    webpBytes('VP8X', 10, 10, animation),
    webpBytes('VP8 ', 0, 10),
    webpBytes('EXIF', 10, 10),
    jpegBytes(0, 10),
    jpegBytes(10, 10, 0xffc3),
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${page}</svg>`),
    Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(40)]),
    Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(40)]),
  ]
  for (const bytes of refused) assert.equal(pictureType(bytes), undefined, bytes.toString('latin1'))
})

test('ends with whatever lengths a JPEG claims', () => {
  for (const length of [0, 1, 2, 0xffff]) {
    const jpeg = jpegBytes(10, 10)
    jpeg.writeUInt16BE(length, 4)
    assert.equal(pictureType(jpeg), undefined)
  }
})

test('finds the bytes in a larger buffer', () => {
  const large = Buffer.concat([Buffer.alloc(7), webpBytes('VP8L', 3, 4), Buffer.alloc(7)])
  assert.equal(pictureType(large.subarray(7, -7)), 'image/webp')
})
