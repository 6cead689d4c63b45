/** What the next process does with what a dead one left between two steps. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import type { Drive } from '../../src/drives/drive.ts'
import { openWebdavDrive } from '../../src/drives/webdav/webdav-drive.ts'
import { thisProcess } from '../../src/process/identity.ts'
import { DatabaseDavRecords } from '../../src/state/dav-records.ts'
import { DatabaseLeases } from '../../src/state/key-leases.ts'
import { openDatabase } from '../../src/state/open-database.ts'
import { type Nextcloud, startNextcloud } from '../support/webdav/nextcloud/start-nextcloud.ts'
import { buckets } from './drive/drive-suite.ts'
import { bucket, getText, listKeys, put, rejectsAs } from './drive/stored-object.ts'
import { UploadSession } from './drive/upload-session.ts'
import { folderFor } from './webdav-drive-under-test.ts'

/** Process 1 began long before this tick. */
const deadProcess = thisProcess.replace(/\/\d+\/\d*$/, '/1/99999999999999')
const tmp = `.stowage/tmp/${deadProcess.replaceAll('/', '~')}`

interface World {
  readonly server: Nextcloud
  readonly leases: DatabaseLeases
  open(): Promise<Drive>
}

async function worldOf(t: TestContext): Promise<World> {
  const server = await startNextcloud(t)
  const folder = folderFor(t)
  const location = { kind: 'sqlite', path: `${folder}/stowage.db` } as const
  const database = await openDatabase(location, { migrate: true })
  t.after(() => database.close())
  const leases = new DatabaseLeases(database)
  const log = { info: () => undefined, warn: () => undefined }
  const open = async () => {
    const records = new DatabaseDavRecords(database)
    const spool = { spoolFolder: `${folder}/spool`, maxSpoolBytes: 1_000_000 }
    const drive = await openWebdavDrive({ url: server.url, records, leases, log, ...spool })
    t.after(async () => {
      await drive.close()
      records.close()
    })
    return drive
  }
  return { server, leases, open }
}

/** The lease of a process that died while it did what the note says. */
async function leaveLease(world: World, place: string, note: object): Promise<void> {
  const claim = {
    owner: `${deadProcess} x`,
    untilMs: Date.now() + 15_000,
    note: JSON.stringify(note),
  }
  assert.ok(await world.leases.take([place], claim, []))
}

describe('a process that died in the middle of a write', () => {
  for (const when of ['at start', 'when the object is asked for'] as const) {
    it(`and had the old object removed already: the new one is put there ${when}`, async (t) => {
      const world = await worldOf(t)
      const running = await world.open()
      await running.prepare(buckets)
      world.server.otherClient.put(`${tmp}/new`, Buffer.from('new'))
      await leaveLease(world, `${bucket}/k`, { bucket, key: 'k', path: [...tmp.split('/'), 'new'] })
      const drive = when === 'at start' ? await world.open() : running
      if (when === 'at start') await drive.prepare(buckets)
      assert.equal(await getText(drive, 'k'), 'new')
      assert.deepEqual(await listKeys(drive), ['k'])
      await put(drive, 'k', 'newer')
      assert.equal(await getText(drive, 'k'), 'newer')
    })
  }

  it('and had not begun to move it: the object stays, the new bytes are swept', async (t) => {
    const world = await worldOf(t)
    const first = await world.open()
    await first.prepare(buckets)
    await put(first, 'k', 'old')
    world.server.otherClient.put(`${tmp}/new`, Buffer.from('new'))
    await leaveLease(world, `${bucket}/k`, { bucket, key: 'k', path: [...tmp.split('/'), 'new'] })
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.equal(await getText(drive, 'k'), 'old')
    const left = world.server.otherClient.list('.stowage/tmp')
    assert.deepEqual(
      left.filter((path) => path.includes('new')),
      [],
    )
  })
})

describe('a process that died while it removed a folder', () => {
  it('into which somebody had put something: the folder is put back', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const first = await world.open()
    await first.prepare(buckets)
    otherClient.put('.stowage/aside/x/by hand', Buffer.from('mine'))
    const note = { folder: [bucket, 'f'], aside: ['.stowage', 'aside', 'x'] }
    await leaveLease(world, `${bucket}/f`, note)
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.equal(await getText(drive, 'f/by hand'), 'mine')
    assert.deepEqual(otherClient.list('.stowage/aside'), [])
  })

  it('of whose name there is another by now: what is in it goes there', async (t) => {
    const world = await worldOf(t)
    const { otherClient } = world.server
    const first = await world.open()
    await first.prepare(buckets)
    await put(first, 'f/new', 'new')
    await put(first, 'f/both', 'new')
    for (const name of ['one', 'both', 'deep/er']) {
      otherClient.put(`.stowage/aside/x/${name}`, Buffer.from('old'))
    }
    const note = { folder: [bucket, 'f'], aside: ['.stowage', 'aside', 'x'] }
    await leaveLease(world, `${bucket}/f`, note)
    const drive = await world.open()
    await drive.prepare(buckets)
    assert.deepEqual(await listKeys(drive), ['f/both', 'f/deep/er', 'f/new', 'f/one'])
    assert.equal(await getText(drive, 'f/both'), 'new')
    assert.deepEqual(otherClient.list('.stowage/aside'), ['x/', 'x/both'])
  })
})

describe('parts that Nextcloud refuses to put together', () => {
  it('are told of at once, and stay for who completes the upload again', async (t) => {
    const world = await worldOf(t)
    const drive = await world.open()
    await drive.prepare(buckets)
    await put(drive, 'k', 'old')
    const upload = await UploadSession.begin(drive, 'k')
    await upload.append(Buffer.from('one'))
    await upload.append(Buffer.from('two'))
    const fault = { kind: 'answer', status: 400 } as const
    world.server.faults.add({ method: 'MOVE', path: /\.file$/, fault })
    const startedAt = performance.now()
    await rejectsAs(upload.complete(), 'unavailable')
    assert.ok(performance.now() - startedAt < 5_000)
    assert.equal(await getText(drive, 'k'), 'old')
    await upload.append(Buffer.from('three'))
    assert.equal((await upload.complete())?.size, 11)
    assert.equal(await getText(drive, 'k'), 'onetwothree')
  })
})

describe('several processes at their first start', () => {
  it('agree on how keys are written as names', async (t) => {
    const world = await worldOf(t)
    const drives = await Promise.all([world.open(), world.open(), world.open()])
    for (const drive of drives) await drive.prepare(buckets)
    const keys = ['.htaccess', 'a\\b', 'x.part', 'e\u0301', 'tab\t']
    for (const [index, key] of keys.entries()) {
      const drive = drives[index % 3]
      assert.ok(drive)
      await put(drive, key, key)
    }
    for (const drive of drives) {
      for (const key of keys) assert.equal(await getText(drive, key), key)
    }
    const left = world.server.otherClient.list('.stowage/tmp')
    assert.equal(left.length, 1, 'what was tried out is gone')
  })
})
