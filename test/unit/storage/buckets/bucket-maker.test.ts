import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from '../../../../src/platform/state/database.ts'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import {
  BucketMaker,
  type BucketMakerParts,
  maxMadeBuckets,
} from '../../../../src/storage/buckets/bucket-maker.ts'
import { findMadeBuckets, namesInNote } from '../../../../src/storage/buckets/bucket-note.ts'
import { BucketOptionsTable } from '../../../../src/storage/buckets/bucket-option-table.ts'
import { ServedBuckets } from '../../../../src/storage/buckets/buckets.ts'
import { changeKey, MadeBucketTable } from '../../../../src/storage/buckets/made-bucket-table.ts'
import type { Drive } from '../../../../src/storage/drives/drive.ts'
import type { DriveNotes, NoteName } from '../../../../src/storage/drives/drive-notes.ts'
import { openMemoryDrive } from '../../../../src/storage/drives/memory/memory-drive.ts'
import { policyOfAccess } from '../../../../src/storage/s3/configuration/policy-document.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'

const isBucketName = (name: string) => /^[a-z0-9-]{3,63}$/.test(name)
const configured = servedBuckets(['files'])

async function makeWorld(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-made-'))
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  t.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const table = new MadeBucketTable(database)
  const texts = new Map<NoteName, string>()
  const notes: DriveNotes = {
    settleMs: 0,
    read: async (name) => texts.get(name),
    create: async () => false,
    write: async (name, text) => void texts.set(name, text),
  }
  const drive = openMemoryDrive()
  await drive.prepare(['files'])
  const buckets = new ServedBuckets(configured, () => table.all())
  const parts: BucketMakerParts = {
    ...{ table, drive, notes, configured, isBucketName, now: Date.now },
    refresh: () => buckets.reload(),
    abortUploads: async () => undefined,
  }
  return {
    ...{ database, table, notes, texts, drive, buckets, parts },
    maker: new BucketMaker(parts),
    noted: () => namesInNote(texts.get('buckets'), isBucketName),
    names: () => buckets.all().map(({ name }) => name),
  }
}

type World = Awaited<ReturnType<typeof makeWorld>>

/** What a gateway does at start, after the process died. */
async function restart({ table, notes, drive, buckets, maker }: World): Promise<void> {
  await findMadeBuckets({ notes, table, isBucketName, nowMs: 1 })
  const rows = await table.all()
  await drive.prepare(rows.filter((row) => row.isRemoving === 0).map(({ bucket }) => bucket))
  await maker.sweep()
  await buckets.reload()
}

async function hasFolder(drive: Drive, bucket: string): Promise<boolean> {
  try {
    await drive.bucketCreatedAtMs(bucket)
    return true
  } catch {
    return false
  }
}

async function write(drive: Drive, bucket: string): Promise<void> {
  const draft = await drive.draft(bucket, 'key', {})
  await draft.publish({ etag: 'e', userMetadata: {} } as never)
}

test('a bucket is made once, noted on the drive, and removed', async (t) => {
  const { maker, names, noted, drive, buckets } = await makeWorld(t)
  await maker.create('photos')
  await assert.rejects(maker.create('photos'), { kind: 'exists' })
  await assert.rejects(maker.create('files'), { kind: 'exists' })
  await assert.rejects(maker.create('No'), { kind: 'invalid-name' })
  assert.deepEqual(names(), ['files', 'photos'])
  assert.ok(Math.abs((buckets.find('photos')?.madeAtMs ?? 0) - Date.now()) < 60_000)
  assert.deepEqual(noted(), ['photos'])
  await write(drive, 'photos')
  await assert.rejects(maker.remove('photos'), { kind: 'not-empty' })
  assert.deepEqual(names(), ['files', 'photos'])
  await drive.remove('photos', 'key')
  await maker.remove('photos')
  assert.deepEqual([names(), noted()], [['files'], []])
  assert.equal(await hasFolder(drive, 'photos'), false)
  await assert.rejects(maker.remove('photos'), { kind: 'no-bucket' })
  await assert.rejects(maker.remove('files'), { kind: 'from-settings' })
})

test('a folder with content is not made a bucket, and stays', async (t) => {
  const { maker, names, noted, drive } = await makeWorld(t)
  await drive.addBucket('diary')
  await write(drive, 'diary')
  await assert.rejects(maker.create('diary'), { kind: 'folder-exists' })
  assert.deepEqual([names(), noted()], [['files'], []])
  assert.ok(await drive.head('diary', 'key'))
})

