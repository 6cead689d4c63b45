import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OpenObject } from '../../../src/storage/drives/drive.ts'
import { bucket, bytesOf, collect, put, rejectsAs } from '../../contract/drive/stored-object.ts'
import { behind, errorDocument, openCutDrive, openDriveOn } from './store-under-test.ts'

const fields = { etag: '"00000000000000000000000000000000"' }

const all = { start: 0, end: Number.POSITIVE_INFINITY }

test('a range is read with one request, and one beyond the end with a HEAD more', async (t) => {
  const { drive, heads } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  const bytes = bytesOf(1_000_000)
  await put(drive, 'k', bytes)
  const requestsOf = async (wanted: { readonly start: number; readonly end: number }) => {
    const before = heads.length
    const object = await drive.open(bucket, 'k', { wanted })
    const end = Math.min(wanted.end, 1_000_000)
    const start = wanted.start < 0 ? end + wanted.start : Math.min(wanted.start, end)
    const read = await collect(object?.read(start, end) ?? assert.fail())
    assert.ok(read.equals(bytes.subarray(wanted.start, end)))
    await object?.close()
    return heads.slice(before).map((head) => head.slice(0, head.indexOf(' ')))
  }
  const ever = Number.POSITIVE_INFINITY
  assert.deepEqual(await requestsOf({ start: 5, end: 70_000 }), ['GET'])
  assert.deepEqual(await requestsOf({ start: 999_000, end: ever }), ['GET'])
  assert.deepEqual(await requestsOf({ start: -1_000, end: ever }), ['GET'])
  assert.deepEqual(await requestsOf(all), ['GET'])
  assert.deepEqual(await requestsOf({ start: 1_000_000, end: ever }), ['GET', 'HEAD'])
})

test('readers that read nothing do not keep others from the store', async (t) => {
  const { direct: drive } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  await put(drive, 'k', bytesOf(2_000_000))
  const opened: OpenObject[] = []
  for (let count = 0; count < 300; count += 1) {
    opened.push((await drive.open(bucket, 'k', { wanted: all })) ?? assert.fail())
  }
  assert.equal((await drive.head(bucket, 'k'))?.size, 2_000_000)
  await Promise.all(opened.map((object) => object.close()))
})

test('one SlowDown does not slow down later requests', async (t) => {
  let requests = 0
  const drive = await openDriveOn(
    t,
    behind((_, response) => {
      requests += 1
      if (requests === 1) response.writeHead(503).end(errorDocument('SlowDown', 'Later.'))
      else response.writeHead(200, { ...fields, 'content-length': '4' }).end('text')
    }),
  )
  const read = async () => await drive.open(bucket, 'k', { wanted: all })
  await read()
  const begunAt = performance.now()
  await Promise.all(Array.from({ length: 30 }, read))
  assert.ok(performance.now() - begunAt < 3_000)
})

test('an object whose length the store does not say is an error, not an empty object', async (t) => {
  const drive = await openDriveOn(
    t,
    behind((_, response) => {
      response.writeHead(200, { ...fields, 'transfer-encoding': 'chunked' }).end()
    }),
  )
  await rejectsAs(drive.head(bucket, 'k'), 'unavailable')
  const opening = drive.open(bucket, 'k', { wanted: all })
  await rejectsAs(Promise.resolve(opening), 'unavailable')
})

test('a body in many pieces leaves no listeners and no timers behind', async (t) => {
  const warnings: Error[] = []
  const note = (warning: Error) => warnings.push(warning)
  process.on('warning', note)
  t.after(() => process.off('warning', note))
  const { drive } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  const bytes = bytesOf(8_000_000)
  await put(drive, 'k', bytes)
  const object = await drive.open(bucket, 'k')
  assert.ok((await collect(object?.read(0, bytes.length) ?? assert.fail())).equals(bytes))
  await object?.close()
  assert.deepEqual(warnings, [])
})
