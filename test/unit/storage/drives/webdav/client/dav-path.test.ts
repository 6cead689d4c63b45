import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { DriveError } from '../../../../../../src/storage/drives/drive-error.ts'
import {
  folderTargetOf,
  parseDavAddress,
  segmentsOfHref,
  targetOf,
} from '../../../../../../src/storage/drives/webdav/client/dav-path.ts'

describe('parseDavAddress', () => {
  it('decodes user, password and path', () => {
    const text = 'webdav+https://a%40b:p%40ss%2Fw%3Frd%23%25:+@host:8443/remote.php/d%C3%A4v/'
    assert.deepEqual(parseDavAddress(text), {
      origin: 'https://host:8443',
      root: ['remote.php', 'däv'],
      user: 'a@b',
      password: 'p@ss/w?rd#%:+',
    })
  })

  it('accepts an unescaped colon in the password, which RFC 3986 allows', () => {
    const { origin, password } = parseDavAddress('webdav+https://user:a:b:@host/')
    assert.deepEqual({ origin, password }, { origin: 'https://host', password: 'a:b:' })
  })

  it('says how to escape a refused character', () => {
    for (const text of ['webdav+https://u:p@ss@host/', 'webdav+https://u:1/2@host/']) {
      assert.throws(() => parseDavAddress(text), /percent-encoded: .*@ as %40, \/ as %2F/)
    }
  })

  it('accepts plain HTTP, without credentials and path', () => {
    const address = { origin: 'http://127.0.0.1:8080', root: [], user: '', password: '' }
    assert.deepEqual(parseDavAddress('webdav+http://127.0.0.1:8080'), address)
  })

  for (const text of [
    'https://user:hush@host/',
    'webdav+ftp://user:hush@host/',
    'webdav+https://user:hush@host/?a=b',
    'webdav+https://user:hush@host/#a',
    'webdav+https://user:hush%zz@host/',
    'webdav+https://user:hu sh@ho st/',
    'webdav+https://',
    // Unescaped characters that end the host name early: a part of the password would be sent to DNS.
    'webdav+https://user:12/hush@host/path',
    'webdav+https://user:h@hush/sh@host/path',
    'webdav+https://user:12?hush@host/path',
    'webdav+https://user:12#hush@host/path',
    'webdav+https://user:12\\hush@host/path',
    'webdav+https://user:hu@hush@host/path',
    'webdav+https://hush/@host/path',
  ]) {
    it(`refuses ${text} without showing the password`, () => {
      assert.throws(
        () => parseDavAddress(text),
        (error) =>
          error instanceof DriveError && error.kind === 'denied' && !error.message.includes('hush'),
      )
    })
  }
})

describe('targetOf', () => {
  it('escapes all but unreserved characters', () => {
    assert.equal(
      targetOf(['däv'], ["a b'()*!", '%41', '..']),
      '/d%C3%A4v/a%20b%27%28%29%2A%21/%2541/..',
    )
    assert.equal(folderTargetOf(['dav'], []), '/dav/')
    assert.equal(folderTargetOf([], []), '/')
  })

  it('is reversed by segmentsOfHref', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('/'))
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (path) => {
        assert.deepEqual(segmentsOfHref(targetOf([], path)), path)
        assert.deepEqual(segmentsOfHref(`http://host:80${folderTargetOf([], path)}`), path)
      }),
    )
  })
})

describe('segmentsOfHref', () => {
  it('accepts paths and URLs, whichever characters are escaped', () => {
    for (const href of ["/a/b'c", '/a/b%27c/', 'https://other/a/b%27c', "HTTP://x:1/a//b'c?q#f"]) {
      assert.deepEqual(segmentsOfHref(href), ['a', "b'c"])
    }
  })

  it('returns undefined for anything but a path in UTF-8', () => {
    for (const href of ['', 'a/b', '/%FF', '/%zz', 'mailto:x']) {
      assert.equal(segmentsOfHref(href), undefined)
    }
  })
})
