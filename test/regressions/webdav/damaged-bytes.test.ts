import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { bytesOf, get, md5Of, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { type FaultyProxy, type ProxyFault, startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'
import { sha256Of } from '../../support/test-bytes.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'
import type { WebdavServer } from '../../support/webdav/server-process.ts'

const mib = 1024 * 1024

interface Scene {
  readonly drive: Drive
  readonly proxy: FaultyProxy
  readonly spoolFolder: string
}

async function openThrough(t: TestContext, server: WebdavServer | undefined): Promise<Scene> {
  assert.ok(server)
  const proxy = await startFaultyProxy(t, server.url)
  const world = await davWorldOn(t, proxy.urlFor(server.url), { maxSpoolBytes: 64 * mib })
  const drive = await world.open()
  await drive.prepare(['alpha'])
  return { drive, proxy, spoolFolder: world.spoolFolder }
}

/** The fault affects one PUT: the key keeps its object, and the next PUT is stored. */
async function assertPutFails(
  { drive, proxy }: Scene,
  fault: ProxyFault,
  rule: { readonly method: string; readonly path: RegExp } = { method: 'PUT', path: /tmp/ },
): Promise<void> {
  for (const size of [1000, 300_001, 5 * mib]) {
    await put(drive, 'k', bytesOf(size, 1))
    proxy.faults.add({ ...rule, fault })
    await rejectsAs(put(drive, 'k', bytesOf(size, 2)), 'unavailable')
    assert.equal(proxy.faults.waiting, 0)
    assert.deepEqual(await get(drive, 'k'), bytesOf(size, 1))
    await put(drive, 'k', bytesOf(size, 3))
    assert.deepEqual(await get(drive, 'k'), bytesOf(size, 3))
  }
}

/** The fault affects the PUT of a staged upload: it stays open, and the next Complete stores it. */
async function assertCompleteFails({ drive, proxy }: Scene, fault: ProxyFault): Promise<void> {
  await put(drive, 'large', 'before')
  const session = await UploadSession.begin(drive, 'large')
  for (const seed of [1, 2]) await session.append(bytesOf(3 * mib, seed))
  proxy.faults.add({ method: 'PUT', path: /uploads/, fault })
  await rejectsAs(session.complete(), 'unavailable')
  assert.equal(proxy.faults.waiting, 0)
  assert.equal(String(await get(drive, 'large')), 'before')
  assert.equal(await drive.uploads.isPublished(session.state), false)
  assert.ok(await session.complete())
  assert.equal(sha256Of((await get(drive, 'large')) ?? Buffer.alloc(0)), sha256Of(session.bytes))
}

const flip: ProxyFault = { kind: 'flip', at: 700 }
const cut: ProxyFault = { kind: 'cut', bytes: 900 }

describe('bytes that arrive damaged', () => {
  test('fail a PUT to Nextcloud, which reports X-Hash-MD5', async (t) => {
    await assertPutFails(await openThrough(t, await startNextcloud(t)), flip)
  })

  test('fail a part on Nextcloud, which can be sent again', async (t) => {
    const { drive, proxy } = await openThrough(t, await startNextcloud(t))
    const session = await UploadSession.begin(drive, 'large')
    await session.append(bytesOf(mib, 1))
    proxy.faults.add({ method: 'PUT', path: /uploads/, fault: flip })
    await rejectsAs(session.append(bytesOf(mib, 2)), 'unavailable')
    assert.equal(proxy.faults.waiting, 0)
    await session.append(bytesOf(mib, 3))
    await session.complete()
    assert.equal(sha256Of((await get(drive, 'large')) ?? Buffer.alloc(0)), sha256Of(session.bytes))
  })

  test('fail where ETags are MD5s', { skip: absenceOfRclone() }, async (t) => {
    const scene = await openThrough(t, await startRcloneServe(t, { hasMd5Etags: true }))
    await assertPutFails(scene, flip)
    await assertCompleteFails(scene, { kind: 'flip', at: 4 * mib })
  })

  test('fail where ownCloud reports checksums', { skip: absenceOfLighttpd() }, async (t) => {
    const scene = await openThrough(t, await startLighttpd(t))
    const told = `SHA1:${'0'.repeat(40)} MD5:${md5Of(Buffer.from('other'))} ADLER32:00000000`
    const checksums =
      '<oc:checksums xmlns:oc="http://owncloud.org/ns"><oc:checksum>' +
      `${told}</oc:checksum></oc:checksums>`
    const edit = (text: string) =>
      text.replace(/<D:getcontentlength>/, `${checksums}<D:getcontentlength>`)
    await assertPutFails(scene, { kind: 'edit', edit }, { method: 'PROPFIND', path: /tmp\/.*\/./ })
  })

  test('fail when some are missing', { skip: absenceOfLighttpd() }, async (t) => {
    const scene = await openThrough(t, await startLighttpd(t))
    await assertPutFails(scene, cut)
    await assertCompleteFails(scene, cut)
  })
})

test('an object with a long key is not lost when its bytes arrive damaged', {
  skip: absenceOfLighttpd(),
}, async (t) => {
  // lighttpd refuses a Destination of this length: the bytes are sent in a second PUT.
  const key = '\0'.repeat(1024)
  const { drive, proxy } = await openThrough(t, await startLighttpd(t))
  const rule = { method: 'PUT', path: /alpha.{3000}/, fault: { kind: 'cut', bytes: 2 } } as const
  proxy.faults.add(rule)
  await rejectsAs(put(drive, key, 'first'), 'unavailable')
  assert.equal(proxy.faults.waiting, 0)
  assert.equal(await drive.head('alpha', key), undefined)
  await put(drive, key, 'old')
  proxy.faults.add(rule)
  await rejectsAs(put(drive, key, 'new'), 'unavailable')
  // The old object is already overwritten: the next reader moves the new one into place.
  assert.equal(String(await get(drive, key)), 'new')
  assert.equal((await drive.head('alpha', key))?.attributes.etag, md5Of(Buffer.from('new')))
  await put(drive, key, 'newer')
  assert.equal(String(await get(drive, key)), 'newer')
})

test('a staged upload is not sent when its bytes on this machine differ from those received', {
  skip: absenceOfLighttpd(),
}, async (t) => {
  const server = await startLighttpd(t)
  const { drive, spoolFolder } = await openThrough(t, server)
  for (const [at, message] of [
    [0, /^The local copy of part 1 of this upload/],
    [3 * mib, /^The local copy of part 2 of this upload/],
    [6 * mib - 1, /^The local copy of part 3 of this upload/],
  ] as const) {
    const session = await UploadSession.begin(drive, 'large')
    for (const seed of [1, 2, 3]) await session.append(bytesOf(2 * mib, seed))
    const file = join(spoolFolder, '.bucketry/uploads', session.uploadId, 'data')
    const damaged = readFileSync(file)
    damaged.writeUInt8(damaged.readUInt8(at) ^ 1, at)
    writeFileSync(file, damaged)
    await assert.rejects(session.complete(), { name: 'DriveError', kind: 'unavailable', message })
    assert.equal(await drive.head('alpha', 'large'), undefined)
    assert.equal(await drive.uploads.isPublished(session.state), false)
    const sent = join(server?.root ?? '', '.bucketry/uploads', session.uploadId)
    assert.notEqual(statSync(sent, { throwIfNoEntry: false })?.size, 6 * mib)
    await session.abort()
  }
})
