import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decoderKind,
  thumbnailKind,
} from '../../../../../web/src/files/thumbnails/thumbnail-kind.ts'

const kindOf = (key: string, size = 1_000) =>
  thumbnailKind({ kind: 'file', key, name: key, size, modifiedAtMs: 0, etag: 'e' })

test('pictures and videos have thumbnails, but no drawings and icons', () => {
  assert.equal(kindOf('a/b.JPG'), 'image')
  assert.equal(kindOf('a.avif'), 'image')
  assert.equal(kindOf('a.mp4'), 'video')
  for (const key of ['a.svg', 'a.SVG', 'a.ico', 'a.txt', 'a']) {
    assert.equal(kindOf(key), undefined, key)
  }
})

test('scans, raw photos and documents are read in parts, whatever their size', () => {
  for (const key of ['a.tif', 'a.TIFF', 'a.dng', 'a.CR2', 'a.nef', 'a.arw']) {
    assert.equal(kindOf(key, 2 ** 30), 'tiff', key)
  }
  assert.equal(kindOf('a.heic', 2 ** 30), 'heic')
  assert.equal(kindOf('a.HEIF'), 'heic')
  assert.equal(kindOf('a.PDF', 2 ** 40), 'pdf')
  assert.equal(kindOf('a.pdf', 0), undefined)
})

test('a picture up to 32 MiB, a video of any size, and nothing that is empty', () => {
  assert.equal(kindOf('a.png', 32 * 2 ** 20), 'image')
  assert.equal(kindOf('a.png', 32 * 2 ** 20 + 1), undefined)
  assert.equal(kindOf('a.mov', 2 ** 40), 'video')
  assert.equal(kindOf('a.mov', 0), undefined)
})

test('the viewer has decoders for these types, or for these names without a type', () => {
  assert.equal(decoderKind('a', 'image/HEIC; x=y'), 'heic')
  assert.equal(decoderKind('a.nef', 'binary/octet-stream'), 'tiff')
  assert.equal(decoderKind('a.heif', ''), 'heic')
  for (const [key, type] of [
    ['a.heic', 'image/jpeg'],
    ['a.jpg', ''],
    ['a.pdf', ''],
  ] as const) {
    assert.equal(decoderKind(key, type), undefined, `${key} ${type}`)
  }
})
