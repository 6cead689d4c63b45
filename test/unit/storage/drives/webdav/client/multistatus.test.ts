import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  DriveError,
  type DriveErrorKind,
} from '../../../../../../src/storage/drives/drive-error.ts'
import {
  type Demand,
  MultistatusReader,
  opaqueTag,
} from '../../../../../../src/storage/drives/webdav/client/multistatus.ts'

/** All entries, read in chunks of this size. */
function read(text: string | Uint8Array, chunkBytes = 7, demand: Demand = 'size') {
  const bytes = Buffer.from(text)
  const reader = new MultistatusReader(demand)
  const entries = []
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    entries.push(...reader.read(bytes.subarray(at, at + chunkBytes)))
  }
  reader.end()
  return entries
}

const nothing = {
  isFolder: false,
  size: 0,
  modifiedAtMs: 0,
  etag: undefined,
  record: undefined,
  createdAtMs: 0,
  md5: undefined,
  freeBytes: undefined,
  usedBytes: undefined,
}

// Answers of Apache 2.4, lighttpd 1.4 and rclone 1.60.
const apache = `<?xml version="1.0" encoding="utf-8"?>
<D:multistatus xmlns:D="DAV:" xmlns:ns1="urn:bucketry" xmlns:ns0="DAV:">
<D:response xmlns:lp1="DAV:" xmlns:lp2="http://apache.org/dav/props/" xmlns:g0="DAV:" xmlns:g1="urn:bucketry">
<D:href>/dav/t/</D:href>
<D:propstat><D:prop>
<lp1:resourcetype><D:collection/></lp1:resourcetype>
<lp1:getlastmodified>Sun, 22 Nov 2026 01:25:15 GMT</lp1:getlastmodified>
<lp1:getetag>W/"1000-660d35976ef5e"</lp1:getetag>
<lp1:creationdate>2026-11-22T01:25:15Z</lp1:creationdate>
</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
<D:propstat><D:prop><g0:getcontentlength/><g0:quota-available-bytes/><g1:record/></D:prop>
<D:status>HTTP/1.1 404 Not Found</D:status></D:propstat>
</D:response>
<D:response xmlns:lp1="DAV:">
<D:href>/dav/t/%c3%a4%20b</D:href>
<D:propstat><D:prop>
<lp1:resourcetype/>
<lp1:getcontentlength>5</lp1:getcontentlength>
<lp1:getetag>"5-660d35976e69e"</lp1:getetag>
<ns1:record>{"x":"é&lt;"}</ns1:record>
</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat>
</D:response>
</D:multistatus>`
const lighttpd = `<?xml version="1.0" encoding="utf-8"?>
<D:multistatus xmlns:D="DAV:" xmlns:ns0="urn:uuid:c2f41010-65b3-11d1-a29f-00aa00c14882/">
<D:response><D:href>/dav/t/a</D:href><D:propstat><D:prop>
<D:resourcetype/><D:getcontentlength>5</D:getcontentlength><D:getlastmodified ns0:dt="dateTime.rfc1123">Sun, 22 Nov 2026 01:25:16 GMT</D:getlastmodified><D:getetag>"508293979"</D:getetag><record xmlns="urn:bucketry">{"x":"&#xE9;&lt;"}</record></D:prop>
<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`
const rclone = `<?xml version="1.0" encoding="UTF-8"?><D:multistatus xmlns:D="DAV:"><D:response><D:href>/dav/t/</D:href><D:propstat><D:prop><D:resourcetype><D:collection xmlns:D="DAV:"/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat><D:propstat><D:prop><D:getcontentlength></D:getcontentlength><record xmlns="urn:bucketry"></record></D:prop><D:status>HTTP/1.1 404 Not Found</D:status></D:propstat></D:response></D:multistatus>`

const aboutA = (inner: string) =>
  `<multistatus xmlns="DAV:"><response><href>/a</href>${inner}</response></multistatus>`
const propstat = (properties: string, status = '200 OK') =>
  `<propstat><prop>${properties}</prop><status>HTTP/1.1 ${status}</status></propstat>`

