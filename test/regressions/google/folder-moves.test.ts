/** Folders that move in one call, and what happens when the call fails, or its outcome is unknown. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import type { FolderMoveOptions } from '../../../src/storage/drives/folder-calls.ts'
import type { GoogleApi } from '../../../src/storage/drives/google/api/google-api.ts'
import { moveLeaseKey } from '../../../src/storage/drives/google/objects/recovery-record.ts'
import { DatabaseLeases } from '../../../src/storage/drives/kit/key-lease-table.ts'
import { KeyLeases } from '../../../src/storage/drives/kit/key-leases.ts'
import {
  bucket,
  bytesOf,
  getText,
  listKeys,
  put,
  rejectsAs,
} from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import {
  driveFolder,
  folderAt,
  type GoogleDrive,
  googleWorld,
  hastyApi,
} from '../../contract/google-drive-under-test.ts'
import { bury, scene } from './mortal-scene.ts'
import { replacing } from './replaced-calls.ts'

type Move = Partial<FolderMoveOptions> & { readonly from?: string; readonly to?: string }

async function move(drive: GoogleDrive, { from = 'a/', to = 'x/y/', ...more }: Move = {}) {
  const options = { beforeMove: async () => undefined, assertMayGoOn: () => undefined, ...more }
  return await drive.moveFolder?.({ bucket, key: from }, { bucket, key: to }, options)
}

/** A drive whose update of a file is done and then fails like this, once. */
async function failing(world: Awaited<ReturnType<typeof googleWorld>>, how: DriveError['kind']) {
  const api = hastyApi(world.emulator)
  let fails = true
  const updateFile: GoogleApi['updateFile'] = async (...call) => {
    if (how === 'denied') throw new DriveError('denied', '403 insufficientFilePermissions')
    const file = await api.updateFile(...call)
    if (!fails) return file
    fails = false
    throw new DriveError(how, 'down')
  }
  return await world.open({ api: replacing(api, { updateFile }) })
}

