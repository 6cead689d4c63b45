import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  addBucketFolder,
  openBucketFolder,
  removeBucketFolder,
  removeVersionedBucket,
} from '../../../../../../src/storage/drives/local/folders/bucket-folders.ts'
import { sweepLeftovers } from '../../../../../../src/storage/drives/local/leftovers.ts'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { bucket, openDrive } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

async function makeFolders(t: TestContext) {
  const root = await openLocalRoot(tempFolder(t))
  await addBucketFolder(root, bucket)
  const path = join(root.path, bucket)
  const open = async () => await (await openBucketFolder(root, bucket)).close()
  const remove = () => removeBucketFolder(root, bucket)
  const left = () => fs.readdirSync(`${root.ownPath}/removed`)
  return { root, path, open, remove, left }
}

const noBucket = { name: 'DriveError', kind: 'no-bucket' }

test('a bucket whose folder was removed by hand is not created again after its removal', async (t) => {
  const { drive, root } = await openDrive(t)
  const { drive: other } = await openDrive(t, root)
  const draft = await other.draft(bucket, 'a/k', {})
  await draft.write(Buffer.from('late'))
  fs.rmSync(join(root, bucket), { recursive: true })
  for (const one of [drive, other]) assert.equal(await one.removeBucket(bucket), false)
  await assert.rejects(draft.publish({ etag: 'e', headers: {}, metadata: {} }), noBucket)
  assert.equal(fs.existsSync(join(root, bucket)), false)
  await drive.addBucket(bucket)
  assert.deepEqual(fs.readdirSync(join(root, '.bucketry', 'removed')), [])
})

test('a bucket whose folder is removed by hand during its removal keeps its mark', async (t) => {
  const { path, open, remove, left } = await makeFolders(t)
  const mock = t.mock.method(fs.promises, 'rmdir', async (folder: string) => {
    mock.mock.restore()
    fs.rmdirSync(path)
    await fs.promises.rmdir(folder)
  })
  assert.equal(await remove(), false)
  await assert.rejects(open(), noBucket)
  assert.deepEqual(left(), [bucket])
})

for (const above of ['k.%file', '']) {
  const place = above === '' ? 'a bucket' : 'a folder'
  test(`a version that is stored in ${place} when it is removed keeps the bucket`, async (t) => {
    const { root, open, left } = await makeFolders(t)
    const store = join(root.ownPath, 'versions', bucket)
    const folder = join(store, above)
    fs.mkdirSync(folder, { recursive: true })
    const removal = fs.promises.rmdir
    t.mock.method(fs.promises, 'rmdir', async (path: string) => {
      if (fs.realpathSync(path) === folder) fs.writeFileSync(join(folder, 'version'), '')
      await removal(path)
    })
    const error = { name: 'DriveError', kind: 'not-empty' }
    await assert.rejects(removeVersionedBucket(root, bucket), error)
    await open()
    assert.deepEqual(left(), [])
  })
}

for (const step of ['mkdir', 'rename', 'rmdir'] as const) {
  test(`a removal before each ${step} of a writer that creates the folder leaves none`, async (t) => {
    for (let call = 1, isReached = true; isReached; call++) {
      const { path, open, remove, left } = await makeFolders(t)
      fs.rmdirSync(path)
      isReached = false
      let calls = 0
      const original = fs.promises[step].bind(fs.promises) as (...args: unknown[]) => unknown
      const hook = async (...args: unknown[]) => {
        if (++calls === call) {
          isReached = true
          // The writer stands still.
          mock.mock.restore()
          await remove()
        }
        return await original(...args)
      }
      const mock = t.mock.method(fs.promises, step, hook as never)
      const outcome = await open().then(
        () => 'opened',
        (error: { kind?: string }) => error.kind,
      )
      mock.mock.restore()
      if (!isReached) break
      assert.equal(outcome, 'no-bucket', `${step} ${call}`)
      assert.equal(fs.existsSync(path), false)
      assert.deepEqual(left(), [bucket])
      await assert.rejects(open(), noBucket)
    }
  })
}

test('writers that create the folder at the same time all get it, and leave nothing', async (t) => {
  const { path, open, left } = await makeFolders(t)
  fs.rmdirSync(path)
  await Promise.all(Array.from({ length: 8 }, open))
  assert.ok(fs.statSync(path).isDirectory())
  assert.deepEqual(left(), [])
})

test('marks are swept when no write can be under way any more', async (t) => {
  const { root, remove, left } = await makeFolders(t)
  await remove()
  const day = 24 * 60 * 60 * 1000
  const others = {
    tidyFolders: async () => undefined,
    forget: () => undefined,
    onDeath: () => undefined,
  }
  const sweepIn = (days: number) =>
    sweepLeftovers({ root, nowMs: Date.now() + days * day, ...others })
  await sweepIn(6)
  assert.deepEqual(left(), [bucket])
  await sweepIn(8)
  assert.deepEqual(left(), [])
})