/** Kills the process before its n-th step: every later call of it has no effect. */
function dyingAt(step: number, { parts }: World): { maker: BucketMaker; steps: () => number } {
  let done = 0
  const guard = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        const isStep = [
          'addBucket',
          'removeBucket',
          'write',
          'add',
          'remove',
          'setRemoving',
          'setFirstOptions',
        ]
        return (...args: unknown[]) => {
          if (isStep.includes(String(name))) {
            done += 1
            if (done >= step) throw new Error('killed')
          }
          return Reflect.apply(value, target, args)
        }
      },
    })
  const { drive, notes, table } = parts
  const maker = new BucketMaker({
    ...parts,
    ...{ drive: guard(drive), notes: notes && guard(notes), table: guard(table) },
  })
  return { maker, steps: () => done }
}

async function policiesIn(database: Database): Promise<string[]> {
  const rows = await new BucketOptionsTable(database).documentsChangedAfter(0)
  return rows.flatMap(({ document }) => (document === '' ? [] : [document]))
}

test('a kill between any two steps of creating leaves a complete bucket or none', async (t) => {
  const outcomes = new Set<string>()
  for (let step = 1; ; step += 1) {
    const world = await makeWorld(t)
    const { maker, steps } = dyingAt(step, world)
    const policy = policyOfAccess('public', 'photos')
    const isDone = await maker.create('photos', '', policy).then(
      () => true,
      () => false,
    )
    await restart(world)
    const isServed = world.names().includes('photos')
    outcomes.add(isServed ? 'complete' : 'none')
    if (isServed) {
      assert.ok(await hasFolder(world.drive, 'photos'), `step ${step}`)
      assert.deepEqual(await policiesIn(world.database), [JSON.stringify(policy)], `step ${step}`)
    }
    await world.maker.create('photos').catch((error) => assert.equal(error.kind, 'exists'))
    await write(world.drive, 'photos')
    assert.deepEqual(world.noted(), ['photos'])
    if (isDone) {
      assert.equal(steps(), step - 1)
      break
    }
  }
  assert.deepEqual([...outcomes].sort(), ['complete', 'none'])
})

test('a kill between any two steps of removing leaves a complete bucket or none', async (t) => {
  const outcomes = new Set<string>()
  for (let step = 1; ; step += 1) {
    const world = await makeWorld(t)
    await world.maker.create('photos')
    const { maker } = dyingAt(step, world)
    const isDone = await maker.remove('photos').then(
      () => true,
      () => false,
    )
    await restart(world)
    const isServed = world.names().includes('photos')
    outcomes.add(isServed ? 'complete' : 'none')
    assert.equal(await hasFolder(world.drive, 'photos'), isServed, `step ${step}`)
    assert.deepEqual(world.noted(), isServed ? ['photos'] : [])
    if (isDone) break
  }
  assert.deepEqual([...outcomes].sort(), ['complete', 'none'])
})

test('an interrupted removal is not finished if an object was written meanwhile', async (t) => {
  const world = await makeWorld(t)
  await world.maker.create('photos')
  await assert.rejects(dyingAt(2, world).maker.remove('photos'), /killed/)
  await write(world.drive, 'photos')
  await restart(world)
  assert.ok(await world.drive.head('photos', 'key'))
  assert.deepEqual(world.names(), ['files', 'photos'])
  assert.deepEqual(
    (await world.table.all()).map(({ isRemoving }) => isRemoving),
    [0],
  )
})

test('a bucket whose removal was interrupted does not count for the limit', async (t) => {
  const world = await makeWorld(t)
  const { table } = world
  const held = { owner: 'me', untilMs: 5, note: '' }
  assert.ok(await table.leases.take([changeKey], held, []))
  const count = maxMadeBuckets - 1
  for (let number = 0; number < count; number += 1) {
    const bucket = `full-${number}`
    assert.ok(await table.add({ bucket, madeAtMs: 1, region: '' }, 'me'))
  }
  await table.leases.release([changeKey], { owner: 'me', bumped: [], keepsNote: false })
  await world.maker.create('photos')
  await assert.rejects(world.maker.create('one-more'), { kind: 'too-many' })
  await assert.rejects(dyingAt(2, world).maker.remove('photos'), /killed/)
  // Its row is still there.
  await world.maker.create('music')
  await assert.rejects(world.maker.create('photos'), { kind: 'too-many' })
  await world.maker.remove('music')
  await world.maker.create('photos')
})

