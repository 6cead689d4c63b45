import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { RawConnection } from '../../support/raw-connection.ts'
import { DavClient } from '../../support/webdav/dav-client.ts'
import { type NextcloudOptions, startNextcloud } from './start-nextcloud.ts'

async function start(t: TestContext, options: NextcloudOptions = {}) {
  const nextcloud = await startNextcloud(t, options)
  return { nextcloud, dav: new DavClient(nextcloud) }
}

/** Opens a GET without reading its body; `end` ends it. */
async function holdOpen(dav: DavClient, path: string, authorization: string) {
  const stop = new AbortController()
  const response = await fetch(dav.urlOf(path), {
    headers: { authorization },
    signal: stop.signal,
  })
  return { response, end: () => stop.abort() }
}

test('PUT answers 201 and then 204, keeps the file id, and gives a new strong ETag', async (t) => {
  const { dav } = await start(t)
  const first = await dav.send('PUT', '/a.txt', { body: 'one' })
  const second = await dav.send('PUT', '/a.txt', { body: 'two' })
  assert.deepEqual([first.status, second.status], [201, 204])
  assert.equal(first.headers.get('oc-fileid'), second.headers.get('oc-fileid'))
  assert.match(first.headers.get('etag') ?? '', /^"[0-9a-f]{32}"$/)
  assert.notEqual(first.headers.get('etag'), second.headers.get('etag'))
  const got = await dav.send('GET', '/a.txt')
  assert.equal(got.text, 'two')
  assert.equal(got.headers.get('etag'), second.headers.get('etag'))
  assert.equal(got.headers.get('content-type'), 'text/plain')
})

test('PUT refuses what sabre/dav and Nextcloud refuse', async (t) => {
  const { dav } = await start(t)
  await dav.send('MKCOL', '/folder')
  const cases: [string, number, Record<string, string>?][] = [
    ['/missing/a', 409],
    ['/folder', 409],
    ['/a', 400, { 'content-range': 'bytes 0-0/*' }],
    ['/a%5Cb', 400],
    ['/a%01', 400],
    ['/.htaccess', 403],
    ['/.HTACCESS', 403],
    ['/a.part', 400],
    ['/a.filepart', 400],
    ['/%20', 400],
    [`/${'n'.repeat(251)}`, 400],
    [`/${'%C3%A9'.repeat(126)}`, 400],
  ]
  for (const [path, status, headers = {}] of cases) {
    assert.equal(await dav.statusOf('PUT', path, { body: 'x', headers }), status, path)
  }
  assert.equal(await dav.statusOf('PUT', `/${'n'.repeat(250)}`, { body: 'x' }), 201)
  const auto = { 'x-nc-webdav-auto-mkcol': '1' }
  assert.equal(await dav.statusOf('PUT', '/new/deep/a', { body: 'x', headers: auto }), 201)
})

test('PUT of a body that breaks off leaves the file as it was', async (t) => {
  const { nextcloud, dav } = await start(t)
  await dav.send('PUT', '/a', { body: 'whole' })
  for (const path of ['a', 'new']) {
    const { port, host, pathname } = new URL(nextcloud.httpUrl)
    const raw = await RawConnection.open(Number(port))
    const head = `PUT ${pathname}/${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 10\r\n`
    raw.write(`${head}Authorization: ${nextcloud.authorization}\r\n\r\nhalf`)
    raw.destroy()
  }
  assert.equal((await dav.send('GET', '/a')).text, 'whole')
  assert.equal(await dav.statusOf('GET', '/new'), 404)
})

test('PUT without a Content-Length stores nothing and answers 201', async (t) => {
  const { nextcloud, dav } = await start(t)
  const sent = await fetch(dav.urlOf('/a'), {
    method: 'PUT',
    headers: { authorization: nextcloud.authorization },
    body: new Blob(['lost']).stream(),
    duplex: 'half',
  })
  assert.equal(sent.status, 201)
  assert.equal((await dav.send('GET', '/a')).text, '')
})

test('PUT computes the hashes requested by X-Hash, and trusts OC-Checksum', async (t) => {
  const { dav } = await start(t)
  const md5 = createHash('md5').update('bytes').digest('hex')
  const hashed = await dav.send('PUT', '/a', { body: 'bytes', headers: { 'x-hash': 'md5' } })
  assert.equal(hashed.headers.get('x-hash-md5'), md5)
  assert.equal(hashed.headers.get('x-hash-sha1'), null)
  await dav.send('PUT', '/a', { body: 'other', headers: { 'oc-checksum': `MD5:${md5}` } })
  const claimed = await dav.find('/a', ['oc:checksums'])
  assert.ok(claimed.text.includes(`<oc:checksum>MD5:${md5}</oc:checksum>`))
  const computed = await dav.send('PATCH', '/a', { headers: { 'x-recalculate-hash': 'md5' } })
  const truth = `MD5:${createHash('md5').update('other').digest('hex')}`
  assert.deepEqual([computed.status, computed.headers.get('oc-checksum')], [204, truth])
  await dav.send('PUT', '/a', { body: 'without' })
  assert.ok(!(await dav.find('/a', ['oc:checksums'])).text.includes('MD5:'))
})

