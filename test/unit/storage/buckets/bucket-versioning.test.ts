import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import { BucketError } from '../../../../src/storage/buckets/bucket-changes.ts'
import { versioningInNote, versioningNote } from '../../../../src/storage/buckets/bucket-note.ts'
import { BucketOptionsTable } from '../../../../src/storage/buckets/bucket-option-table.ts'
import {
  BucketVersioning,
  maxChanges,
  versioningStatus,
} from '../../../../src/storage/buckets/bucket-versioning.ts'
import { MadeBucketTable } from '../../../../src/storage/buckets/made-bucket-table.ts'
import { StoredBucketOptions } from '../../../../src/storage/buckets/stored-bucket-options.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import type { DriveNotes, NoteName } from '../../../../src/storage/drives/drive-notes.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { isNullAt } from '../../../../src/storage/drives/versions.ts'

async function openTable(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-versioning-'))
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  t.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  return { table: new BucketOptionsTable(database), made: new MadeBucketTable(database) }
}

function memoryNotes(texts = new Map<NoteName, string>()): DriveNotes {
  return {
    settleMs: 0,
    read: async (name) => texts.get(name),
    create: async () => false,
    write: async (name, text) => void texts.set(name, text),
  }
}

/** The bucket `photos` is the folder `pictures` of the drive NAS. */
const places = {
  placeOf: (bucket: string) =>
    bucket === 'photos' ? { drive: 'NAS', folder: 'pictures' } : { drive: '', folder: bucket },
  bucketAt(drive: string, folder: string) {
    if (drive === 'NAS') return folder === 'pictures' ? 'photos' : undefined
    return folder
  },
}

async function makeWorld(t: TestContext) {
  const database = await openTable(t)
  const clock = { ms: 1_000 }
  const open = ({ table, made } = database) => {
    const options = new StoredBucketOptions({ table })
    const parts = { table, options, leases: made.leases, places, leadMs: () => 0 }
    const wait = async () => undefined
    const versioning = new BucketVersioning({ ...parts, wait, now: () => clock.ms })
    return { options, versioning }
  }
  return { ...database, clock, open, drive: openMemoryDrive() }
}

test('each change is stored with a later time, and every drive is asked for its own buckets', async (t) => {
  const { clock, open, drive } = await makeWorld(t)
  const { versioning, options } = open()
  const ofNas = versioning.ofDrive('NAS')
  await versioning.change('photos', 'Suspended', drive)
  assert.deepEqual([options.find('photos').versioning, ofNas('pictures')], ['Suspended', undefined])
  await versioning.change('photos', 'Enabled', drive)
  await versioning.change('photos', 'Enabled', drive)
  assert.deepEqual(ofNas('pictures'), { changes: [1_000] })
  assert.equal(versioningStatus(options.find('photos').versioning), 'Enabled')
  clock.ms = 500
  await versioning.change('photos', 'Suspended', drive)
  clock.ms = 2_000
  await versioning.change('photos', 'Enabled', drive)
  assert.deepEqual(ofNas('pictures'), { changes: [1_000, 1_001, 2_000] })
  assert.deepEqual([ofNas('photos'), versioning.ofDrive('')('pictures')], [undefined, undefined])
})

test('two changes at the same time are made one after the other', async (t) => {
  const { open, drive } = await makeWorld(t)
  const [one, two] = [open(), open()]
  await one.versioning.change('files', 'Enabled', drive)
  await Promise.all([
    one.versioning.change('files', 'Suspended', drive),
    two.versioning.change('files', 'Suspended', drive),
  ])
  await Promise.all([
    one.versioning.change('files', 'Enabled', drive),
    two.versioning.change('files', 'Enabled', drive),
  ])
  await one.versioning.load()
  assert.deepEqual(one.versioning.ofDrive('')('files'), { changes: [1_000, 1_001, 1_002] })
})

test('a drive that refuses keeps the bucket as it was, and its reason is shown', async (t) => {
  const { open, drive } = await makeWorld(t)
  const { versioning, options } = open()
  const refusing = { ...drive, versionsRefusal: () => 'It is a tape.' }
  const refused = { kind: 'no-versions', message: 'It is a tape.' }
  await assert.rejects(versioning.change('files', 'Enabled', refusing), refused)
  const without = { ...drive, listVersions: undefined } as never
  await assert.rejects(versioning.change('files', 'Enabled', without), { kind: 'no-versions' })
  const setVersioning = async () => {
    throw new DriveError('unsupported', 'It is a tape.')
  }
  await assert.rejects(versioning.change('files', 'Enabled', { ...drive, setVersioning }), refused)
  assert.deepEqual(options.find('files'), {})
  await versioning.change('files', 'Suspended', refusing)
})

test('a bucket has a maximum of changes', async (t) => {
  const { open, drive, table } = await makeWorld(t)
  const { versioning } = open()
  const changes = Array.from({ length: maxChanges }, (_, index) => index + 1)
  await table.change('files', { documents: { versioning: JSON.stringify({ changes }) } })
  await versioning.change('files', 'Suspended', drive)
  const refused = { kind: 'wrong-state' }
  await assert.rejects(versioning.change('files', 'Enabled', drive), refused)
})

