/** The notes of a drive about its owner: the same for a folder, WebDAV servers and Google Drive. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import type { DriveNotes } from '../../src/storage/drives/drive-notes.ts'
import { GoogleNotes } from '../../src/storage/drives/google/root-folder.ts'
import { KeyLeases } from '../../src/storage/drives/kit/key-leases.ts'
import { LocalNotes } from '../../src/storage/drives/local/local-notes.ts'
import { DavClient } from '../../src/storage/drives/webdav/client/dav-client.ts'
import { parseDavAddress } from '../../src/storage/drives/webdav/client/dav-path.ts'
import { DavServer } from '../../src/storage/drives/webdav/client/dav-server.ts'
import { DavNotes, OwnFolder } from '../../src/storage/drives/webdav/own-folder.ts'
import { startGoogleEmulator } from '../fakes/google/google-emulator.ts'
import { startNextcloud } from '../fakes/nextcloud/start-nextcloud.ts'
import { absenceOfApache, startApache } from '../support/webdav/apache.ts'
import { absenceOfLighttpd, startLighttpd } from '../support/webdav/lighttpd.ts'
import { absenceOfNginx, startNginxThatMakesFolders } from '../support/webdav/nginx.ts'
import { absenceOfRclone, startRcloneServe } from '../support/webdav/rclone-serve.ts'
import { emptyDatabase, hastyApi } from './google-drive-under-test.ts'

/** Opens the notes of one new drive, each time as another process would. */
type Scene = () => DriveNotes

async function localScene(t: TestContext): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-notes-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return () => new LocalNotes(join(folder, 'new', 'drive'))
}

function davScene(start: (t: TestContext) => Promise<{ readonly url: string } | undefined>) {
  return async (t: TestContext): Promise<Scene> => {
    const server = await start(t)
    assert.ok(server)
    const address = parseDavAddress(server.url)
    return () => {
      const client = new DavClient({ ...address, firstPauseMs: 5 })
      t.after(() => client.close())
      const dav = new DavServer(client, { ...address, root: [...address.root, 'new'] })
      return new DavNotes(dav, new OwnFolder(dav), 300)
    }
  }
}

async function googleScene(t: TestContext): Promise<Scene> {
  const emulator = await startGoogleEmulator()
  t.after(() => emulator.close())
  const { options } = await emptyDatabase(t)
  return () => {
    const api = hastyApi(emulator)
    const leases = new KeyLeases({
      table: options.leases,
      now: Date.now,
      recover: async () => undefined,
    })
    t.after(async () => {
      leases.close()
      await api.close()
    })
    const root = { api, leases, folder: 'Backups/s3' }
    return new GoogleNotes(root, 300)
  }
}

const drives = [
  ['a folder', localScene, false],
  ['apache', davScene(startApache), absenceOfApache()],
  ['lighttpd', davScene(startLighttpd), absenceOfLighttpd()],
  ['nginx that makes folders', davScene(startNginxThatMakesFolders), absenceOfNginx()],
  ['rclone serve', davScene(startRcloneServe), absenceOfRclone()],
  ['nextcloud', davScene(startNextcloud), false],
  ['google drive', googleScene, false],
] as const

for (const [name, open, skip] of drives) {
  describe(`notes of ${name}`, { skip }, () => {
    it('are absent on a new drive, and reading creates nothing', async (t) => {
      const notes = (await open(t))()
      assert.equal(await notes.read('owner'), undefined)
      await assert.rejects(notes.write('alive', 'x'), { name: /Error/ })
      assert.equal(await notes.read('alive'), undefined)
    })

    it('are created once, replaced, and seen by other processes', async (t) => {
      const scene = await open(t)
      const notes = scene()
      const text = JSON.stringify({ a: "it's", b: 'ü"\\' })
      assert.equal(await notes.create('owner', text), true)
      assert.equal(await scene().create('owner', 'other'), false)
      const other = scene()
      assert.equal(await other.read('owner'), text)
      await notes.write('owner', 'next')
      assert.equal(await other.read('owner'), 'next')
      assert.equal(await other.read('alive'), undefined)
      for (const beat of ['1', '2', '3']) {
        await notes.write('alive', beat)
        assert.equal(await other.read('alive'), beat)
      }
    })

    it('are created by one of several processes that start at once', async (t) => {
      const scene = await open(t)
      const texts = ['a', 'b', 'c']
      const made = await Promise.all(texts.map((text) => scene().create('owner', text)))
      const winners = texts.filter((_, index) => made[index])
      assert.deepEqual(winners, [await scene().read('owner')])
    })
  })
}
