import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { noteText } from '../../../../src/app/fleet/known-drives.ts'
import type { DriveNotes } from '../../../../src/storage/drives/drive-notes.ts'
import { LocalNotes } from '../../../../src/storage/drives/local/local-notes.ts'

import {
  assertOneKeeps,
  beatMs,
  inUse,
  longestBeatMs,
  scene,
  Table,
  until,
  writeWindowMs,
} from '../start/drives/owner-fixture.ts'

test('a drive with a live owner is refused to another database, on this machine immediately', async (t) => {
  const { gateway, ownerNote } = scene(t)
  await gateway(new Table('a')).claim()
  await until(() => ownerNote()?.databaseId === 'a')
  await assert.rejects(gateway(new Table('b')).claim(), inUse)
  assert.equal(ownerNote()?.databaseId, 'a')
})

test('a changing heartbeat means a live owner, whatever its clock shows', async (t) => {
  const { root, gateway, moveElsewhere } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await first.owner.close()
  await moveElsewhere()
  const path = join(root, '.bucketry/alive.json')
  fs.utimesSync(path, 0, 0)
  await assert.rejects(gateway(new Table('b')).claim(beatenNotes(t, root)), inUse)
  assert.equal(fs.statSync(path).mtimeMs, 0)
})

/** The notes of a drive whose owner on another machine has a heartbeat before each look. */
function beatenNotes(t: TestContext, root: string): LocalNotes {
  const notes = new LocalNotes(root)
  const other = new LocalNotes(root)
  let beat = 0
  t.mock.method(notes, 'read', async (name: 'owner' | 'alive') => {
    if (name === 'alive') {
      beat += 1
      const alive = { databaseId: 'a', process: 'other-host/1/1', host: 'other', beat: `${beat}` }
      await other.write('alive', noteText(alive))
      fs.utimesSync(join(root, '.bucketry/alive.json'), 0, 0)
    }
    return await other.read(name)
  })
  return notes
}

test('two gateways of one database can create the drive at the same time', async (t) => {
  const { root, gateway } = scene(t)
  const table = new Table('a')
  const other = gateway(table)
  const notes = new LocalNotes(root)
  let isFirstLook = true
  t.mock.method(notes, 'read', async (name: 'owner' | 'alive') => {
    const text = await LocalNotes.prototype.read.call(notes, name)
    if (isFirstLook) await other.claim()
    isFirstLook = false
    return text
  })
  await gateway(table).claim(notes)
  assert.equal(isFirstLook, false)
})

test('an owner note that another first start replaces at the same moment is not used', async (t) => {
  const { root, gateway, ownerNote } = scene(t)
  const table = new Table('a')
  const files = new LocalNotes(root)
  const note = (driveId: string) => noteText({ driveId, databaseId: 'a', database: 'sqlite:a' })
  const changes = ['replaced once', 'replaced twice']
  const notes: DriveNotes = {
    settleMs: 1,
    read: async (name) => {
      const text = await files.read(name)
      const next = name === 'owner' ? changes.shift() : undefined
      if (next !== undefined) await files.write('owner', note(next))
      return text
    },
    create: (name, text) => files.create(name, text),
    write: (name, text) => files.write(name, text),
  }
  await files.create('owner', note('created'))
  const first = gateway(table)
  await first.claim(notes)
  assert.equal(ownerNote()?.driveId, 'replaced twice')
  assert.deepEqual([...table.locations.values()], ['replaced twice'])
  assert.deepEqual(first.lost, [])
})

test('a drive without a live owner is taken over with a warning, and keeps its id', async (t) => {
  const { gateway, ownerNote, warnings, moveElsewhere } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await first.owner.close()
  const driveId = ownerNote()?.driveId
  await moveElsewhere()
  const table = new Table('b')
  await gateway(table).claim()
  assert.match(warnings.join(''), new RegExp(`"waitMs":${5 * beatMs}\\b`))
  assert.deepEqual([ownerNote()?.databaseId, ownerNote()?.driveId], ['b', driveId])
  assert.deepEqual([...table.locations.values()], [driveId])
  assert.match(warnings.join(''), /no longer in use: open uploads of that database are kept/)
})

