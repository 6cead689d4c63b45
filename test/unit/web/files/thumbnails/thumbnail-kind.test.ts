import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thumbnailKind } from '../../../../../web/src/files/thumbnails/thumbnail-kind.ts'

const kindOf = (key: string, size = 1_000) =>
  thumbnailKind({ kind: 'file', key, name: key, size, modifiedAtMs: 0, etag: 'e' })

test('pictures and videos have thumbnails, but no drawings and icons', () => {
  assert.equal(kindOf('a/b.JPG'), 'image')
  assert.equal(kindOf('a.avif'), 'image')
  assert.equal(kindOf('a.mp4'), 'video')
  for (const key of ['a.svg', 'a.SVG', 'a.ico', 'a.txt', 'a.pdf', 'a']) {
    assert.equal(kindOf(key), undefined, key)
  }
})

test('a picture up to 32 MiB, a video of any size, and nothing that is empty', () => {
  assert.equal(kindOf('a.png', 32 * 2 ** 20), 'image')
  assert.equal(kindOf('a.png', 32 * 2 ** 20 + 1), undefined)
  assert.equal(kindOf('a.mov', 2 ** 40), 'video')
  assert.equal(kindOf('a.mov', 0), undefined)
})
