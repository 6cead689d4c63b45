import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { jpegBytes, photoBytes, webpBytes } from '../../../support/thumbnail-bytes.ts'
import { openManagement, put } from '../management/management-fixture.ts'

const webp = webpBytes('VP8 ', 200, 100)
const stored = (fields: object = {}) => ({
  ...{ bucket: 'files', key: 'a.jpg', etag: 'e', picture: webp.toString('base64') },
  ...fields,
})
const address = '/thumbnails?bucket=files&etag=e'

test('A thumbnail is kept for the ETag of an object, and read as nothing but a picture', async (t) => {
  const { send, drive } = await openManagement(t)
  await put(drive, 'a.jpg')
  const before = await send('GET', address)
  assert.deepEqual([before.status, before.headers['cache-control']], [204, 'no-store'])
  assert.equal((await send('PUT', '/thumbnails', stored())).status, 204)
  const jpeg = jpegBytes(10, 10).toString('base64')
  assert.equal((await send('PUT', '/thumbnails', stored({ picture: jpeg }))).status, 204)
  // HEAD, because the fixture parses bodies.
  const { status, headers } = await send('HEAD', address)
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'image/webp')
  assert.equal(headers['content-length'], String(webp.length))
  assert.equal(headers['cache-control'], 'private, max-age=31536000, immutable')
  assert.equal(headers.vary, 'authorization')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'")
  assert.equal((await send('GET', '/thumbnails?bucket=public&etag=e')).status, 204)
})

test('A thumbnail of no object, of another version, or of no picture is refused', async (t) => {
  const { send, drive } = await openManagement(t)
  await put(drive, 'a.jpg')
  const page = Buffer.from('<script>alert(1)</script>'.padEnd(64)).toString('base64')
  const refusals: readonly (readonly [object, number, string | undefined])[] = [
    [{ etag: 'other' }, 404, undefined],
    [{ key: 'missing' }, 404, undefined],
    [{ key: '' }, 404, undefined],
    [{ bucket: 'public' }, 404, undefined],
    [{ bucket: 'unknown' }, 400, 'bucket'],
    [{ etag: '"e"' }, 400, 'etag'],
    [{ etag: 'e'.repeat(256) }, 400, 'etag'],
    [{ etag: 'e\0' }, 400, 'etag'],
    [{ picture: '<not base64>' }, 400, 'picture'],
    [{ picture: page }, 400, 'picture'],
    [{ picture: webpBytes('VP8 ', 300, 10).toString('base64') }, 400, 'picture'],
    [{ type: 'text/html' }, 400, 'type'],
  ]
  for (const [fields, status, field] of refusals) {
    const answer = await send('PUT', '/thumbnails', stored(fields))
    assert.deepEqual([answer.status, answer.body.field], [status, field], JSON.stringify(fields))
  }
  assert.equal((await send('PUT', '/thumbnails', stored({ key: 'k'.repeat(200_000) }))).status, 413)
  assert.equal((await send('GET', address)).status, 204)
})

test('Thumbnails need a session, and a bucket that exists', async (t) => {
  const { send, drive } = await openManagement(t)
  await put(drive, 'a.jpg')
  const nobody = { authorization: '' }
  assert.equal((await send('GET', address, undefined, nobody)).status, 401)
  assert.equal((await send('PUT', '/thumbnails', stored(), nobody)).status, 401)
  const { status, body } = await send('GET', '/thumbnails?bucket=unknown&etag=e')
  assert.deepEqual([status, body.field], [400, 'bucket'])
  assert.equal((await send('GET', '/thumbnails?bucket=files')).status, 400)
})

test('With a key, the preview that a camera has put into the photo becomes the thumbnail', async (t) => {
  const { send, drive } = await openManagement(t)
  const preview = jpegBytes(160, 120)
  const photo = Buffer.concat([photoBytes(preview), Buffer.alloc(200_000)])
  await put(drive, 'photo.jpg', photo)
  await put(drive, 'photo.txt', photo)
  for (const more of [
    '',
    '&key=photo.txt',

    '&key=missing.jpg',
    '&key=/..%00.jpg',
  ]) {
    assert.equal((await send('GET', address + more)).status, 204, more)
  }
  const another = '/thumbnails?bucket=files&etag=another&key=photo.jpg'
  assert.equal((await send('GET', another)).status, 204)
  const { status, headers } = await send('HEAD', `${address}&key=photo.jpg`)
  assert.deepEqual([status, headers['content-type']], [200, 'image/jpeg'])
  assert.equal(headers['content-length'], String(preview.length))
  // It is stored for everybody.
  assert.equal((await send('HEAD', address)).status, 200)
  await put(drive, 'bare.jpg', jpegBytes(4_000, 3_000), 'public')
  assert.equal((await send('GET', '/thumbnails?bucket=public&etag=e&key=bare.jpg')).status, 204)
})

test('A drive that does not respond is no fault of the picture', async (t) => {
  const away = async () => {
    throw new DriveError('unavailable', 'away')
  }
  const drive = { list: () => assert.fail(), head: away, open: away }
  const { send } = await openManagement(t, { drive })
  assert.equal((await send('PUT', '/thumbnails', stored())).status, 503)
  assert.equal((await send('GET', `${address}&key=a.jpg`)).status, 503)
})

test('What is in the database and is no picture is not served', async (t) => {
  const { send, database } = await openManagement(t)
  const sql = "INSERT INTO thumbnails (bucket, etag, at_ms, picture) VALUES ('files', 'e', 1, ?)"
  const page = Buffer.from('<html>'.padEnd(64)).toString('base64')
  await database.write([{ sql, params: [page] }])
  assert.equal((await send('GET', address)).status, 204)
})