test('GET serves ranges as sabre/dav does, including its errors', async (t) => {
  const { dav } = await start(t)
  await dav.send('PUT', '/a', { body: '0123456789' })
  await dav.send('PUT', '/empty', { body: '' })
  const ranges: [string, number, string][] = [
    ['bytes=2-4', 206, '234'],
    ['bytes=7-', 206, '789'],
    ['bytes=-3', 206, '789'],
    ['bytes=8-99', 206, '89'],
    ['bytes=0-0', 206, '0123456789'],
    ['bytes=0-1,3-4', 200, '0123456789'],
  ]
  for (const [range, status, text] of ranges) {
    const got = await dav.send('GET', '/a', { headers: { range } })
    assert.deepEqual([got.status, got.text], [status, text], range)
  }
  assert.equal(await dav.statusOf('GET', '/a', { headers: { range: 'bytes=10-' } }), 416)
  const empty = await dav.send('GET', '/empty', { headers: { range: 'bytes=0-5' } })
  assert.deepEqual([empty.status, empty.headers.get('content-length')], [200, null])
  const changed = { range: 'bytes=2-4', 'if-range': '"another"' }
  assert.equal((await dav.send('GET', '/a', { headers: changed })).text, '0123456789')
})

test('GET of a folder returns a page, not an error', async (t) => {
  const { dav } = await start(t)
  await dav.send('MKCOL', '/folder')
  const got = await dav.send('GET', '/folder/')
  assert.deepEqual([got.status, got.headers.get('content-type')], [200, 'text/html'])
})

test('conditions are checked before the body arrives, so two writers may both pass', async (t) => {
  const { dav } = await start(t)
  const put = await dav.send('PUT', '/a', { body: 'one' })
  const etag = put.headers.get('etag') ?? ''
  const none = { 'if-none-match': '*' }
  assert.equal(await dav.statusOf('PUT', '/a', { body: 'x', headers: none }), 412)
  assert.equal(await dav.statusOf('PUT', '/b', { body: 'x', headers: none }), 201)
  assert.equal(await dav.statusOf('PUT', '/c', { body: 'x', headers: { 'if-match': '*' } }), 412)
  assert.equal(await dav.statusOf('GET', '/a', { headers: { 'if-none-match': etag } }), 304)
  const matching = { body: 'y', headers: { 'if-match': etag } }
  assert.equal(await dav.statusOf('PUT', '/a', matching), 204)
  assert.equal(await dav.statusOf('PUT', '/a', matching), 412)
})

test('A change gives every folder above it a new ETag, and no other', async (t) => {
  const { dav } = await start(t)
  for (const folder of ['/a', '/a/b', '/other']) await dav.send('MKCOL', folder)
  const etags = () =>
    Promise.all(
      ['/', '/a/', '/a/b/', '/other/'].map(
        async (path) => /&quot;(\w+)&quot;/.exec((await dav.find(path, ['d:getetag'])).text)?.[1],
      ),
    )
  const before = await etags()
  await dav.send('PUT', '/a/b/file', { body: 'x' })
  const after = await etags()
  assert.deepEqual(
    before.map((etag, index) => etag === after[index]),
    [false, false, false, true],
  )
})

test('PROPFIND with depth 1 lists the folder first, then its content, escaped in lower case', async (t) => {
  const { dav } = await start(t)
  for (const path of ['/a%20b', '/%C3%A9', '/100%25']) await dav.send('PUT', path, { body: 'x' })
  await dav.send('MKCOL', '/f')
  const { status, text } = await dav.find('/', ['d:getcontentlength', 'd:resourcetype'], '1')
  assert.equal(status, 207)
  const hrefs = [...text.matchAll(/<d:href>([^<]*)</g)].map(([, href]) => href)
  const base = '/remote.php/dav/files/alice'
  assert.equal(hrefs[0], `${base}/`)
  assert.deepEqual(
    hrefs.slice(1).sort(),
    ['/%c3%a9', '/100%25', '/a%20b', '/f/'].map((path) => base + path),
  )
  assert.equal(text.split('404 Not Found').length - 1, 2, 'folders have no length')
  assert.equal(await dav.statusOf('PROPFIND', '/missing'), 404)
  assert.equal(await dav.statusOf('PROPFIND', '/', { body: '<nonsense' }), 400)
})

