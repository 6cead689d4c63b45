/** The drive's folder is replaced while the gateway runs: its objects must not seem deleted. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { bucket, get, listKeys, openDrive, put } from './open-drive.ts'
import { tempFolder } from './temp-folder.ts'

const unavailable = { name: 'DriveError', kind: 'unavailable' }

interface Lost {
  readonly drive: Drive
  readonly root: string
  /** The path to which the drive's folder is moved. */
  readonly away: string
}

/** A drive with an owner note and two objects. */
async function openOwned(t: TestContext): Promise<Lost> {
  const folder = tempFolder(t)
  const root = join(folder, 'drive')
  makeDriveAt(root, 'the owner')
  const { drive } = await openDrive(t, root)
  await put(drive, 'dir/k', 'x')
  await put(drive, 'k', 'x')
  return { drive, root, away: join(folder, 'away') }
}

function makeDriveAt(root: string, owner: string): void {
  fs.mkdirSync(join(root, '.bucketry', 'tmp'), { recursive: true })
  for (const name of ['locks', 'uploads']) fs.mkdirSync(join(root, '.bucketry', name))
  fs.mkdirSync(join(root, bucket))
  fs.writeFileSync(join(root, '.bucketry', 'owner.json'), owner)
}

function listing(drive: Drive, query: { prefix?: string; after?: string; delimiter?: '/' }) {
  return drive.list(bucket, { prefix: '', after: '', ...query })
}

test("a bucket without the drive's own folder is not reported as empty", async (t) => {
  const { drive, root, away } = await openOwned(t)
  fs.renameSync(root, away)
  fs.mkdirSync(join(root, bucket), { recursive: true })
  await assert.rejects(async () => drive.head(bucket, 'k'), unavailable)
  await assert.rejects(async () => drive.open(bucket, 'k'), unavailable)
  await assert.rejects(drive.remove(bucket, 'k'), unavailable)
  await assert.rejects(drive.bucketCreatedAtMs(bucket), unavailable)
  for (const query of [{}, { prefix: 'dir/' }, { prefix: 'no/' }, { delimiter: '/' } as const]) {
    await assert.rejects(listing(drive, query).next(1000), unavailable)
  }
  await assert.rejects(listing(drive, { after: 'dir/k' }).next(1000), unavailable)
  assert.deepEqual(fs.readdirSync(join(root, bucket)), [])
  fs.rmSync(root, { recursive: true })
  fs.renameSync(away, root)
  assert.deepEqual(await listKeys(drive), ['dir/k', 'k'])
  await drive.bucketCreatedAtMs(bucket)
})

test('a listing fails when the drive disappears meanwhile', async (t) => {
  const { drive, root, away } = await openOwned(t)
  await put(drive, 'z/k', 'x')
  const cursor = listing(drive, {})
  assert.equal((await cursor.next(1)).length, 1)
  fs.renameSync(root, away)
  fs.mkdirSync(join(root, bucket), { recursive: true })
  // The bucket's folder was read before: its files and folders would be omitted one by one.
  await assert.rejects(cursor.next(1000), unavailable)
})

test("another database's drive at the same path gets no object", async (t) => {
  const { drive, root, away } = await openOwned(t)
  fs.renameSync(root, away)
  makeDriveAt(root, 'another owner')
  await assert.rejects(put(drive, 'new', 'x'), unavailable)
  await assert.rejects(put(drive, 'deep/er/new', 'x'.repeat(300_000)), unavailable)
  await assert.rejects(drive.remove(bucket, 'k'), unavailable)
  await assert.rejects(drive.uploads.begin('u', { bucket, key: 'k' }), unavailable)
  await assert.rejects(async () => drive.head(bucket, 'k'), unavailable)
  for (const access of [undefined, 'reads', 'writes'] as const) {
    await assert.rejects(drive.check(access), unavailable)
  }
  assert.deepEqual(fs.readdirSync(join(root, bucket)), [])
  assert.deepEqual(fs.readdirSync(join(root, '.bucketry', 'tmp')), [])
})

test("another database's drive at the same path is not listed", async (t) => {
  const { drive, root, away } = await openOwned(t)
  assert.deepEqual(await listKeys(drive), ['dir/k', 'k'])
  fs.renameSync(root, away)
  makeDriveAt(root, 'another owner')
  fs.writeFileSync(join(root, bucket, 'other'), 'x')
  await assert.rejects(listing(drive, {}).next(1000), unavailable)
})

test('a copy of the drive with the same owner note is accepted', async (t) => {
  const { drive, root, away } = await openOwned(t)
  fs.renameSync(root, away)
  fs.cpSync(away, root, { recursive: true, preserveTimestamps: true })
  await drive.check()
  assert.equal(await drive.head(bucket, 'absent'), undefined)
  await put(drive, 'new', 'y')
  assert.equal((await get(drive, 'new'))?.text, 'y')
  // It is accepted as the drive: the note is not read again for each absent object.
  const readFile = t.mock.method(fs.promises, 'readFile')
  assert.equal(await drive.head(bucket, 'absent'), undefined)
  assert.equal(readFile.mock.callCount(), 0)
})
