import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { listOf, never, partOf, textOf } from '../../unit/storage/s3/write-fixture.ts'
import { openUploadScene } from './upload-scene.ts'

const scene = (t: TestContext) => openUploadScene(t, 'sequence')

test('UploadPart continues immediately when the process that wrote the part is killed', async (t) => {
  const { drive, uploads, name, startPart } = await scene(t)
  await uploads.writePart(name, 1, partOf('one,'))
  for (const round of [1, 2]) {
    const { child, exit } = await startPart(2)
    const third = round === 2 ? uploads.writePart(name, 3, partOf('three')) : undefined
    child.kill('SIGKILL')
    await exit
    if (third === undefined) continue
    const startedAt = performance.now()
    await uploads.writePart(name, 2, partOf('two,'))
    await third
    assert.ok(performance.now() - startedAt < 15_000, 'the lease of the dead is not waited out')
  }
  await uploads.complete(name, listOf(['one,', 'two,', 'three']), never)
  assert.equal(await textOf(drive), 'one,two,three')
})

/** As long as what the suspended process writes. */
const long = 'two,'.repeat(150_000)

/** Each lets the suspended process continue at another moment. */
const moments = ['before the next part', 'before Complete', 'after Complete'] as const

for (const moment of moments) {
  test(`a process that continues ${moment} of another one does not change its bytes`, async (t) => {
    const { drive, uploads, root, clock, name, startPart } = await scene(t)
    await uploads.writePart(name, 1, partOf('one,'))
    const { goOn } = await startPart(2)
    const resume = async () => {
      // Its own clock says that it still has the lease, as if its write had been on the way to the disk.
      const code = await goOn()
      const isEnded = moment === 'after Complete' && code === 'NoSuchUpload'
      assert.ok(isEnded || code === 'SlowDown', code)
    }
    clock.advance(21_000)
    const taken = uploads.writePart(name, 2, partOf(long))
    await taken
    if (moment === 'before the next part') await resume()
    await uploads.writePart(name, 3, partOf('three'))
    if (moment === 'before Complete') await resume()
    await uploads.complete(name, listOf(['one,', long, 'three']), never)
    if (moment === 'after Complete') await resume()
    assert.equal((await textOf(drive)) === `one,${long}three`, true)
    const left = readdirSync(join(root, '.bucketry/uploads'), { recursive: true, encoding: 'utf8' })
    assert.deepEqual(
      left.filter((path) => /data|former/.test(path)),
      [],
    )
  })
}

test('an upload that a suspended process has is completed by another one', async (t) => {
  const { drive, uploads, clock, name, startPart } = await scene(t)
  await uploads.writePart(name, 1, partOf('one'))
  const { goOn } = await startPart(2)
  clock.advance(21_000)
  await uploads.complete(name, listOf(['one']), never)
  await goOn()
  assert.equal(await textOf(drive), 'one')
})
