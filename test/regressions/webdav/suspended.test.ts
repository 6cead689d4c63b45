/** A process that is suspended for longer than its lease, between two attempts at one request. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import { bucket, getText, md5Of, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'

interface Suspended {
  readonly drive: Drive
  /** The results of the other process when the suspended one continued. */
  readonly others: string[]
}

/** The next request of this kind is answered 423, and is sent again after half a minute. */
async function suspendedAt(
  t: TestContext,
  method: string,
  meanwhile: (other: Drive) => Promise<unknown>,
): Promise<Suspended> {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const server = await startNextcloud(t)
  const proxy = await startFaultyProxy(t, server.httpUrl)
  const world = await davWorldOn(t, proxy.urlFor(server.url))
  const [drive, other] = [await world.open(), await world.open()]
  await drive.prepare(buckets)
  await put(drive, 'k', 'first')
  const others: string[] = []
  const path = method === 'MOVE' ? /tmp/ : /k$/
  // The other process's request comes first.
  const skip = method === 'MOVE' ? 1 : 0
  server.faults.add({ method, path, skip, fault: { kind: 'answer', status: 423 } })
  const run = async () => {
    t.mock.timers.setTime(Date.now() + 30_000)
    others.push(await meanwhile(other).then(() => 'done', String))
  }
  proxy.faults.add({ method, path, fault: { kind: 'run', run } })
  return { drive, others }
}

describe('a process that was suspended for longer than its lease', () => {
  it('does not move its file over one that another process published', async (t) => {
    const conditions = { ifMatch: [md5Of(Buffer.from('first'))] }
    const { drive, others } = await suspendedAt(t, 'MOVE', async (other) => {
      await put(other, 'k', 'second', { conditions })
    })
    await rejectsAs(put(drive, 'k', 'third', { conditions }), 'unavailable')
    assert.deepEqual(others, ['done'])
    assert.equal(await getText(drive, 'k'), 'second')
  })

  it('does not publish an upload that another process has taken', async (t) => {
    const server = await startNextcloud(t)
    const drive = await (await davWorldOn(t, server.url)).open()
    await drive.prepare(buckets)
    await put(drive, 'k', 'first')
    const session = await UploadSession.begin(drive, 'k')
    await session.append(Buffer.from('second'))
    const attempts: string[] = []
    const fault = { kind: 'answer', status: 423 } as const
    server.faults.add({ method: 'MOVE', path: /uploads\/[\w-]+$/, fault })
    const lost = new DriveError('busy', 'The upload was taken over.')
    const assertHeld = () => {
      attempts.push('asked')
      if (server.faults.waiting === 0) throw lost
    }
    await rejectsAs(session.complete({}, session.bytes.length, assertHeld), 'unavailable')
    assert.deepEqual(attempts, ['asked', 'asked', 'asked'])
    assert.equal(await getText(drive, 'k'), 'first')
    await session.complete()
    assert.equal(await getText(drive, 'k'), 'second')
  })

  it('does not remove an object that another process published', async (t) => {
    const { drive, others } = await suspendedAt(t, 'DELETE', async (other) => {
      await put(other, 'k', 'second')
    })
    await rejectsAs(drive.remove(bucket, 'k'), 'busy')
    assert.deepEqual(others, ['done'])
    assert.equal(await getText(drive, 'k'), 'second')
  })
})