test('a lost database: made buckets are found again on the drive', async (t) => {
  const before = await makeWorld(t)
  await before.maker.create('photos')
  await before.maker.create('music')
  await write(before.drive, 'photos')
  const after = await makeWorld(t)
  const { notes, drive } = before
  const parts = { table: after.table, notes, isBucketName, nowMs: 7 }
  assert.deepEqual(await findMadeBuckets(parts), ['music', 'photos'])
  assert.deepEqual(await findMadeBuckets(parts), [])
  await after.buckets.reload()
  assert.deepEqual(after.names(), ['files', 'music', 'photos'])
  assert.ok(await drive.head('photos', 'key'))
})

test('a damaged note names no buckets', () => {
  for (const text of [undefined, '', '{', 'null', '{"buckets":"a"}', '{"buckets":["../x",1]}']) {
    assert.deepEqual(namesInNote(text, isBucketName), [])
  }
})

test('a process that has lost the lease changes nothing', async (t) => {
  const { table } = await makeWorld(t)
  const photos = { bucket: 'photos', madeAtMs: 1, region: 'eu-west-1' }
  assert.equal(await table.add(photos, 'someone'), false)
  const { leases } = table
  assert.ok(await leases.take([changeKey], { owner: 'me', untilMs: 5, note: '' }, []))
  assert.equal(await table.add(photos, 'me'), true)
  assert.equal(await table.setRemoving('photos', true, 'you'), false)
  // A gateway of the version before may have removed and created it again during an upgrade.
  assert.equal(await table.remove('photos', 'me'), false)
  assert.equal(await table.setRemoving('photos', true, 'me'), true)
  assert.equal(await table.remove('photos', 'you'), false)
  await leases.release([changeKey], { owner: 'me', bumped: [], keepsNote: false })
  assert.equal(await table.remove('photos', 'me'), false)
  assert.deepEqual(await table.all(), [{ ...photos, isRemoving: 1 }])
})

test('a maker whose lease another process takes meanwhile changes no row', async (t) => {
  const { parts, table } = await makeWorld(t)
  const refresh = async () => assert.fail()
  const addBucket = async () => {
    const { leases } = await table.leases.look([changeKey], [])
    await table.leases.take([changeKey], { owner: 'you', untilMs: 5, note: '' }, leases)
  }
  const drive = Object.assign(openMemoryDrive(), { addBucket })
  await drive.prepare(['photos'])
  const maker = new BucketMaker({ ...parts, drive, refresh })
  await assert.rejects(maker.create('photos'), { kind: 'busy' })
  assert.deepEqual(await table.all(), [])
})

test('a lease and a removal that the version before left behind do not block', async (t) => {
  const world = await makeWorld(t)
  const { database, maker, table, drive } = world
  const untilMs = Date.now() + 30_000
  const lease = 'UPDATE made_buckets_lease SET lease_owner = ?, lease_until_ms = ?'
  const row = "INSERT INTO made_buckets (bucket, made_at_ms, is_removing) VALUES ('gone', 1, 1)"
  await database.write([{ sql: lease, params: ['far/1/1 x', untilMs] }, { sql: row }])
  await drive.prepare(['gone'])
  await restart(world)
  assert.deepEqual(await table.all(), [])
  await maker.create('photos')
  assert.deepEqual(world.names(), ['files', 'photos'])
})

test('a bucket is created although its lease could not be returned', async (t) => {
  const { maker, names, table } = await makeWorld(t)
  t.mock.method(table.leases, 'release', () => Promise.reject(new Error('no database')))
  await maker.create('photos')
  assert.deepEqual(names(), ['files', 'photos'])
})

test('makers in several processes: one creates, the others find that it exists', async (t) => {
  const { parts, names, table } = await makeWorld(t)
  const makers = Array.from({ length: 4 }, () => new BucketMaker(parts))
  const results = await Promise.allSettled(makers.map((maker) => maker.create('photos')))
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
  assert.deepEqual(names(), ['files', 'photos'])
  assert.deepEqual((await table.leases.look([changeKey], [])).leases, [])
})