describe('MultistatusReader', () => {
  it('reads answers of Apache, and a weak tag as the strong one', () => {
    const time = Date.UTC(2026, 10, 22, 1, 25, 15)
    const folder = { ...nothing, isFolder: true, modifiedAtMs: time, createdAtMs: time }
    assert.deepEqual(read(apache), [
      { ...folder, segments: ['dav', 't'], etag: '1000-660d35976ef5e' },
      {
        ...nothing,
        segments: ['dav', 't', 'ä b'],
        size: 5,
        etag: '5-660d35976e69e',
        record: '{"x":"é<"}',
      },
    ])
  })

  it('reads answers of lighttpd', () => {
    const [entry] = read(lighttpd)
    assert.equal(entry?.record, '{"x":"é<"}')
    assert.equal(entry?.modifiedAtMs, Date.UTC(2026, 10, 22, 1, 25, 16))
  })

  it('ignores properties that were not found', () => {
    assert.deepEqual(read(rclone), [{ ...nothing, segments: ['dav', 't'], isFolder: true }])
  })

  it('ignores properties of other namespaces', () => {
    const other = '<x:getcontentlength xmlns:x="urn:x">7</x:getcontentlength>'
    assert.equal(read(aboutA(propstat(other)), 7, 'nothing')[0]?.size, 0)
  })

  it('omits files that the server reports as missing', () => {
    for (const status of ['404 Not Found', '410 Gone']) {
      assert.deepEqual(read(aboutA(`<status>HTTP/1.1 ${status}</status>`)), [])
    }
  })

  it('does not take a file for absent or empty when the server failed to read it', () => {
    const file = '<resourcetype/><getcontentlength>5</getcontentlength>'
    const cases: readonly [string, DriveErrorKind][] = [
      ['<status>HTTP/1.1 423 Locked</status>', 'busy'],
      ['<status>HTTP/1.1 500 Oops</status>', 'unavailable'],
      ['<status>HTTP/1.1 403 Forbidden</status>', 'denied'],
      [propstat(file, '500 Oops'), 'unavailable'],
      [propstat(file, ''), 'unavailable'],
      [propstat(file) + propstat('<s:record xmlns:s="urn:bucketry"/>', '503 Later'), 'busy'],
      [propstat('<resourcetype/>'), 'unavailable'],
      [propstat('<resourcetype/><getcontentlength/>'), 'unavailable'],
      [propstat('<resourcetype/><getcontentlength>-1</getcontentlength>'), 'unavailable'],
      [propstat('<getcontentlength>5</getcontentlength>'), 'unavailable'],
    ]
    for (const [inner, kind] of cases) {
      assert.throws(
        () => read(aboutA(inner)),
        (error) => error instanceof DriveError && error.kind === kind,
        inner,
      )
    }
    assert.equal(read(aboutA(propstat(file)))[0]?.size, 5)
  })

  it('requires no size of folders, nor when only the kind was requested', () => {
    const folder = propstat('<resourcetype><collection/></resourcetype>')
    assert.equal(read(aboutA(folder))[0]?.isFolder, true)
    assert.equal(read(aboutA(propstat('<resourcetype/>')), 7, 'kind')[0]?.isFolder, false)
  })

  it('takes a failed property change as not done', () => {
    const refused = propstat('<s:record xmlns:s="urn:bucketry"/>', '507 Insufficient Storage')
    assert.equal(read(aboutA(refused), 7, 'nothing')[0]?.record, undefined)
    assert.deepEqual(read(aboutA('<status>HTTP/1.1 500 Oops</status>'), 7, 'nothing'), [])
  })

  it('returns an entry as soon as it is complete', () => {
    const reader = new MultistatusReader('size')
    const end = apache.indexOf('</D:response>') + '</D:response>'.length
    assert.equal(reader.read(Buffer.from(apache.slice(0, end))).length, 1)
    assert.throws(() => reader.end(), isUnreadable)
  })

  const refused: Record<string, string | Uint8Array> = {
    'a web page': '<!DOCTYPE html><html><body>Sign in</body></html>',
    'another document': '<error xmlns="DAV:"/>',
    'a document type': '<!DOCTYPE a [<!ENTITY b "c">]><multistatus xmlns="DAV:"/>',
    'an unknown entity': '<multistatus xmlns="DAV:"><response>&b;</response></multistatus>',
    'what is cut off': apache.slice(0, -20),
    'what is not well-formed': '<multistatus xmlns="DAV:"><response></multistatus>',
    'what is no UTF-8': Buffer.from('<multistatus xmlns="DAV:"><response>\xff', 'latin1'),
    'a text without end': `<multistatus xmlns="DAV:"><response><href>/${'a'.repeat(100_000)}</href></response></multistatus>`,
    'elements in elements': `<multistatus xmlns="DAV:">${'<a>'.repeat(100)}`,
    'an entry without end': `<multistatus xmlns="DAV:"><response>${'<a></a>'.repeat(200_000)}`,
  }
  for (const [what, text] of Object.entries(refused)) {
    it(`refuses ${what}`, () => {
      assert.throws(() => read(text, 64 * 1024), isUnreadable)
    })
  }
})

describe('opaqueTag', () => {
  for (const [tag, expected] of [
    ['"a"', 'a'],
    ['W/"a"', 'a'],
    ['a', 'a'],
    ['""', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const) {
    it(`returns ${expected} for ${tag}`, () => assert.equal(opaqueTag(tag), expected))
  }
})

function isUnreadable(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'unavailable'
}