test('an owner gets the time of its own heartbeat, or the longest one if it is unknown', async (t) => {
  const cases = [
    [{ beatMs: 2 * beatMs }, 2 * beatMs],
    [{ beatMs: 1 }, beatMs],
    [{ beatMs: 2 ** 60 }, longestBeatMs],
    [{}, longestBeatMs],
    [{ beatMs: Number.NaN }, longestBeatMs],
  ] as const
  const check = async ([fields, expectedMs]: (typeof cases)[number]) => {
    const { gateway, moveElsewhere, warnings } = scene(t)
    const first = gateway(new Table('a'))
    await first.claim()
    await first.owner.close()
    await moveElsewhere(fields)
    const startedAt = performance.now()
    await gateway(new Table('b')).claim()
    assert.ok(performance.now() - startedAt >= 5 * expectedMs)
    const { waitMs } = JSON.parse(warnings.find((line) => line.includes('waitMs')) ?? '{}')
    assert.equal(waitMs, 5 * expectedMs)
  }
  await Promise.all(cases.map(check))
})

/** So rarely that the test only sees a second heartbeat if a gateway asks. */
const rareBeatMs = 600_000

test('an owner whose heartbeats are rare answers a gateway that asks', async (t) => {
  const { root, gateway } = scene(t)
  const path = join(root, '.bucketry/alive.json')
  const owner = gateway(new Table('a'), rareBeatMs, { beatMs: rareBeatMs })
  await owner.claim()
  await until(() => fs.existsSync(path))
  // As of another machine: otherwise it would be refused without a question.
  const alive = JSON.parse(fs.readFileSync(path, 'utf8'))
  await new LocalNotes(root).write('alive', noteText({ ...alive, process: 'other-host/1/1' }))
  await assert.rejects(gateway(new Table('b'), rareBeatMs).claim(), inUse)
  assert.equal(JSON.parse(fs.readFileSync(path, 'utf8')).askedBy, undefined)
})

test('a question of another gateway, or an incomplete note, is not a heartbeat', async (t) => {
  const { root, gateway, ownerNote, moveElsewhere } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await first.owner.close()
  await moveElsewhere()
  const path = join(root, '.bucketry/alive.json')
  const claimed = gateway(new Table('b')).claim()
  await until(() => JSON.parse(fs.readFileSync(path, 'utf8')).askedBy === 'b')
  const question = fs.readFileSync(path, 'utf8')
  fs.writeFileSync(path, question.slice(0, 20))
  await sleep(beatMs)
  fs.writeFileSync(path, question.replace('"askedBy":"b"', '"askedBy":"c"'))
  await claimed
  assert.equal(ownerNote()?.databaseId, 'b')
})

test('a heartbeat contains the interval to the next one', async (t) => {
  const { root, gateway } = scene(t)
  await gateway(new Table('a')).claim()
  const path = join(root, '.bucketry/alive.json')
  await until(() => fs.existsSync(path))
  assert.equal(JSON.parse(fs.readFileSync(path, 'utf8')).beatMs, beatMs)
})

test('the same database starts again without waiting, and several gateways share it', async (t) => {
  const { gateway, ownerNote, moveElsewhere, warnings } = scene(t)
  const table = new Table('a')
  await gateway(table).claim()
  await moveElsewhere()
  const other = gateway(table)
  await other.claim()
  // A gateway that waits logs for how long.
  assert.doesNotMatch(warnings.join(''), /waitMs/)
  await sleep(3 * beatMs)
  assert.deepEqual(other.lost, [])
  assert.equal(ownerNote()?.databaseId, 'a')
})

test('of two databases that begin on a new drive at once, one gets it', async (t) => {
  const { gateway, ownerNote } = scene(t)
  await assertOneKeeps({ gateway, ownerNote }, ['a', 'b', 'c'])
})

test('of two databases that take a drive over at once, one keeps it', async (t) => {
  const { gateway, ownerNote, moveElsewhere } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await first.owner.close()
  await moveElsewhere()
  await assertOneKeeps({ gateway, ownerNote }, ['b', 'c'])
})

