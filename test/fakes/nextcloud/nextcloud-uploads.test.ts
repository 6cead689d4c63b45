import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RawConnection } from '../../support/raw-connection.ts'
import { DavClient } from '../../support/webdav/dav-client.ts'
import { type Nextcloud, type NextcloudOptions, startNextcloud } from './start-nextcloud.ts'

const base = '//remote.php/dav/uploads/alice'
const mebibyte = 1024 * 1024

interface ChunkOptions {
  readonly headers?: Readonly<Record<string, string>>
}

/** An upload with the id `u` of the file `target`. */
class UploadClient extends DavClient {
  readonly #destination: Readonly<Record<string, string>>

  constructor(nextcloud: Nextcloud, target = '/target') {
    super(nextcloud)
    this.#destination = { destination: this.urlOf(target) }
  }

  begin = () => this.statusOf('MKCOL', `${base}/u`, { headers: this.#destination })

  chunk(name: string, body: string | Uint8Array<ArrayBuffer>, { headers }: ChunkOptions = {}) {
    return this.statusOf('PUT', `${base}/u/${name}`, {
      body,
      headers: { ...this.#destination, ...headers },
    })
  }

  finish(headers: Readonly<Record<string, string>> = {}) {
    return this.send('MOVE', `${base}/u/.file`, { headers: { ...this.#destination, ...headers } })
  }

  async chunksThere() {
    const { text } = await this.find(`${base}/u`, ['d:getcontentlength'], '1')
    const found = text.matchAll(/uploads\/alice\/u\/([^<]+)<.*?getcontentlength>(\d*)</g)
    return Object.fromEntries(Array.from(found, ([, name, size]) => [name, Number(size)]))
  }
}

async function start(t: TestContext, options: NextcloudOptions = {}) {
  const nextcloud = await startNextcloud(t, options)
  return { nextcloud, upload: new UploadClient(nextcloud) }
}

test('an upload assembles its chunks by number, whatever their order of arrival', async (t) => {
  const { nextcloud, upload } = await start(t)
  assert.equal(await upload.begin(), 201)
  assert.equal(await upload.begin(), 405)
  assert.equal(await upload.chunk('00010', 'c'), 201)
  assert.equal(await upload.chunk('00009', 'wrong'), 201)
  assert.equal(await upload.chunk('00009', 'b'), 204)
  assert.equal(await upload.chunk('00001', 'a'), 201)
  assert.deepEqual(await upload.chunksThere(), { '.file': 3, '00001': 1, '00009': 1, '00010': 1 })
  const finished = await upload.finish({ 'oc-total-length': '3' })
  assert.equal(finished.status, 201)
  assert.ok(finished.headers.get('oc-fileid'))
  assert.equal((await upload.send('GET', '/target')).text, 'abc')
  assert.equal((await upload.finish()).status, 404)
  assert.deepEqual(nextcloud.openUploads(), [])
})

test('an upload over a file keeps its id and dead properties, and readers always see the file', async (t) => {
  const { upload } = await start(t)
  const first = await upload.send('PUT', '/target', { body: 'old' })
  await upload.setProperty('/target', 'note', 'of the old one')
  await upload.begin()
  await upload.chunk('1', Buffer.alloc(4_000_000, 'n'))
  let isFinished = false
  const finishing = upload.finish().then((answer) => {
    isFinished = true
    return answer
  })
  while (!isFinished) {
    const { text } = await upload.send('HEAD', '/target')
    assert.equal(text, '')
    const { status } = await upload.send('GET', '/target', { headers: { range: 'bytes=0-1' } })
    assert.ok(status === 206 || status === 423, String(status))
  }
  const finished = await finishing
  assert.ok(finished.status === 204 || finished.status === 423)
  if (finished.status === 423) assert.equal((await upload.finish()).status, 204)
  const now = await upload.send('HEAD', '/target')
  assert.equal(now.headers.get('content-length'), '4000000')
  const found = await upload.find('/target', ['oc:id', 'Z:note'])
  assert.ok(found.text.includes(first.headers.get('oc-fileid') ?? '?'))
  assert.ok(found.text.includes('of the old one'))
})

test('the calls of an upload are refused as by Nextcloud', async (t) => {
  const { upload } = await start(t)
  assert.equal(await upload.chunk('1', 'x'), 404)
  assert.equal((await upload.finish()).status, 404)
  assert.equal(await upload.statusOf('DELETE', `${base}/u`), 404)
  assert.equal(await upload.statusOf('MKCOL', `${base}/u`), 400, 'without a Destination')
  await upload.begin()
  for (const name of ['0', '10001', 'a', '1.5', '-1']) {
    assert.equal(await upload.chunk(name, 'x'), 400, name)
  }
  assert.equal(await upload.statusOf('PUT', `${base}/u/1`, { body: 'x' }), 400)
  assert.equal(await upload.chunk('10000', 'x'), 201)
  assert.equal(await upload.statusOf('GET', `${base}/u/10000`), 405)
  assert.equal((await upload.finish({ 'oc-total-length': '2' })).status, 400)
  const elsewhere = { destination: upload.urlOf('/missing/target') }
  assert.equal((await upload.finish(elsewhere)).status, 409)
  assert.equal((await upload.finish({ overwrite: 'X' })).status, 400)
  assert.equal(await upload.statusOf('DELETE', `${base}/u`), 204)
  assert.equal(await upload.statusOf('PROPFIND', `${base}/u`), 404)
})

test('an interrupted chunk is dropped, and an existing one stays', async (t) => {
  const { nextcloud, upload } = await start(t)
  await upload.begin()
  await upload.chunk('2', 'whole')
  for (const name of ['1', '2']) {
    const { port, host, origin } = new URL(nextcloud.httpUrl)
    const raw = await RawConnection.open(Number(port))
    const fields = [
      `PUT ${base.slice(1)}/u/${name} HTTP/1.1`,
      `Host: ${host}`,
      `Authorization: ${nextcloud.authorization}`,
      `Destination: ${origin}/remote.php/dav/files/alice/target`,
      'Content-Length: 10',
    ]
    raw.write(`${fields.join('\r\n')}\r\n\r\nhalf`)
    raw.destroy()
  }
  assert.deepEqual(await upload.chunksThere(), { '.file': 5, '2': 5 })
})

test('an upload that does not fit is refused before it is sent, and at its end', async (t) => {
  const { nextcloud, upload } = await start(t, { quota: 100 })
  await upload.begin()
  const total = { headers: { 'oc-total-length': '101' } }
  assert.equal(await upload.chunk('1', 'x', total), 507)
  assert.equal(await upload.chunk('1', 'x'.repeat(60)), 201)
  nextcloud.setQuota(50)
  assert.equal((await upload.finish()).status, 507)
  assert.deepEqual(nextcloud.openUploads(), ['u'])
})

test('an object store requires parts of 5 MiB, ignores the total, and lists parts by number', async (t) => {
  const { upload } = await start(t, { chunkStore: 'object store' })
  await upload.begin()
  await upload.chunk('00001', 'small')
  assert.equal(await upload.chunk('00002', 'last'), 201)
  assert.equal(await upload.chunk('00002', 'last'), 201)
  assert.deepEqual(await upload.chunksThere(), { '.file': 9, '1': 5, '2': 4 })
  assert.equal((await upload.finish()).status, 500)
  await upload.chunk('00001', Buffer.alloc(5 * mebibyte))
  assert.equal((await upload.finish({ 'oc-total-length': '1' })).status, 201)
  const { headers } = await upload.send('HEAD', '/target')
  assert.equal(headers.get('content-length'), String(5 * mebibyte + 4))
})

test('an object store without its record of the upload accepts no part and creates an empty file', async (t) => {
  const { nextcloud, upload } = await start(t, { chunkStore: 'object store' })
  await upload.begin()
  await upload.chunk('1', 'a')
  nextcloud.faults.add({ method: 'PUT', fault: { kind: 'lose-metadata' } })
  assert.equal(await upload.chunk('2', 'b'), 412)
  assert.equal((await upload.finish({ 'oc-total-length': '1' })).status, 400)
  assert.equal((await upload.finish()).status, 201)
  assert.equal((await upload.send('GET', '/target')).text, '')
})

test('an object store cannot continue when the target appeared or disappeared since the upload began', async (t) => {
  const { upload } = await start(t, { chunkStore: 'object store' })
  await upload.begin()
  await upload.send('PUT', '/target', { body: 'x' })
  assert.equal(await upload.chunk('1', 'a'), 500)
  await upload.send('DELETE', `${base}/u`)
  await upload.begin()
  assert.equal(await upload.chunk('1', 'a'), 201)
  await upload.send('DELETE', '/target')
  assert.equal((await upload.finish()).status, 404)
})

test('a slow MOVE answers 504, then 423 while it continues, then 404 when the file exists', async (t) => {
  const { nextcloud, upload } = await start(t)
  await upload.begin()
  await upload.chunk('1', 'a')
  const fault = { kind: 'slow-move', status: 504, requests: 3 } as const
  nextcloud.faults.add({ method: 'MOVE', fault })
  assert.equal((await upload.finish()).status, 504)
  assert.equal((await upload.finish()).status, 423)
  assert.equal(await upload.chunk('2', 'b'), 423)
  assert.equal(await upload.statusOf('GET', '/target'), 404)
  assert.equal((await upload.finish()).status, 404)
  assert.equal((await upload.send('GET', '/target')).text, 'a')
})

test('A slow MOVE may end without an answer, and without a file', async (t) => {
  const { nextcloud, upload } = await start(t)
  await upload.begin()
  await upload.chunk('1', 'a')
  nextcloud.faults.add({ method: 'MOVE', fault: { kind: 'slow-move', requests: 1, fails: true } })
  await assert.rejects(upload.finish(), TypeError)
  assert.equal(await upload.statusOf('GET', '/target'), 404)
  assert.equal((await upload.finish()).status, 201)
})

test('faults apply to the matching request, and are reported', async (t) => {
  const { nextcloud, upload } = await start(t)
  const { faults } = nextcloud
  faults.add({ method: 'PUT', path: /\/u\/2$/, fault: { kind: 'drop-before' } })
  faults.add({ method: 'PUT', path: /\/u\/3$/, fault: { kind: 'drop-after' } })
  faults.add({
    method: 'PUT',
    path: /\/u\/4$/,
    skip: 1,
    times: 2,
    fault: { kind: 'answer', status: 429 },
  })
  faults.add({ method: 'PUT', path: /\/u\/5$/, fault: { kind: 'store-short' } })
  faults.add({ method: 'PUT', path: /\/u\/6$/, fault: { kind: 'answer-after', status: 504 } })
  await upload.begin()
  assert.equal(await upload.chunk('1', 'aaaa'), 201)
  await assert.rejects(upload.chunk('2', 'bbbb'), TypeError)
  await assert.rejects(upload.chunk('3', 'cccc'), TypeError)
  const fourth = []
  for (let round = 0; round < 4; round++) fourth.push(await upload.chunk('4', 'dddd'))
  assert.deepEqual(fourth, [201, 429, 429, 204])
  assert.equal(await upload.chunk('5', 'eeee'), 201)
  assert.equal(await upload.chunk('6', 'ffff'), 504)
  assert.equal(faults.waiting, 0)
  assert.equal(faults.struck.length, 6)
  assert.deepEqual(await upload.chunksThere(), {
    '.file': 18,
    '1': 4,
    '3': 4,
    '4': 4,
    '5': 2,
    '6': 4,
  })
  faults.add({ method: 'PUT', fault: { kind: 'expire-uploads' } })
  assert.equal(await upload.chunk('7', 'g'), 404)
})

test('a MOVE over a file may fail after the target was deleted and before the source is moved', async (t) => {
  const { nextcloud, upload } = await start(t)
  await upload.send('PUT', '/target', { body: 'old' })
  await upload.send('PUT', '/source', { body: 'new' })
  nextcloud.faults.add({ method: 'MOVE', fault: { kind: 'lose-target' } })
  assert.equal((await upload.transfer('MOVE', '/source', '/target')).status, 500)
  assert.deepEqual(nextcloud.otherClient.list(''), ['source'])
})

test('a body can be cut off on its way to the client', async (t) => {
  const { nextcloud, upload } = await start(t)
  await upload.send('PUT', '/target', { body: Buffer.alloc(1000) })
  nextcloud.faults.add({ method: 'GET', fault: { kind: 'truncate', bytes: 10 } })
  await assert.rejects(upload.send('GET', '/target'), TypeError)
  assert.equal((await upload.send('GET', '/target')).text.length, 1000)
})
