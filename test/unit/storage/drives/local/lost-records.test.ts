import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Drive, HeadOptions } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openLocalDrive } from '../../../../../src/storage/drives/local/local-drive.ts'
import { MemoryRecords } from './memory-records.ts'
import { attributesOf, bucket, log, openDrive, put } from './open-drive.ts'

const accepting: HeadOptions = { acceptsProvisional: true }

/** Records that can be lost for a while: then finding rejects, or never settles. */
class LosableRecords extends MemoryRecords {
  lost: 'refused' | 'silent' | undefined
  asked = 0

  override async find(identity: string): Promise<string | undefined> {
    this.asked += 1
    if (this.lost === 'refused') throw new Error('connect ECONNREFUSED')
    if (this.lost === 'silent') await new Promise(() => undefined)
    return await super.find(identity)
  }
}

/** Another process on the drive of the one that wrote the object. Its caches are empty. */
async function openReader(t: TestContext, { readsAlone }: { readonly readsAlone: boolean }) {
  const records = new LosableRecords()
  const { drive: writer, root } = await openDrive(t, undefined, records)
  await put(writer, 'photo.jpg', 'bytes')
  await put(writer, 'second.jpg', 'bytes')
  const warnings: string[] = []
  const quiet = { ...log, warn: (_fields: object, message: string) => warnings.push(message) }
  const drive = await openLocalDrive({ root, records, log: quiet, readsAlone })
  t.after(() => drive.close())
  return { drive, records, warnings }
}

test('A read without records gets the attributes of a file without one, which are not kept', async (t) => {
  const { drive, records, warnings } = await openReader(t, { readsAlone: true })
  records.lost = 'refused'
  const head = await drive.head(bucket, 'photo.jpg', accepting)
  assert.equal(head?.attributes.isProvisional, true)
  assert.match(head?.attributes.etag ?? '', /^[0-9a-f]{32}-1$/)
  assert.deepEqual(head?.attributes.headers, { 'content-type': 'image/jpeg' })
  const opened = await drive.open(bucket, 'photo.jpg', accepting)
  assert.deepEqual(opened?.attributes, head?.attributes)
  await opened?.close()
  assert.equal(warnings.length, 1)
  assert.match(warnings[0] ?? '', /without their attributes/)

  records.lost = undefined
  await untilKnown(() => drive.head(bucket, 'photo.jpg', accepting))
  const known = await drive.head(bucket, 'photo.jpg', accepting)
  assert.deepEqual(known?.attributes, attributesOf('bytes'))
})

test('Reads do not wait again and again for records that do not answer', {
  timeout: 60_000,
}, async (t) => {
  const { drive, records } = await openReader(t, { readsAlone: true })
  records.lost = 'silent'
  // Only the test lets time pass.
  t.mock.timers.enable({ apis: ['setTimeout'] })
  t.mock.method(performance, 'now', () => 0)
  const first = drive.head(bucket, 'photo.jpg', accepting)
  while (records.asked === 0) await new Promise((resolve) => setImmediate(resolve))
  t.mock.timers.tick(3_000)
  assert.equal((await first)?.attributes.isProvisional, true)
  const second = await drive.head(bucket, 'second.jpg', accepting)
  assert.equal(second?.attributes.isProvisional, true)
  assert.equal(records.asked, 1)
  t.mock.timers.reset()
})

test('A read that was lost with its connection is asked again when another one was answered', async (t) => {
  const { drive, records } = await openReader(t, { readsAlone: true })
  records.lost = 'silent'
  const lost = drive.head(bucket, 'photo.jpg', accepting)
  while (records.asked === 0) await new Promise((resolve) => setImmediate(resolve))
  records.lost = undefined
  assert.deepEqual(
    (await drive.head(bucket, 'second.jpg', accepting))?.attributes,
    attributesOf('bytes'),
  )
  assert.deepEqual((await lost)?.attributes, attributesOf('bytes'))
})

test('Callers that do not accept provisional attributes never get them', async (t) => {
  const { drive, records } = await openReader(t, { readsAlone: true })
  records.lost = 'refused'
  await assert.rejects(async () => drive.head(bucket, 'photo.jpg'), isUnavailable)
  await assert.rejects(async () => drive.open(bucket, 'photo.jpg'), isUnavailable)
})

test('A drive whose database is a file never makes attributes up', async (t) => {
  const { drive, records } = await openReader(t, { readsAlone: false })
  records.lost = 'refused'
  await assert.rejects(async () => drive.head(bucket, 'photo.jpg', accepting), isUnavailable)
  await assert.rejects(async () => drive.open(bucket, 'photo.jpg', accepting), isUnavailable)
})

function isUnavailable(error: unknown): boolean {
  return error instanceof DriveError && error.kind === 'unavailable'
}

/** The records are asked again within a second. */
async function untilKnown(head: () => ReturnType<Drive['head']>): Promise<void> {
  while ((await head())?.attributes.isProvisional)
    await new Promise((resolve) => setImmediate(resolve))
}
