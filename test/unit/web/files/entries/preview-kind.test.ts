import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  kindByName,
  previewKind,
  previewType,
} from '../../../../../web/src/files/entries/preview-kind.ts'

describe('previewKind', () => {
  for (const [key, type, kind] of [
    ['a', 'image/png', 'image'],
    ['a', 'image/svg+xml', 'image'],
    ['a', 'video/mp4', 'video'],
    ['a', 'audio/mpeg', 'audio'],
    ['a', 'application/pdf', 'pdf'],
    ['a', 'Application/PDF; x=y', 'pdf'],
    ['a', 'text/html; charset=utf-8', 'text'],
    ['a', 'application/xhtml+xml', 'text'],
    ['a', 'application/json', 'text'],
    ['a', 'application/ld+json', 'text'],
    ['a.png', 'application/octet-stream', 'image'],
    ['a.PDF', 'binary/octet-stream', 'pdf'],
    ['dir/a.mkv', '', 'video'],
    ['dir.png/a', '', undefined],
    ['Makefile', '', 'text'],
    ['a.zip', 'application/octet-stream', 'zip'],
    ['a.png', 'application/zip', 'zip'],
    ['a.ts', 'video/mp2t', 'text'],
    ['a.mts', 'video/mp2t', undefined],
    ['a.HEIC', '', 'image'],
    ['a.cr2', 'application/octet-stream', 'image'],
    ['a.constructor', '', undefined],
  ] as const) {
    test(`of ${key} as ${JSON.stringify(type)} is ${kind}`, () => {
      assert.equal(previewKind(key, type), kind)
    })
  }
})

describe('previewType', () => {
  test('replaces a generic type', () => {
    assert.equal(previewType('a.pdf', 'application/octet-stream'), 'application/pdf')
  })

  test('never requests a type that a browser would run, and keeps specific types', () => {
    for (const key of ['a.html', 'a.js', 'a.xhtml', 'a.zip', 'a']) {
      assert.equal(previewType(key, ''), undefined)
    }
    assert.equal(previewType('a.pdf', 'text/html'), undefined)
  })
})

test('kindByName depends only on the extension', () => {
  assert.equal(kindByName('x/y.JPG'), 'image')
  assert.equal(kindByName('x/y'), undefined)
})