test('PROPFIND reports the quota, as a number or one of three special values', async (t) => {
  const { nextcloud, dav } = await start(t, { quota: 1000 })
  await dav.send('PUT', '/a', { body: 'x'.repeat(400) })
  const available = async () =>
    /<d:quota-available-bytes>(-?\d+)</.exec(
      (await dav.find('/', ['d:quota-available-bytes'])).text,
    )?.[1]
  assert.equal(await available(), '600')
  assert.equal(await dav.statusOf('PUT', '/b', { body: 'x'.repeat(601) }), 507)
  assert.equal(await dav.statusOf('GET', '/b'), 404)
  for (const quota of [-1, -2, -3] as const) {
    nextcloud.setQuota(quota)
    assert.equal(await available(), String(quota))
    assert.equal(
      await dav.statusOf('PUT', '/b', { body: 'x'.repeat(601) }),
      quota === -1 ? 201 : 204,
    )
  }
})

test('dead properties belong to the path: they survive an overwrite, and COPY omits them', async (t) => {
  const { dav } = await start(t)
  const value = async (path: string) =>
    /<x1:note[^>]*[^/]>([^<]*)</.exec((await dav.find(path, ['Z:note'])).text)?.[1]
  await dav.send('PUT', '/a', { body: 'x' })
  const set = await dav.setProperty('/a', 'note', '{"a":"&lt;é&gt;"}')
  assert.ok(set.text.includes('200 OK'))
  assert.equal(await value('/a'), '{"a":"&lt;é&gt;"}')
  await dav.send('PUT', '/a', { body: 'other' })
  assert.ok(await value('/a'), 'after PUT')
  await dav.transfer('COPY', '/a', '/b')
  assert.equal(await value('/b'), undefined)
  await dav.transfer('MOVE', '/a', '/b')
  assert.ok(await value('/b'), 'after MOVE')
  await dav.send('DELETE', '/b')
  await dav.send('PUT', '/b', { body: 'x' })
  assert.equal(await value('/b'), undefined, 'after DELETE')
  await dav.send('MKCOL', '/f')
  await dav.send('PUT', '/f/a', { body: 'x' })
  await dav.setProperty('/f/a', 'note', 'stale')
  await dav.send('DELETE', '/f')
  await dav.send('MKCOL', '/f')
  await dav.send('PUT', '/f/a', { body: 'x' })
  assert.equal(await value('/f/a'), 'stale', 'DELETE of a folder forgets its own alone')
})

test('PROPPATCH of a protected property changes nothing, and reports that in a 207', async (t) => {
  const { dav } = await start(t)
  await dav.send('PUT', '/a', { body: 'x' })
  const body = `<d:propertyupdate xmlns:d="DAV:" xmlns:Z="z:"><d:set><d:prop>
    <Z:note>x</Z:note><d:getcontentlength>9</d:getcontentlength></d:prop></d:set></d:propertyupdate>`
  const refused = await dav.send('PROPPATCH', '/a', { body })
  assert.equal(refused.status, 207)
  assert.ok(refused.text.includes('403 Forbidden') && refused.text.includes('424'))
})

test('MKCOL, DELETE, MOVE and COPY answer as sabre/dav does', async (t) => {
  const { dav } = await start(t)
  const statuses: [number, Promise<number> | number][] = []
  const expect = async (status: number, method: string, path: string, body?: string) => {
    statuses.push([status, await dav.statusOf(method, path, body === undefined ? {} : { body })])
  }
  await expect(201, 'MKCOL', '/f')
  await expect(405, 'MKCOL', '/f')
  await expect(409, 'MKCOL', '/missing/f')
  await expect(415, 'MKCOL', '/g', 'body')
  await expect(404, 'DELETE', '/missing')
  await expect(501, 'LOCK', '/f')
  await dav.send('PUT', '/f/a', { body: 'a' })
  await dav.send('PUT', '/b', { body: 'b' })
  const transfer = async (status: number, ...args: Parameters<DavClient['transfer']>) => {
    statuses.push([status, (await dav.transfer(...args)).status])
  }
  await transfer(404, 'MOVE', '/missing', '/x')
  await transfer(409, 'MOVE', '/b', '/missing/b')
  await transfer(412, 'MOVE', '/b', '/f/a', 'F')
  await transfer(403, 'MOVE', '/b', '/b')
  await transfer(409, 'MOVE', '/f', '/f/g')
  await transfer(204, 'COPY', '/b', '/f/a')
  await transfer(201, 'COPY', '/f', '/g')
  await transfer(204, 'MOVE', '/b', '/g/a')
  assert.equal(await dav.statusOf('MOVE', '/g/a'), 400)
  await expect(204, 'DELETE', '/g/')
  await expect(404, 'GET', '/g/a')
  for (const [wanted, got] of statuses) assert.equal(got, wanted)
})

