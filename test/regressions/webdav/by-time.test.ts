/** Servers that identify versions by size and time, in whole seconds, and keep no properties. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import {
  bucket,
  collectUnlessChanged,
  getText,
  listAll,
  md5Of,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { type FaultyProxy, startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'

async function openedByTime(t: TestContext): Promise<{ drive: Drive; proxy: FaultyProxy }> {
  const server = await startNextcloud(t)
  const proxy = await startFaultyProxy(t, server.httpUrl)
  const edit = (text: string) => text.replaceAll(/<d:getetag>[^<]*<\/d:getetag>/g, '')
  const times = Number.POSITIVE_INFINITY
  proxy.faults.add({ method: 'PROPFIND', times, fault: { kind: 'edit', edit } })
  proxy.faults.add({ method: 'PROPPATCH', times, fault: { kind: 'answer', status: 403 } })
  const drive = await (await davWorldOn(t, proxy.urlFor(server.url))).open()
  await drive.prepare(buckets)
  // The following happens within one second, except what waits for the next one.
  await sleep(1_010 - (Date.now() % 1_000))
  return { drive, proxy }
}

async function hasAll(drive: Drive, key: string, bytes: Buffer): Promise<void> {
  const etag = md5Of(bytes)
  assert.equal((await drive.head(bucket, key))?.attributes.etag, etag)
  assert.equal(await getText(drive, key), bytes.toString())
  const entries = await listAll(drive, { prefix: key })
  assert.deepEqual(
    entries.map((entry) => entry.kind === 'object' && entry.etag),
    [etag],
  )
}

describe('an object on a server that reports times in whole seconds', () => {
  it('keeps its content when a write of the same size is refused in the same second', async (t) => {
    const { drive } = await openedByTime(t)
    await put(drive, 'k', 'aaaa')
    const conditions = { ifNoneMatch: '*' } as const
    await rejectsAs(put(drive, 'k', 'bbbb', { conditions }), 'condition')
    await hasAll(drive, 'k', Buffer.from('aaaa'))
  })

  it('is overwritten by writes of the same size in the same second', async (t) => {
    const { drive } = await openedByTime(t)
    await put(drive, 'k', 'aaaa')
    await put(drive, 'k', 'bbbb')
    await hasAll(drive, 'k', Buffer.from('bbbb'))
    const upload = await UploadSession.begin(drive, 'k')
    await upload.append(Buffer.from('cccc'))
    await upload.complete()
    await hasAll(drive, 'k', Buffer.from('cccc'))
  })

  it('is read in the opened version, or not at all', async (t) => {
    const { drive } = await openedByTime(t)
    const [a, b, c] = [
      Buffer.alloc(100_000, 'a'),
      Buffer.alloc(100_001, 'b'),
      Buffer.alloc(100_000, 'c'),
    ]
    await put(drive, 'k', a)
    const object = await drive.open(bucket, 'k')
    assert.ok(object)
    await put(drive, 'k', b)
    await put(drive, 'k', c)
    const read = await collectUnlessChanged(object.read(0, object.size))
    assert.ok(read === undefined || read.equals(a))
    await object.close()
    await hasAll(drive, 'k', c)
  })

  it('keeps its attributes when the server refuses a write minutes later', async (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    const { drive, proxy } = await openedByTime(t)
    await put(drive, 'k', 'aaaa')
    t.mock.timers.setTime(Date.now() + 120_000)
    const fault = { kind: 'answer', status: 403 } as const
    proxy.faults.add({ method: 'MOVE', path: /tmp/, times: 100, fault })
    await rejectsAs(put(drive, 'k', 'other'), 'denied')
    await hasAll(drive, 'k', Buffer.from('aaaa'))
  })
})
