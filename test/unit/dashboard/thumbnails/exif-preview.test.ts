import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exifPreview } from '../../../../src/dashboard/thumbnails/exif-preview.ts'
import { jpegBytes, photoBytes, tiffBytes } from '../../../support/thumbnail-bytes.ts'

const preview = jpegBytes(160, 120)

test('the preview of a camera is found, in both byte orders', () => {
  for (const isLittle of [true, false]) {
    assert.deepEqual(exifPreview(photoBytes(preview, { isLittle })), preview)
  }
})

test('it is turned like the photo', () => {
  const turned = exifPreview(photoBytes(preview, { orientation: 6 }))
  assert.ok(turned)
  const exif = 'ffe100224578696600004d4d002a0000000800010112000300000001000600000000000000' + '00'
  assert.equal(turned.toString('hex', 2, 38), exif.slice(0, 72))
  assert.deepEqual(turned.subarray(38), preview.subarray(2))
  for (const orientation of [0, 1, 9, 65_535]) {
    assert.deepEqual(exifPreview(photoBytes(preview, { orientation })), preview)
  }
})

test('the preview of a TIFF file is found, in both byte orders, and turned', () => {
  for (const isLittle of [true, false]) {
    const tiff = (orientation: number, width = 4_000) =>
      tiffBytes(
        [
          { 256: [width], 257: [3_000], 274: [orientation] },
          { 513: 'data', 514: [preview.length] },
        ],
        preview,
        isLittle,
      )
    assert.deepEqual(exifPreview(tiff(1)), preview)
    assert.equal(exifPreview(tiff(6))?.toString('latin1', 6, 10), 'Exif')
    assert.equal(exifPreview(tiff(1, 6_000)), undefined)
    for (let length = 0; length < 100; length++) exifPreview(tiff(1).subarray(0, length))
  }
})

test('filling behind the preview is removed', () => {
  const padded = Buffer.concat([preview, Buffer.alloc(20)])
  assert.deepEqual(exifPreview(photoBytes(padded)), preview)
})

test('a preview of another form, another type or too large is not used', () => {
  assert.equal(exifPreview(photoBytes(preview, { width: 6_000, height: 4_000 })), undefined)
  assert.equal(exifPreview(photoBytes(jpegBytes(640, 480))), undefined)
  assert.equal(exifPreview(photoBytes(Buffer.from('<script>alert(1)</script>'))), undefined)
  assert.equal(exifPreview(jpegBytes(4_000, 3_000)), undefined)
  assert.equal(exifPreview(Buffer.from('not a picture at all')), undefined)
})

test('a file that is cut off, or points anywhere, never fails', () => {
  const photo = photoBytes(preview)
  for (let length = 0; length < photo.length; length++) {
    exifPreview(photo.subarray(0, length))
  }
  for (let at = 0; at < 100; at++) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const changed = Buffer.from(photo)
      changed[at] = value
      exifPreview(changed)
    }
  }
})