test('a gateway that takes a drive over waits before it begins, for others that do the same', async (t) => {
  const { root, gateway, moveElsewhere } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await first.owner.close()
  await moveElsewhere()
  const notes = new LocalNotes(root)
  let writtenAt = Number.NaN
  t.mock.method(notes, 'write', async (name: 'owner' | 'alive', text: string) => {
    await LocalNotes.prototype.write.call(notes, name, text)
    if (name === 'owner') writtenAt = performance.now()
  })
  await gateway(new Table('b')).claim(notes)
  assert.ok(performance.now() - writtenAt >= writeWindowMs - 1)
})

test('an owner that was suspended while another took over stops, and does not take it back', async (t) => {
  const { root, gateway, ownerNote } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  const driveId = ownerNote()?.driveId ?? ''
  const note = { driveId, databaseId: 'b', database: 'sqlite:/other' }
  await new LocalNotes(root).write('owner', noteText(note))
  await until(() => first.lost.length > 0)
  assert.match(first.lost.join(), /now belongs to another database \(sqlite:\/other\)/)
  await sleep(3 * beatMs)
  assert.equal(first.lost.length, 1)
  assert.deepEqual(ownerNote(), note)
})

test('an empty folder in place of a drive that the database knows is refused, and stays empty', async (t) => {
  const { root, gateway } = scene(t)
  const table = new Table('a')
  const first = gateway(table)
  await first.claim()
  await first.owner.close()
  fs.rmSync(root, { recursive: true })
  const notMounted = { name: 'SettingsError', message: /DRIVE is file:.* mount it/ }
  await assert.rejects(gateway(table).claim(), notMounted)
  assert.equal(fs.existsSync(root), false)
  fs.mkdirSync(root)
  await assert.rejects(gateway(table).claim(), notMounted)
  assert.deepEqual(fs.readdirSync(root), [])
  // As the message says.
  fs.mkdirSync(join(root, '.bucketry'))
  fs.writeFileSync(join(root, '.bucketry/owner.json'), '')
  await gateway(table).claim()
})

test('a folder of an earlier version, without an owner note, is adopted', async (t) => {
  const { root, gateway, ownerNote } = scene(t)
  fs.mkdirSync(join(root, '.bucketry/uploads'), { recursive: true })
  await gateway(new Table('a')).claim()
  assert.equal(ownerNote()?.databaseId, 'a')
})

test('the heartbeat does not recreate a drive that is unmounted while it is served', async (t) => {
  const { root, gateway } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await until(() => fs.existsSync(join(root, '.bucketry/alive.json')))
  fs.renameSync(root, `${root}-away`)
  fs.mkdirSync(root)
  await sleep(4 * beatMs)
  assert.deepEqual(fs.readdirSync(root), [])
  assert.deepEqual(first.lost, [])
})

test('another drive of another database in place of the known one is refused', async (t) => {
  const { root, gateway } = scene(t)
  const table = new Table('a')
  await gateway(table).claim()
  const note = { driveId: 'other-drive', databaseId: 'z', database: 'sqlite:/other' }
  await new LocalNotes(root).write('owner', noteText(note))
  await assert.rejects(gateway(table).claim(), { message: /belongs to sqlite:\/other\. Mount/ })
})

test('a worker serves no drive but the one that its primary has claimed', async (t) => {
  const { root, gateway } = scene(t)
  const table = new Table('a')
  await gateway(table).claim()
  await gateway(table).owner.verify(new LocalNotes(root))
  fs.renameSync(root, `${root}-away`)
  await assert.rejects(gateway(table).owner.verify(new LocalNotes(root)), { message: /mounted/ })
  assert.equal(fs.existsSync(root), false)
})

test('a gateway starts if its database takes over the drive meanwhile', async (t) => {
  const { gateway, ownerNote, moveElsewhere } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await first.owner.close()
  await moveElsewhere()
  const table = new Table('b')
  const second = gateway(table)
  const third = gateway(table, longestBeatMs, { beatMs: longestBeatMs })
  await Promise.all([second.claim(), third.claim()])
  assert.deepEqual([second.lost, third.lost], [[], []])
  assert.equal(ownerNote()?.databaseId, 'b')
})
