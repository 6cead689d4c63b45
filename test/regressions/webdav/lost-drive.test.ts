/** The server loses its disk while the gateway runs: objects must not seem deleted. */
import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import type { ListQuery } from '../../../src/storage/drives/listed-entry.ts'
import { buckets } from '../../contract/drive/drive-suite.ts'
import {
  bucket,
  bytesOf,
  get,
  listKeys,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { davWorldOn } from '../../contract/webdav-world.ts'
import { type FaultyProxy, startFaultyProxy } from '../../fakes/faulty-proxy.ts'
import { absenceOfApache, startApache } from '../../support/webdav/apache.ts'
import { absenceOfLighttpd, startLighttpd } from '../../support/webdav/lighttpd.ts'
import { absenceOfRclone, startRcloneServe } from '../../support/webdav/rclone-serve.ts'

interface Scene {
  readonly drive: Drive
  readonly proxy: FaultyProxy
  /** The drive's folder on the server's disk. */
  readonly root: string
  /** Moves the drive away, and creates what the server shows instead. */
  lose(rest: LostRoot): void
  /** Moves the drive back. */
  restore(): void
}

type LostRoot = 'absent' | 'empty' | 'with a bucket folder'

async function sceneOn(t: TestContext, start: typeof startApache): Promise<Scene> {
  const server = await start(t)
  assert.ok(server)
  const { root } = server
  const proxy = await startFaultyProxy(t, server.httpUrl)
  const drive = await (await davWorldOn(t, proxy.urlFor(server.url))).open()
  await drive.prepare(buckets)
  for (const key of ['a', 'dir/k', 'z/k']) await put(drive, key, 'x')
  const away = `${root}.away`
  const lose = (rest: LostRoot) => {
    renameSync(root, away)
    if (rest !== 'absent') mkdirSync(root)
    if (rest === 'with a bucket folder') mkdirSync(join(root, bucket))
  }
  const restore = () => {
    rmSync(root, { recursive: true, force: true })
    renameSync(away, root)
  }
  return { drive, proxy, root, lose, restore }
}

const listing = (drive: Drive, query: Partial<ListQuery> = {}) =>
  drive.list(bucket, { prefix: '', after: '', ...query })

/** The number of requests that `work` sends to the server. */
async function requestsOf({ proxy }: Scene, work: () => unknown): Promise<number> {
  const before = proxy.requests.length
  await work()
  return proxy.requests.length - before
}

const listings: readonly Partial<ListQuery>[] = [
  {},
  { delimiter: '/' },
  { prefix: 'dir/' },
  { prefix: 'no/such/' },
  { prefix: 'nothing' },
  { after: 'b' },
]

const servers = [
  ['apache', startApache, absenceOfApache()],
  ['lighttpd', startLighttpd, absenceOfLighttpd()],
  ['rclone serve', startRcloneServe, absenceOfRclone()],
] as const

for (const [name, start, skip] of servers) {
  describe(`a drive that is lost on ${name}`, { skip }, () => {
    for (const rest of ['absent', 'empty', 'with a bucket folder'] as const) {
      it(`is not listed as empty when its folder is ${rest}`, async (t) => {
        const { drive, lose, restore } = await sceneOn(t, start)
        // The drive was seen a moment ago.
        assert.equal(await drive.head(bucket, 'absent'), undefined)
        lose(rest)
        for (const query of listings) {
          // Apache answers 405 when the folder of its `Dav` directive is absent.
          await rejectsAs(listing(drive, query).next(1000), 'unavailable', 'denied', 'no-bucket')
        }
        // The findings of listings also count for absent objects.
        await rejectsAs(drive.head(bucket, 'a'), 'unavailable', 'denied')
        restore()
        assert.deepEqual(await listKeys(drive), ['a', 'dir/k', 'z/k'])
      })
    }

    it('reports no object as absent, and no buckets', async (t) => {
      const { drive, lose } = await sceneOn(t, start)
      lose('with a bucket folder')
      await rejectsAs(drive.head(bucket, 'a'), 'unavailable')
      await rejectsAs(Promise.resolve(drive.open(bucket, 'a')), 'unavailable')
      await rejectsAs(drive.remove(bucket, 'a'), 'unavailable')
      await rejectsAs(drive.bucketCreatedAtMs(bucket), 'unavailable')
    })

    it('does not end the uploads that are open', async (t) => {
      const { drive, lose, restore } = await sceneOn(t, start)
      const session = await UploadSession.begin(drive)
      await session.append(bytesOf(100_000, 1))
      lose('with a bucket folder')
      await rejectsAs(session.complete(), 'unavailable', 'busy', 'denied')
      restore()
      await session.append(bytesOf(100_000, 2))
      assert.ok(await session.complete())
      assert.ok((await get(drive, session.target.key))?.equals(session.bytes))
    })

    it('is not listed without the folders that can no longer be read', async (t) => {
      const { drive, lose } = await sceneOn(t, start)
      const cursor = listing(drive)
      assert.equal((await cursor.next(1)).length, 1)
      lose('with a bucket folder')
      await rejectsAs(cursor.next(1000), 'unavailable')
    })

    it('does not list a bucket as empty when its folder is missing', async (t) => {
      const { drive, root } = await sceneOn(t, start)
      rmSync(join(root, bucket), { recursive: true })
      await rejectsAs(listing(drive).next(1000), 'no-bucket')
      await rejectsAs(drive.bucketCreatedAtMs(bucket), 'no-bucket')
    })

    it('costs requests only where nothing was found', async (t) => {
      const scene = await sceneOn(t, start)
      const { drive } = scene
      const absent = () => requestsOf(scene, () => drive.head(bucket, 'absent'))
      // The check of the drive is valid for some seconds: none of them passes.
      const at = performance.now()
      t.mock.method(performance, 'now', () => at)
      assert.deepEqual([await absent(), await absent()], [3, 2])
      const read = (name: string, query: Partial<ListQuery> = {}) =>
        requestsOf(scene, async () => {
          const cursor = drive.list(name, { prefix: '', after: '', ...query })
          while ((await cursor.next(1000)).length > 0);
        })
      assert.equal(await read(bucket, { delimiter: '/' }), 1)
      assert.equal(await read(bucket, { prefix: 'dir/' }), 1)
      assert.equal(await read(bucket), 3)
      assert.equal(await read(buckets[1]), 3)
    })
  })
}
