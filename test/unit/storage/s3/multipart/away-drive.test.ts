/** Uploads in any order while their drive is away: not in the settings any more, or not open. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { unavailableDrive } from '../../../../../src/storage/drives/route/mount.ts'
import { RoutedDrive } from '../../../../../src/storage/drives/route/routed-drive.ts'
import type { UploadTable } from '../../../../../src/storage/s3/multipart/upload-table.ts'
import { Uploads } from '../../../../../src/storage/s3/multipart/uploads.ts'
import { begin, makeWorld, md5, never, partOf, textOf } from '../write-fixture.ts'

const numbers = [2, 5, 9]
const listed = {
  parts: numbers.map((number) => ({ number, etag: md5(`part ${number}`), checksums: [] })),
}

/** An upload with the parts 2, 5 and 9 on the drive X, which has the bucket. */
async function scene(t: TestContext) {
  const { drive, table, clock, log } = await makeWorld(t)
  const on = (x: Drive | undefined, changes: { table?: UploadTable } = {}) => {
    const mounts = [{ name: '', drive: openMemoryDrive() as Drive, isReadOnly: false }]
    if (x !== undefined) mounts.push({ name: 'X', drive: x, isReadOnly: false })
    const places = new Map(
      mounts.slice(1).map((mount) => ['b', { mount, folder: 'b', isReadOnly: false }]),
    )
    const times = { partWaitMs: 500, expiryMs: 86_400_000, now: clock.now }
    const routed = new RoutedDrive({ mounts, places })
    return new Uploads({ drive: routed, table, log, ...times, partOrder: 'any', ...changes })
  }
  const uploads = on(drive)
  const name = await begin(uploads)
  for (const number of numbers) await uploads.writePart(name, number, partOf(`part ${number}`))
  return { drive, table, clock, on, uploads, name }
}

test('an interrupted Complete loses no part if it is recovered while the drive is away', async (t) => {
  const { drive, table, clock, on, uploads, name } = await scene(t)
  const failing = (object: object, method: string) =>
    new Proxy(object, {
      get(subject, property) {
        if (property === method) return () => Promise.reject(new Error('killed'))
        const value = Reflect.get(subject, property)
        return typeof value === 'function' ? value.bind(subject) : value
      },
    })
  const killedDrive = new Proxy(drive, {
    get(subject, property) {
      if (property === 'uploads') return failing(subject.uploads, 'complete')
      const value = Reflect.get(subject, property)
      return typeof value === 'function' ? value.bind(subject) : value
    },
  })
  const killed = on(killedDrive, { table: failing(table, 'reopen') as UploadTable })
  await assert.rejects(killed.complete(name, listed, never), /killed/)
  assert.equal((await table.find(name.uploadId))?.phase, 'completing')
  clock.advance(21_000)
  const found = await on(undefined).listParts(name, { after: 0, limit: 10 }, never)
  assert.deepEqual(
    found.parts.map(({ number }) => number),
    numbers,
  )
  assert.equal((await table.find(name.uploadId))?.phase, 'open')
  await uploads.complete(name, listed, never)
  assert.equal(await textOf(drive), 'part 2part 5part 9')
})

test('requests say that the drive is away, and not that parts are missing', async (t) => {
  const { drive, on, uploads, name } = await scene(t)
  const { kind, deletes } = drive
  const closed = on(unavailableDrive({ kind, deletes, message: 'not open' }))
  const isAway = (error: unknown) => error instanceof DriveError && error.kind === 'unavailable'
  await assert.rejects(closed.complete(name, listed, never), isAway)
  await assert.rejects(closed.writePart(name, 7, partOf('part 7')), isAway)
  await uploads.complete(name, listed, never)
  assert.equal(await textOf(drive), 'part 2part 5part 9')
})
