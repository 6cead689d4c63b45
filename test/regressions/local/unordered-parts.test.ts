import assert from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { etagOfParts, listOf, never, partOf, textOf } from '../../unit/storage/s3/write-fixture.ts'
import { openUploadScene } from './upload-scene.ts'

/** As long as the part that the other process sends. */
const size = 600_000
const part = (letter: string) => letter.repeat(size)

async function scene(t: TestContext) {
  const { root, name, ...scene } = await openUploadScene(t, 'any')
  const uploads = join(root, '.bucketry/uploads')
  const left = () =>
    readdirSync(uploads, { recursive: true, encoding: 'utf8' }).filter((one) =>
      /data|whole|part-/.test(one),
    )
  const commonFile = join(uploads, name.uploadId, 'parts/data')
  return { ...scene, name, commonFile, object: join(root, 'b/k'), left }
}

test('a suspended process that continues changes no bytes of a part that was sent again', async (t) => {
  const { drive, uploads, name, startPart, left } = await scene(t)
  await uploads.writePart(name, 3, partOf(part('3')))
  const { child, goOn } = await startPart(2)
  child.kill('SIGSTOP')
  await uploads.writePart(name, 2, partOf(part('2')))
  await uploads.writePart(name, 1, partOf(part('1')))
  const list = [part('1'), part('2'), part('3')]
  const { attributes } = await uploads.complete(name, listOf(list), never)
  // Complete replies before the row says `completed`. Until then, the part would get SlowDown.
  await uploads.idle()
  const answer = goOn()
  child.kill('SIGCONT')
  assert.equal(await answer, 'NoSuchUpload')
  assert.equal((await textOf(drive)) === list.join(''), true)
  assert.equal(attributes.etag, etagOfParts(list))
  assert.equal((await drive.head('b', 'k'))?.attributes.etag, attributes.etag)
  assert.deepEqual(left(), [])
})

test('the slot of a process that was killed is not used again, and Complete is a rename', async (t) => {
  const { drive, uploads, name, startPart, commonFile, object, left } = await scene(t)
  await uploads.writePart(name, 1, partOf(part('1')))
  const { child, exit } = await startPart(2)
  child.kill('SIGKILL')
  await exit
  await uploads.writePart(name, 2, partOf(part('2')))
  const { ino } = statSync(commonFile)
  await uploads.complete(name, listOf([part('1'), part('2')]), never)
  assert.equal(statSync(object).ino, ino)
  assert.equal((await textOf(drive)) === part('1') + part('2'), true)
  assert.deepEqual(left(), [])
})

test('parts of unknown sizes, and a short part that comes first, are put in order', async (t) => {
  const { drive, uploads, name, left } = await scene(t)
  await uploads.writePart(name, 5, partOf('short'))
  const { size: _, ...unknown } = partOf(part('2'))
  await uploads.writePart(name, 2, unknown)
  await uploads.writePart(name, 1, partOf(part('1')))
  const [first, second] = listOf([part('1'), part('2')]).parts
  const [fifth] = listOf(['short']).parts
  assert.ok(first && second && fifth)
  const parts = [first, second, { ...fifth, number: 5 }]
  await uploads.complete(name, { parts }, never)
  assert.equal((await textOf(drive)) === `${part('1')}${part('2')}short`, true)
  assert.deepEqual(left(), [])
})

test('no slot is larger than the largest part of S3', async (t) => {
  const { uploads, name } = await scene(t)
  await uploads.writePart(name, 9_000, { ...partOf('short'), size: 2 ** 45 })
  assert.equal((await uploads.find(name.uploadId))?.slotSize, 0)
})

test('a hole is not read as zeros: a part that is not there is refused', async (t) => {
  const { uploads, name, startPart, drive } = await scene(t)
  await uploads.writePart(name, 3, partOf(part('3')))
  const { child, exit } = await startPart(2)
  child.kill('SIGKILL')
  await exit
  const list = listOf([part('3'), part('3'), part('3')])
  await assert.rejects(uploads.complete(name, list, never), { code: 'InvalidPart' })
  const last = { parts: list.parts.slice(2) }
  await uploads.complete(name, last, never)
  assert.equal((await textOf(drive)) === part('3'), true)
})
