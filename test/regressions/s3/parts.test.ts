import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucket, bytesOf, collect, get, put } from '../../contract/drive/stored-object.ts'
import { UploadSession } from '../../contract/drive/upload-session.ts'
import { openCutDrive } from './store-under-test.ts'

const sizes = [6_000_000, 5_500_000, 17]

test('a part of an object is found by its number', async (t) => {
  const { drive } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  const session = await UploadSession.begin(drive, 'k')
  for (const [index, size] of sizes.entries()) await session.append(bytesOf(size, index))
  await session.complete()
  let start = 0
  for (const [index, size] of sizes.entries()) {
    const partNumber = index + 1
    const object = await drive.open(bucket, 'k', { wanted: { start: 0, end: size }, partNumber })
    const partSizes = object?.attributes.partSizes?.map(([, bytes]) => bytes) ?? []
    assert.equal(partSizes.length, sizes.length)
    assert.equal(
      partSizes.slice(0, index).reduce((sum, bytes) => sum + bytes, 0),
      start,
    )
    assert.equal(partSizes[index], size)
    const bytes = await collect(object?.read(start, start + size) ?? assert.fail())
    assert.ok(bytes.equals(bytesOf(size, index)))
    await object?.close()
    start += size
  }
  const beyond = await drive.head(bucket, 'k', { partNumber: 4 })
  assert.equal(beyond?.attributes.partSizes?.length, 3)
  await put(drive, 'one', 'text')
  assert.equal(
    (await drive.head(bucket, 'one', { partNumber: 1 }))?.attributes.partSizes,
    undefined,
  )
})

test('an object and a part of known sizes may be written in one large chunk', async (t) => {
  const { drive } = await openCutDrive(t, { request: /^never/, bytes: 0 })
  const bytes = bytesOf(20_000_000)
  await put(drive, 'k', bytes, { chunkBytes: bytes.length })
  assert.ok((await get(drive, 'k'))?.equals(bytes))
  const session = await UploadSession.begin(drive, 'parts')
  const part = await drive.uploads.append(session.state, { offset: 0, size: bytes.length })
  await part.write(bytes)
  session.store({ state: await part.commit(), parts: [bytes] })
  await session.complete()
  assert.ok((await get(drive, 'parts'))?.equals(bytes))
})