test('versions survive the loss of the database, and a removed bucket is forgotten', async (t) => {
  const { open, drive } = await makeWorld(t)
  const texts = new Map<NoteName, string>()
  const notes = memoryNotes(texts)
  const { versioning } = open()
  assert.deepEqual(await versioning.load('NAS', notes), [])
  await versioning.change('photos', 'Enabled', drive)
  await versioning.change('files', 'Enabled', drive)
  assert.deepEqual(
    versioningInNote(texts.get('versioning')),
    new Map([['pictures', { changes: [1_000] }]]),
  )
  const lost = open(await openTable(t))
  assert.deepEqual(await lost.versioning.load('NAS', notes), ['photos'])
  assert.deepEqual(lost.versioning.ofDrive('NAS')('pictures'), { changes: [1_000] })
  assert.deepEqual(await lost.versioning.load('NAS', notes), [])
  await lost.versioning.forget('photos')
  assert.deepEqual(versioningInNote(texts.get('versioning')), new Map())
})

test('the drive and the database: the one that knows more changes counts', async (t) => {
  const { open, table } = await makeWorld(t)
  const note = versioningNote(new Map([['files', { changes: [1, 2] }]]))
  const notes = memoryNotes(new Map([['versioning', note]]))
  await table.change('files', { documents: { versioning: '{"changes":[1]}' } })
  assert.deepEqual(await open().versioning.load('', notes), ['files'])
  await table.change('files', { documents: { versioning: '{"changes":[1,2,3]}' } })
  const { versioning } = open()
  assert.deepEqual(await versioning.load('', notes), [])
  assert.deepEqual(versioning.ofDrive('')('files'), { changes: [1, 2, 3] })
})

test('a damaged note has no versioning', () => {
  for (const changes of ['[]', '[2,1]', '[1,1]', '["1"]', '[0]', '1', 'null']) {
    assert.equal(versioningInNote(`{"versioning":{"a":{"changes":${changes}}}}`).size, 0, changes)
  }
  for (const text of [undefined, '', '{', 'null', '{"versioning":1}']) {
    assert.equal(versioningInNote(text).size, 0, text)
  }
})

test('a change resolves when all processes have read it, and waits for nobody if there is none', async (t) => {
  const { table, made, drive } = await makeWorld(t)
  const options = new StoredBucketOptions({ table })
  const seen: unknown[] = []
  const wait = async () => void seen.push(versioningStatus(options.find('files').versioning))
  const parts = { table, options, leases: made.leases, places, now: Date.now, wait }
  const versioning = new BucketVersioning({ ...parts, leadMs: () => 2_000 })
  for (const status of ['Enabled', 'Enabled', 'Suspended'] as const) {
    await versioning.change('files', status, drive)
  }
  assert.deepEqual(seen, ['Enabled', 'Suspended'])
})

test('a change begins when all processes have read it, so that they agree about the ID of each version', async (t) => {
  const { table, made, clock, drive } = await makeWorld(t)
  const options = new StoredBucketOptions({ table })
  const leadMs = 2_000
  const storedAtMs: number[] = []
  const begunMs: unknown[] = []
  const resolvedAtMs: number[] = []
  const versioning = new BucketVersioning({
    ...{ options, leases: made.leases, places, now: () => clock.ms, leadMs: () => leadMs },
    table: {
      async change(...change) {
        await table.change(...change)
        clock.ms += 50
        storedAtMs.push(clock.ms)
        await options.reload()
        begunMs.push(versioning.ofDrive('')('files')?.begunMs)
      },
    },
    async wait(ms) {
      clock.ms += ms
    },
  })
  for (const status of ['Enabled', 'Suspended', 'Enabled'] as const) {
    await versioning.change('files', status, drive)
    resolvedAtMs.push(clock.ms)
  }
  const { changes = [] } = versioning.ofDrive('')('files') ?? {}
  const isNull = (timesMs: readonly number[]) => timesMs.map((at) => isNullAt({ changes }, at))
  assert.deepEqual(isNull(storedAtMs), [true, false, true])
  assert.deepEqual(isNull(resolvedAtMs), [false, true, false])
  assert.deepEqual(begunMs, [0, ...changes.slice(0, 2)])
  assert.equal(versioning.ofDrive('')('files')?.begunMs, undefined)
  // The clock is set back: versions stay enabled.
  clock.ms -= 60_000
  assert.equal(versioning.ofDrive('')('files')?.begunMs, undefined)
})

test('Object Lock needs versions and a drive that has locks, and then keeps versions enabled', async (t) => {
  const { open, drive } = await makeWorld(t)
  const { versioning, options } = open()
  const is = (kind: string) => (error: unknown) =>
    error instanceof BucketError && error.kind === kind
  await assert.rejects(versioning.lock('b', {}, { drive }), is('wrong-state'))
  const message = 'The store has no locks.'
  const without = Object.assign(Object.create(drive), {
    enableLocks: () => Promise.reject(new DriveError('unsupported', message)),
  })
  const enabling = versioning.lock('b', {}, { drive: without, enablesVersions: true })
  await assert.rejects(enabling, { kind: 'no-versions', message })
  assert.equal(options.find('b').objectLock, undefined)
  await versioning.lock('b', {}, { drive, enablesVersions: true })
  assert.deepEqual(options.find('b').objectLock, {})
  await assert.rejects(versioning.change('b', 'Suspended', drive), is('wrong-state'))
  const objectLock = { defaultRetention: { mode: 'COMPLIANCE', unit: 'Days', count: 2 } } as const
  await versioning.lock('b', objectLock, { drive })
  const other = open()
  await other.options.reload()
  assert.deepEqual(other.options.find('b').objectLock, objectLock)
})
