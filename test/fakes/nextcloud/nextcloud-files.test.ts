import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
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

test('PROPPATCH of a protected property changes nothing, and reports that in a 207', async (t) => {
  const { dav } = await start(t)
  await dav.send('PUT', '/a', { body: 'x' })
  const body = `<d:propertyupdate xmlns:d="DAV:" xmlns:Z="z:"><d:set><d:prop>
    <Z:note>x</Z:note><d:getcontentlength>9</d:getcontentlength></d:prop></d:set></d:propertyupdate>`
  const refused = await dav.send('PROPPATCH', '/a', { body })
  assert.equal(refused.status, 207)
  assert.ok(refused.text.includes('403 Forbidden') && refused.text.includes('424'))
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

test('a wrong password is refused, and after ten of them every request', async (t) => {
  const { nextcloud, dav } = await start(t)
  const wrong = { headers: { authorization: 'Basic d3Jvbmc6d3Jvbmc=' } }
  for (let round = 0; round < 10; round++) assert.equal(await dav.statusOf('GET', '/', wrong), 401)
  assert.equal(await dav.statusOf('GET', '/'), 429)
  assert.equal(nextcloud.counters.get('GET files'), 11)
})