describe('a folder on Google Drive', () => {
  test('moves with one call, whatever it contains', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const drive = await open()
    const keys = Array.from({ length: 20 }, (_, index) => `a/${index % 3}/${index}`)
    for (const key of keys) await put(drive, key, key)
    const idOf = (path: string) => folderAt(emulator, `${driveFolder}/${bucket}/${path}`)
    const id = idOf('a/1')
    const before = emulator.counters.total
    assert.equal(await move(drive, { to: 'b/' }), 20)
    assert.equal(emulator.counters.total - before, 1)
    assert.equal(idOf('b/1'), id)
    await drive.refresh()
    assert.deepEqual(await listKeys(drive), keys.map((key) => key.replace('a', 'b')).sort())
  })

  test('is found by the next attempt if the reply was lost, and moves no second time', async (t) => {
    const world = await googleWorld(t)
    const drive = await failing(world, 'unavailable')
    for (const key of ['a/1', 'a/b/2']) await put(drive, key, key)
    let earlier: string | undefined
    const beforeMove = async (identity: string) => {
      earlier = identity
    }
    await rejectsAs(move(drive, { beforeMove }), 'unavailable')
    // The index does not know yet that the folder is elsewhere.
    await put(drive, 'a/later', 'later')
    assert.equal(await move(drive, { earlier }), 3)
    await put(drive, 'a/new', 'new')
    assert.equal(await move(drive, { earlier }), 3)
    assert.deepEqual(await listKeys(drive), ['a/new', 'x/y/1', 'x/y/b/2', 'x/y/later'])
    assert.equal(await getText(drive, 'x/y/b/2'), 'a/b/2')
  })

  test('stays, and nothing is left over, if Google does not allow the move', async (t) => {
    const world = await googleWorld(t)
    const drive = await failing(world, 'denied')
    await put(drive, 'a/1', 'one')
    assert.equal(await move(drive), undefined)
    assert.deepEqual(await listKeys(drive), ['a/1'])
    const left = world.emulator.byHand.children(
      folderAt(world.emulator, `${driveFolder}/${bucket}`),
    )
    assert.deepEqual(
      left.filter(({ isTrashed }) => !isTrashed).map(({ name }) => name),
      ['a'],
    )
  })

  test('stays while an upload replaces one of its files, so that the upload keeps its key', async (t) => {
    const { open } = await googleWorld(t)
    const drive = await open()
    await put(drive, 'a/b/1', 'old')
    const upload = await UploadSession.begin(drive, 'a/b/1')
    await upload.append(bytesOf(700_000))
    assert.equal(await move(drive), undefined)
    assert.equal((await upload.complete())?.size, 700_000)
    assert.equal(await move(drive), 1)
  })

  test('waits until a write in it has ended', async (t) => {
    const world = await googleWorld(t)
    const api = hastyApi(world.emulator)
    const [begun, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const uploadSmall: GoogleApi['uploadSmall'] = async (...call) => {
      begun.resolve()
      await released.promise
      return await api.uploadSmall(...call)
    }
    const writer = await world.open({ api: replacing(api, { uploadSmall }) })
    const drive = await world.open()
    await put(drive, 'a/b/1', 'one')
    const order: string[] = []
    const writing = put(writer, 'a/b/2', 'two').then(() => order.push('written'))
    await begun.promise
    const moving = move(drive).then((objects) => order.push(`moved ${objects}`))
    // Long enough for a move that does not wait.
    for (const key of ['c/1', 'c/2', 'c/3', 'c/4']) await put(drive, key, key)
    order.push('released')
    released.resolve()
    await Promise.all([writing, moving])
    assert.equal(order.indexOf('released'), 0)
    assert.ok(order.includes('moved 2'), order.join())
  })

  test('gets no new object while it is moved', async (t) => {
    const { open, database } = await googleWorld(t)
    const drive = await open()
    for (const key of ['a/b/1', 'a/b/2']) await put(drive, key, 'old')
    const leases = new KeyLeases({ table: new DatabaseLeases(database), now: Date.now })
    t.after(() => leases.close())
    const order: string[] = []
    let changing: Promise<unknown> = Promise.resolve()
    await leases.hold([moveLeaseKey({ bucket, key: 'a/' })], async () => {
      const written = put(drive, 'a/b/1', 'new').then(() => order.push('written'))
      const removed = drive.remove(bucket, 'a/b/2').then(() => order.push('removed'))
      changing = Promise.all([written, removed])
      for (const key of ['c/1', 'c/2', 'c/3', 'ab', 'a']) await put(drive, key, key)
      order.push('released')
    })
    await changing
    assert.equal(order[0], 'released')
    assert.deepEqual(await listKeys(drive), ['a', 'a/b/1', 'ab', 'c/1', 'c/2', 'c/3'])
  })

  test('is not moved together with another one of the same name', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const drive = await open()
    await put(drive, 'a/1', 'one')
    emulator.byHand.folder('a', folderAt(emulator, `${driveFolder}/${bucket}`))
    await drive.refresh()
    assert.equal(await move(drive), undefined)
  })

  test('a process that dies at any step of the move: a repetition finishes it', async (t) => {
    const it = await scene(t)
    const { mortal, heir, death } = it
    for (let step = 1; ; step++) {
      const [from, to] = [`a${step}/`, `x${step}/y/`]
      const [key, now] = [`${from}in/1`, `${to}in/1`]
      await put(heir, key, 'one')
      let earlier: string | undefined
      const beforeMove = async (identity: string) => {
        earlier = identity
      }
      const isDead = await death.at(step, () => move(mortal, { from, to, beforeMove }))
      if (isDead) {
        await bury(it)
        const seen = [await getText(heir, key), await getText(heir, now)]
        assert.ok(seen.includes('one'), `step ${step}: neither`)
        assert.equal(await move(heir, { from, to, earlier }), 1, `step ${step}`)
      }
      await heir.refresh()
      assert.deepEqual([await getText(heir, key), await getText(heir, now)], [undefined, 'one'])
      if (!isDead) break
    }
  })
})
