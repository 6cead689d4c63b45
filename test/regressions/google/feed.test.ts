/** How long the Google drive trusts what it has read of Google's feed of changes. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { thisProcess } from '../../../src/platform/process/identity.ts'
import { newLeaseOwner } from '../../../src/platform/process/lease-owner.ts'
import { DatabaseLeases } from '../../../src/storage/drives/kit/key-lease-table.ts'
import { bucket, getText, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import {
  driveFolder,
  folderAt,
  type GoogleDrive,
  googleWorld,
} from '../../contract/google-drive-under-test.ts'

/** Until a poll has found the object. */
async function untilThere(drive: GoogleDrive, key: string): Promise<void> {
  while ((await drive.head(bucket, key)) === undefined) await sleep(5)
}

describe('a feed that has not been read for long', () => {
  test('makes writers list the folder before they create a file', async (t) => {
    const { open, emulator } = await googleWorld(t)
    let aheadMs = 0
    const drive = await open({ now: () => Date.now() + aheadMs })
    await put(drive, 'own', 'x')
    const { byHand } = emulator
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    const file = await byHand.file('a', 'by hand', { parent: home })
    const folder = byHand.folder('f', home)
    aheadMs = 5 * 3600 * 1000
    await rejectsAs(put(drive, 'a', 'mine', { conditions: { ifNoneMatch: '*' } }), 'condition')
    await put(drive, 'a', 'mine')
    await put(drive, 'f/b', 'mine')
    assert.equal(byHand.get(file).content?.size, 4)
    assert.equal(byHand.children(folder).length, 1)
    assert.equal(byHand.children(home).length, 3)
  })

  test('makes them list all pages, and new folders', async (t) => {
    const { open, emulator } = await googleWorld(t)
    let aheadMs = 0
    const drive = await open({ now: () => Date.now() + aheadMs })
    await drive.refresh()
    const { byHand, knobs } = emulator
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    const file = await byHand.file('a', 'by hand', { parent: home })
    const inner = byHand.folder('inner', byHand.folder('outer', home))
    const deep = await byHand.file('b', 'by hand', { parent: inner })
    knobs.hasEmptyPages = true
    knobs.pageLimit = 1
    aheadMs = 5 * 3600 * 1000
    await put(drive, 'a', 'mine')
    await put(drive, 'outer/inner/b', 'mine')
    assert.deepEqual(
      [byHand.get(file), byHand.get(deep)].map(({ content }) => content?.size),
      [4, 4],
    )
    assert.equal(byHand.children(inner).length, 1)
  })
})

describe('a bucket that another process has added', () => {
  test('stays in the index, although this process does not know it yet', async (t) => {
    const { open } = await googleWorld(t)
    const [adding, other] = [await open(), await open()]
    await adding.addBucket('added')
    await put(adding, 'k', 'x', { bucket: 'added' })
    await other.refresh()
    assert.equal((await adding.head('added', 'k'))?.size, 1)
  })

  test('is gone for it too when its folder is renamed by hand', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const [adding, other] = [await open(), await open()]
    await adding.addBucket('added')
    emulator.byHand.rename(folderAt(emulator, `${driveFolder}/added`), 'renamed')
    await other.refresh()
    await rejectsAs(adding.head('added', 'k'), 'no-bucket')
  })
})

describe('a clock that is set back', () => {
  test('does not keep the feed from being read', async (t) => {
    const { open, emulator } = await googleWorld(t)
    const dayMs = 86_400_000
    let aheadMs = dayMs
    const drive = await open({ now: () => Date.now() + aheadMs, pollSeconds: 0.02 })
    await drive.refresh()
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    aheadMs = 0
    await emulator.byHand.file('polled', 'x', { parent: home })
    await untilThere(drive, 'polled')
    aheadMs = -dayMs
    await emulator.byHand.file('asked', 'x', { parent: home })
    await drive.refresh()
    assert.equal(await getText(drive, 'asked'), 'x')
  })

  test('does not leave the index to an ended process, also of the version before', async (t) => {
    const { open, emulator, database } = await googleWorld(t)
    const drive = await open()
    await drive.refresh()
    const untilMs = Date.now() + 86_400_000
    const former = 'UPDATE drive_index SET owner = ?, until_ms = ?'
    await database.write([{ sql: former, params: ['another-machine 1 x', untilMs] }])
    const owner = newLeaseOwner(thisProcess.replace(/\/\d+\/\d*$/, '/999999999/1'))
    const table = new DatabaseLeases(database)
    while (!(await table.take(['index'], { owner, untilMs, note: '' }, []))) await sleep(5)
    await emulator.byHand.file('a', 'x', { parent: folderAt(emulator, `${driveFolder}/${bucket}`) })
    await drive.refresh()
    assert.equal(await getText(drive, 'a'), 'x')
  })

  test('does not make writers trust an old index', async (t) => {
    const { open, emulator } = await googleWorld(t)
    let aheadMs = 0
    const drive = await open({ now: () => Date.now() + aheadMs })
    await drive.refresh()
    const { byHand } = emulator
    const home = folderAt(emulator, `${driveFolder}/${bucket}`)
    const file = await byHand.file('a', 'by hand', { parent: home })
    aheadMs = -86_400_000
    await put(drive, 'a', 'mine')
    assert.equal(byHand.get(file).content?.size, 4)
  })
})
