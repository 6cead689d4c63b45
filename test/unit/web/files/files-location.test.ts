import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { locationPath, readLocation } from '../../../../web/src/files/files-location.ts'

function read(address: string) {
  const { pathname, search } = new URL(address, 'http://host')
  return readLocation(pathname, search)
}

describe('locationPath', () => {
  test('keeps the folder readable in the query', () => {
    const location = { bucket: 'photos', prefix: '2024/summer trip/', filter: '' }
    assert.equal(locationPath(location), '/files/photos?prefix=2024/summer%20trip/')
  })

  test('is the list of buckets without a bucket', () => {
    assert.equal(locationPath({ bucket: undefined, prefix: '', filter: '' }), '/files')
    assert.equal(readLocation('/files', '').bucket, undefined)
  })

  test('round-trips every folder, filter and previewed file through the address bar', () => {
    const text = fc.string({ unit: 'binary' })
    const prefixes = text.map((name) => (name === '' ? '' : `${name}/`))
    const views = text.filter((name) => name !== '')
    fc.assert(
      fc.property(prefixes, text, views, (prefix, filter, view) => {
        const location = { bucket: 'b-1.x', prefix, filter, view, kind: 'image', size: '-1' }
        assert.deepEqual(read(locationPath(location)), location)
      }),
    )
  })

  test('has the place of a search, which may be all buckets', () => {
    const location = { bucket: undefined, prefix: '', filter: 'a', scope: 'all' } as const
    assert.equal(locationPath(location), '/files?filter=a&in=all')
    assert.deepEqual(read('/files?filter=a&in=all'), location)
    assert.equal(read('/files/b?filter=a&in=nowhere').scope, undefined)
    assert.equal(read('/files/b?in=below').scope, undefined)
  })

  test('has no previewed file if its name is empty', () => {
    assert.equal('view' in read('/files/b?view='), false)
  })

  test('keeps dots that browsers would remove from a path', () => {
    const location = { bucket: 'b', prefix: 'a/../b/./', filter: '..' }
    assert.deepEqual(read(locationPath(location)), location)
  })
})

test('readLocation accepts a folder without the trailing slash', () => {
  assert.equal(readLocation('/files/b', 'prefix=a/b').prefix, 'a/b/')
  assert.equal(readLocation('/files/b/a/b', '').prefix, 'a/b/')
  assert.equal(readLocation('/files/b/', '').prefix, '')
})
