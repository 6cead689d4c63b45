/** Servers that remove the overwritten file first, and then fail. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Drive, ObjectName } from '../../../src/storage/drives/drive.ts'
import type { DriveErrorKind } from '../../../src/storage/drives/drive-error.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import {
  attributesOf,
  bucket,
  getText,
  listKeys,
  md5Of,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { type Nextcloud, startNextcloud } from '../../fakes/nextcloud/start-nextcloud.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'

async function openedOn(t: TestContext, url: string): Promise<Drive> {
  const drive = await (await davWorldOn(t, url)).open()
  await drive.prepare(buckets)
  return drive
}

const ofDraft = { method: 'MOVE', path: /tmp/ } as const

/** The next MOVE of a draft removes the existing object and fails; all others are refused. */
function loseTarget({ faults }: Nextcloud, status: number): void {
  faults.add({ ...ofDraft, fault: { kind: 'lose-target' } })
  faults.add({ ...ofDraft, fault: { kind: 'answer', status }, times: 100 })
}

describe('a MOVE that removes the old object and then fails', () => {
  const failures: readonly (readonly [number, DriveErrorKind])[] = [
    [403, 'unavailable'],
    [500, 'unavailable'],
    [507, 'full'],
  ]
  for (const [status, kind] of failures) {
    for (const conditions of [undefined, { ifMatch: [md5Of(Buffer.from('old'))] }]) {
      const how = conditions === undefined ? '' : ', on a condition,'
      it(`and is answered ${status} from then on${how} leaves the new object for the next writer`, async (t) => {
        const server = await startNextcloud(t)
        const drive = await openedOn(t, server.url)
        await put(drive, 'f/k', 'old')
        loseTarget(server, status)
        await rejectsAs(put(drive, 'f/k', 'new', conditions && { conditions }), kind)
        server.faults.clear()
        assert.deepEqual(await listKeys(drive), ['f/k'])
        assert.equal(await getText(drive, 'f/k'), 'new')
        await put(drive, 'f/k', 'newer')
        assert.equal(await getText(drive, 'f/k'), 'newer')
      })
    }
  }

  it('is sent again, although the condition no longer holds', async (t) => {
    const server = await startNextcloud(t)
    const drive = await openedOn(t, server.url)
    const { etag } = (await put(drive, 'k', 'old')).attributes
    server.faults.add({ ...ofDraft, fault: { kind: 'lose-target' } })
    await put(drive, 'k', 'new', { conditions: { ifMatch: [etag] } })
    assert.equal(await getText(drive, 'k'), 'new')
  })

  it('and keeps failing does not make the object seem absent', async (t) => {
    const server = await startNextcloud(t)
    const drive = await openedOn(t, server.url)
    await put(drive, 'k', 'old')
    loseTarget(server, 507)
    await rejectsAs(put(drive, 'k', 'new'), 'full')
    await rejectsAs(drive.head(bucket, 'k'), 'full')
    await rejectsAs(put(drive, 'k', 'newer'), 'full')
    server.faults.clear()
    assert.equal(await getText(drive, 'k'), 'new')
  })
})

describe('an upload that is completed with fewer parts', () => {
  const failures = [
    { kind: 'answer', status: 500 },
    { kind: 'answer', status: 507 },
    { kind: 'drop-after' },
  ] as const

  const cases = failures.flatMap((fault) =>
    [0, 1].flatMap((skip) => [3, 6].map((size) => ({ fault, skip, size }))),
  )
  // The result of a MOVE without an answer is not undone.
  const isTooLate = ({ fault, skip, size }: (typeof cases)[number]) =>
    fault.kind === 'drop-after' && skip === 1 && size === 6

  async function twoParts(drive: Drive, target: ObjectName): Promise<string> {
    let state = await drive.uploads.begin(target.key, target)
    for (const [index, text] of ['one', 'two'].entries()) {
      const draft = await drive.uploads.append(state, { offset: index * 3, size: 3 })
      await draft.write(Buffer.from(text))
      state = await draft.commit()
    }
    return state
  }

  /** Completes with one part while the MOVE fails, and then with one or both. */
  async function keepsItsBytes(drive: Drive, fail: (one: (typeof cases)[number]) => void) {
    for (const [index, one] of cases.entries()) {
      if (isTooLate(one)) continue
      const target = { bucket, key: `k${index}` }
      const state = await twoParts(drive, target)
      const complete = async (size: number) => {
        const attributes = attributesOf(Buffer.from('onetwo').subarray(0, size))
        return await drive.uploads.complete(state, { target, size, attributes })
      }
      fail(one)
      await assert.rejects(complete(3), JSON.stringify(one))
      assert.equal((await complete(one.size))?.size, one.size)
      assert.equal(await getText(drive, target.key), 'onetwo'.slice(0, one.size))
    }
  }

  it('keeps its bytes when a MOVE fails, on Apache', { skip: absenceOfApache() }, async (t) => {
    const server = await startApache(t)
    assert.ok(server)
    const proxy = await startFaultyProxy(t, server.httpUrl)
    await keepsItsBytes(await openedOn(t, proxy.urlFor(server.url)), ({ skip, fault }) => {
      proxy.faults.add({ method: 'MOVE', path: /uploads|tmp/, skip, fault })
    })
  })

  it('keeps its bytes when a MOVE fails, on Nextcloud', async (t) => {
    const server = await startNextcloud(t)
    await keepsItsBytes(await openedOn(t, server.url), ({ skip, fault }) => {
      server.faults.add({ method: 'MOVE', path: /files.*(uploads|tmp)/, skip, fault })
    })
  })
})
