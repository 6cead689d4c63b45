/** What is left of the owner note after an accident, and who gets the drive then. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { DriveNotes } from '../../../../../src/storage/drives/drive-notes.ts'
import { LocalNotes } from '../../../../../src/storage/drives/local/local-notes.ts'
import {
  assertOneKeeps,
  beatMs,
  inUse,
  longBeatMs,
  longestBeatMs,
  scene,
  Table,
  until,
} from './owner-fixture.ts'

/** What a person, a full disk or a broken program may leave of the owner note. */
const lostNotes = [
  ['gone', undefined],
  ['empty', ''],
  ['cut', '{"driveId"'],
] as const

/** Removes the owner note (undefined), or cuts it. */
function loseNote(root: string, rest: string | undefined): void {
  const path = join(root, '.bucketry/owner.json')
  if (rest === undefined) fs.rmSync(path)
  else fs.writeFileSync(path, rest)
}

for (const [label, rest] of lostNotes) {
  test(`a living owner keeps its drive and puts its note back when it is ${label}`, async (t) => {
    const { root, gateway, ownerNote } = scene(t)
    const first = gateway(new Table('a'))
    await first.claim()
    await until(() => fs.existsSync(join(root, '.bucketry/alive.json')))
    const driveId = ownerNote()?.driveId
    // As seen by a gateway that starts before the owner's next heartbeat.
    const notes = new LocalNotes(root)
    const seen: DriveNotes = {
      settleMs: 0,
      read: async (name) => (name === 'owner' ? rest : await notes.read(name)),
      create: (name, text) => notes.create(name, text),
      write: (name, text) => notes.write(name, text),
    }
    loseNote(root, rest)
    await assert.rejects(gateway(new Table('b')).claim(seen), inUse)
    await until(() => fs.existsSync(join(root, '.bucketry/owner.json')))
    await until(() => ownerNote()?.databaseId === 'a')
    assert.equal(ownerNote()?.driveId, driveId)
    assert.deepEqual(first.lost, [])
  })

  test(`an owner elsewhere is waited for when its note is ${label}`, async (t) => {
    const { root, gateway, ownerNote, moveElsewhere, warnings } = scene(t)
    const first = gateway(new Table('a'))
    await first.claim()
    await first.owner.close()
    await moveElsewhere()
    loseNote(root, rest)
    await gateway(new Table('b')).claim()
    assert.match(warnings.join(''), new RegExp(`"waitMs":${5 * beatMs}\\b`))
    assert.equal(ownerNote()?.databaseId, 'b')
  })
}

test('a gateway of the same database starts when the owner note is empty, and the others go on', async (t) => {
  const { root, gateway, ownerNote } = scene(t)
  const table = new Table('a')
  const first = gateway(table)
  await first.claim()
  await until(() => fs.existsSync(join(root, '.bucketry/alive.json')))
  // It does not put its note back before the other one begins with it.
  const driveId = ownerNote()?.driveId
  await first.owner.close()
  loseNote(root, '')
  await gateway(table).claim()
  assert.deepEqual([ownerNote()?.databaseId, ownerNote()?.driveId], ['a', driveId])
})

test('an empty note without a heartbeat gives a running gateway the time to put it back', async (t) => {
  const { root, gateway, warnings } = scene(t)
  fs.mkdirSync(join(root, '.bucketry'), { recursive: true })
  loseNote(root, '')
  await gateway(new Table('a')).claim()
  const { waitMs } = JSON.parse(warnings.find((line) => line.includes('waitMs')) ?? '{}')
  assert.equal(waitMs, 2 * longestBeatMs)
})

test('of two databases that begin with an empty note at once, one gets the drive', async (t) => {
  const { root, gateway, ownerNote } = scene(t)
  fs.mkdirSync(join(root, '.bucketry'), { recursive: true })
  loseNote(root, '')
  await assertOneKeeps({ gateway, ownerNote }, ['a', 'b', 'c'], longBeatMs)
})

test('an owner note that is empty only while its owner writes it is not taken over', async (t) => {
  const { root, gateway, ownerNote } = scene(t)
  const first = gateway(new Table('a'))
  await first.claim()
  await until(() => fs.existsSync(join(root, '.bucketry/alive.json')))
  const notes = new LocalNotes(root)
  let reads = 0
  const seenWhileWritten: DriveNotes = {
    settleMs: 0,
    read: async (name) => (name === 'owner' && ++reads === 1 ? '' : await notes.read(name)),
    create: (name, text) => notes.create(name, text),
    write: (name, text) => notes.write(name, text),
  }
  await assert.rejects(gateway(new Table('b')).claim(seenWhileWritten), inUse)
  assert.equal(ownerNote()?.databaseId, 'a')
})
