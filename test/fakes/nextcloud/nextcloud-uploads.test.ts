import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
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