test('readers see a moment without the file during a MOVE over it', async (t) => {
  const { dav } = await start(t)
  let isMissing = false
  for (let round = 0; round < 200 && !isMissing; round++) {
    await dav.send('PUT', '/target', { body: 'old' })
    await dav.send('PUT', '/source', { body: 'new' })
    const [, ...reads] = await Promise.all([
      dav.transfer('MOVE', '/source', '/target'),
      ...Array.from({ length: 10 }, () => dav.send('HEAD', '/target')),
    ])
    isMissing = reads.some(({ status }) => status === 404)
  }
  assert.ok(isMissing)
})

test('A file that is being read can be neither replaced, moved nor deleted: 423', async (t) => {
  const { nextcloud, dav } = await start(t)
  await dav.send('MKCOL', '/f')
  const body = Buffer.alloc(8_000_000)
  await dav.send('PUT', '/f/a', { body })
  const reader = await holdOpen(dav, '/f/a', nextcloud.authorization)
  for (const [method, path] of [
    ['PUT', '/f/a'],
    ['DELETE', '/f/a'],
    ['DELETE', '/f'],
  ] as const) {
    assert.equal(await dav.statusOf(method, path, method === 'PUT' ? { body: 'x' } : {}), 423)
  }
  assert.equal((await dav.transfer('MOVE', '/f/a', '/b')).status, 423)
  assert.equal((await reader.response.arrayBuffer()).byteLength, body.length)
  assert.equal(await dav.statusOf('PUT', '/f/a', { body: 'x' }), 204)
})

test('A file may be deleted as soon as its last byte has arrived', async (t) => {
  const { dav } = await start(t)
  for (let round = 0; round < 100; round++) {
    await dav.send('PUT', '/a', { body: 'x'.repeat(1000) })
    assert.equal((await dav.send('GET', '/a')).text.length, 1000)
    assert.equal(await dav.statusOf('DELETE', '/a'), 204, `round ${round}`)
  }
})

test('Composed and decomposed names are one file', async (t) => {
  const { nextcloud, dav } = await start(t)
  await dav.send('PUT', `/${encodeURIComponent('e\u0301')}`, { body: 'x' })
  assert.equal((await dav.send('GET', `/${encodeURIComponent('\u00e9')}`)).text, 'x')
  assert.deepEqual(nextcloud.otherClient.list(''), ['\u00e9'])
})

test('a wrong password is refused, and after ten of them every request', async (t) => {
  const { nextcloud, dav } = await start(t)
  const wrong = { headers: { authorization: 'Basic d3Jvbmc6d3Jvbmc=' } }
  for (let round = 0; round < 10; round++) assert.equal(await dav.statusOf('GET', '/', wrong), 401)
  assert.equal(await dav.statusOf('GET', '/'), 429)
  assert.equal(nextcloud.counters.get('GET files'), 11)
})

test('only status.php answers in maintenance mode', async (t) => {
  const { nextcloud, dav } = await start(t)
  nextcloud.setMaintenance(true)
  const refused = await dav.send('GET', '/')
  assert.deepEqual(
    [refused.status, refused.headers.get('x-nextcloud-maintenance-mode')],
    [503, '1'],
  )
  const status = await dav.send('GET', '//status.php')
  assert.equal(JSON.parse(status.text).maintenance, true)
  nextcloud.setMaintenance(false)
  const capabilities = await dav.send('GET', '//ocs/v1.php/cloud/capabilities?format=json')
  assert.equal(JSON.parse(capabilities.text).ocs.data.capabilities.dav.chunking, '1.0')
})

test('changes by other clients are visible immediately', async (t) => {
  const { nextcloud, dav } = await start(t)
  nextcloud.otherClient.put('f/by hand', Buffer.from('x'))
  assert.equal((await dav.send('GET', '/f/by%20hand')).text, 'x')
  nextcloud.otherClient.makeFolder('g/h')
  assert.deepEqual(nextcloud.otherClient.list(''), ['f/', 'f/by hand', 'g/', 'g/h/'])
  nextcloud.otherClient.remove('f/by hand')
  assert.equal(await dav.statusOf('GET', '/f/by%20hand'), 404)
})
