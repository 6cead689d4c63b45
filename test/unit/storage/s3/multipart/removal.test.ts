import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DriveError } from '../../../../../src/storage/drives/drive-error.ts'
import { isS3Error } from '../read-fixture.ts'
import { begin, listOf, makeWorld, never, partOf, slowPart, textOf } from '../write-fixture.ts'

test('AbortMultipartUpload removes the bytes and forgets the upload', async (t) => {
  const { worker, drive, table } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  await uploads.writePart(name, 1, partOf('one'))
  await uploads.abort(name, never)
  assert.equal(drive.uploads.count, 0)
  assert.equal(await table.find(name.uploadId), undefined)
  assert.deepEqual(await table.parts(name.uploadId, 0, 10), [])
  await assert.rejects(uploads.abort(name, never), isS3Error('NoSuchUpload'))
  await assert.rejects(uploads.complete(name, listOf(['one']), never), isS3Error('NoSuchUpload'))
})

test('AbortMultipartUpload and the sweep remove uploads that were begun on another drive', async (t) => {
  const { worker, table, drive, clock } = await makeWorld(t)
  for (const method of ['abort', 'isPublished', 'takeOver'] as const) {
    const gone = () => Promise.reject(new DriveError('upload-gone', 'Of another drive.'))
    Object.assign(drive.uploads, { [method]: gone })
  }
  const uploads = worker()
  const names = [await begin(uploads), await begin(uploads), await begin(uploads)] as const
  const [aborted, interrupted, abandoned] = names
  await uploads.abort(aborted, never)
  const lease = { owner: 'another machine/1/x', untilMs: clock.now() }
  const row = await table.find(interrupted.uploadId)
  assert.ok(row)
  const completion = JSON.stringify({ partCount: 0, size: 0 })
  await table.beginCompletion(row, { completion, nowMs: clock.now(), lease })
  const seen = await table.find(abandoned.uploadId)
  assert.ok(seen && (await table.takeLease(seen, lease)))
  clock.advance(2 * 24 * 3_600_000)
  // The first one reopens the interrupted upload, which then expires.
  await uploads.sweep()
  clock.advance(2 * 24 * 3_600_000)
  await uploads.sweep()
  for (const { uploadId } of names) assert.equal(await table.find(uploadId), undefined)
})

test('AbortMultipartUpload stops a part that another worker is receiving', async (t) => {
  const { worker, drive, table } = await makeWorld(t)
  const [writer, aborter] = [worker(), worker()]
  const name = await begin(writer)
  const slow = slowPart('never finished')
  const part = assert.rejects(writer.writePart(name, 1, slow.source), isS3Error('NoSuchUpload'))
  await slow.started
  await aborter.abort(name, never)
  assert.equal(drive.uploads.count, 0)
  assert.equal(await table.find(name.uploadId), undefined)
  await part
  slow.proceed()
})

test('AbortMultipartUpload fails parts that wait for their turn', async (t) => {
  const { worker } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  const held = [2, 3, 4].map((number) =>
    assert.rejects(uploads.writePart(name, number, partOf('x')), isS3Error('NoSuchUpload')),
  )
  await uploads.abort(name, never)
  await Promise.all(held)
})

test('AbortMultipartUpload racing CompleteMultipartUpload leaves one consistent result', async (t) => {
  const { worker, drive } = await makeWorld(t)
  const workers = [worker(), worker()] as const
  for (let round = 0; round < 12; round += 1) {
    await drive.remove('b', 'k')
    const name = await begin(workers[0])
    await workers[0].writePart(name, 1, partOf('one'))
    const [completed, aborted] = await Promise.allSettled([
      workers[round % 2 === 0 ? 0 : 1].complete(name, listOf(['one']), never),
      workers[1].abort(name, never),
    ])
    assert.notEqual(completed.status, aborted.status)
    assert.equal(await textOf(drive), completed.status === 'fulfilled' ? 'one' : undefined)
  }
})

test('Uploads sweep removes uploads without a new part for UPLOAD_EXPIRY_HOURS', async (t) => {
  const { worker, drive, table, clock } = await makeWorld(t)
  const [uploads, other] = [worker(), worker()]
  const [old, touched] = [await begin(uploads), await begin(uploads)]
  clock.advance(23 * 3_600_000)
  await uploads.writePart(touched, 1, partOf('one'))
  clock.advance(2 * 3_600_000)
  await Promise.all([uploads.sweep(), other.sweep(), uploads.sweep()])
  assert.equal(await table.find(old.uploadId), undefined)
  assert.equal(drive.uploads.count, 1)
  await uploads.writePart(touched, 2, partOf('two'))
  await uploads.complete(touched, listOf(['one', 'two']), never)
})

test('Uploads sweep removes any number of uploads, and stops when its signal aborts', async (t) => {
  const { worker, drive, clock } = await makeWorld(t)
  const uploads = worker()
  await Promise.all(Array.from({ length: 250 }, () => begin(uploads)))
  clock.advance(25 * 3_600_000)
  await uploads.sweep(AbortSignal.abort())
  assert.equal(drive.uploads.count, 250)
  await uploads.sweep()
  assert.equal(drive.uploads.count, 0)
})

test('Uploads sweep leaves an expired upload alone while a part is being received', async (t) => {
  const { worker, drive, clock } = await makeWorld(t)
  const uploads = worker()
  const name = await begin(uploads)
  clock.advance(25 * 3_600_000)
  const slow = slowPart('at last')
  const part = uploads.writePart(name, 1, slow.source)
  await slow.started
  await uploads.sweep()
  slow.proceed()
  await part
  await uploads.complete(name, listOf(['at last']), never)
  assert.equal(await textOf(drive), 'at last')
})

test('Uploads sweep continues when one upload cannot be removed', async (t) => {
  const world = await makeWorld(t)
  const uploads = world.worker()
  const [stuck, old] = [await begin(uploads), await begin(uploads)]
  const { abort } = world.drive.uploads
  world.drive.uploads.abort = async (state) => {
    if (state.startsWith(stuck.uploadId)) throw new DriveError('unavailable', 'stuck')
    return abort.call(world.drive.uploads, state)
  }
  world.clock.advance(25 * 3_600_000)
  // Once or twice: aborted within the same millisecond, it is also due as an aborted one.
  await assert.rejects(uploads.sweep(), /^Error: [12] steps failed$/)
  assert.equal(await world.table.find(old.uploadId), undefined)
  assert.equal((await world.table.find(stuck.uploadId))?.phase, 'aborted')
  world.drive.uploads.abort = abort
  await uploads.sweep()
  assert.equal(await world.table.find(stuck.uploadId), undefined)
})
