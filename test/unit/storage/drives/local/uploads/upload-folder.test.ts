import assert from 'node:assert/strict'
import fs from 'node:fs'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import { attributesOf, bucket, get, openDrive, put } from '../open-drive.ts'

const target = { bucket, key: 'k' }
const complete = { target, size: 5, attributes: attributesOf('bytes') }

/** An upload with a part, which a process has not given back. */
async function scene(t: TestContext) {
  return await upload(await openDrive(t))
}

async function upload(opened: Awaited<ReturnType<typeof openDrive>>) {
  const { uploads } = opened.drive
  const part = await uploads.append(await uploads.begin('u', target), { offset: 0 })
  await part.write(Buffer.from('bytes'))
  const state = await part.commit()
  const uploadFolder = join(opened.root, '.bucketry/uploads/u')
  const takeOver = async (isDead = false, from = state) => {
    assert.ok(uploads.takeOver)
    return await uploads.takeOver(from, { isDead })
  }
  const text = async () => (await get(opened.drive, 'k'))?.text
  return { ...opened, uploads, state, uploadFolder, takeOver, text }
}

test('the bytes of a process that may continue are copied, those of a dead one stay', async (t) => {
  const { uploadFolder, takeOver, state, uploads, text } = await scene(t)
  assert.equal(await takeOver(true), state)
  assert.deepEqual(fs.readdirSync(uploadFolder), ['data'])
  const fd = fs.openSync(join(uploadFolder, 'data'), 'r+')
  const taken = await takeOver()
  fs.writeSync(fd, 'torn!', 0)
  fs.closeSync(fd)
  const part = await uploads.append(taken, { offset: 5 })
  await part.write(Buffer.from(' more'))
  const state2 = await part.commit()
  assert.equal(fs.readdirSync(uploadFolder).length, 1)
  await uploads.complete(state2, { ...complete, size: 10 })
  assert.equal(await text(), 'bytes more')
})

test('an upload can be taken over any number of times', async (t) => {
  const { uploadFolder, takeOver, uploads, text } = await scene(t)
  let state = await takeOver()
  for (let round = 0; round < 3; round += 1) state = await takeOver(false, state)
  await uploads.complete(state, complete)
  assert.equal(await text(), 'bytes')
  assert.deepEqual(
    fs.readdirSync(uploadFolder).filter((name) => !name.startsWith('done-')),
    [],
  )
})

test('a takeover that was interrupted is continued, also by one from a dead process', async (t) => {
  const { uploadFolder, takeOver, uploads, text, state } = await scene(t)
  for (const isDead of [false, true]) {
    fs.renameSync(join(uploadFolder, 'data'), join(uploadFolder, 'former-x'))
    // As if a Complete had been interrupted before its rename.
    fs.writeFileSync(join(uploadFolder, 'done-1:2:3:4'), '')
    assert.equal(await uploads.isPublished(state), false)
    const taken = await takeOver(isDead)
    assert.notEqual(taken, state)
    assert.equal(await uploads.isPublished(taken), false)
    if (isDead) {
      await uploads.complete(taken, complete)
      assert.equal(await text(), 'bytes')
    } else {
      const [name = ''] = fs.readdirSync(uploadFolder).filter((one) => one.startsWith('data-'))
      fs.renameSync(join(uploadFolder, name), join(uploadFolder, 'data'))
    }
  }
})

test('what the former process has published stays published', async (t) => {
  const { takeOver, uploads, state, text } = await scene(t)
  await uploads.complete(state, complete)
  assert.equal(await takeOver(), state)
  assert.equal(await uploads.isPublished(state), true)
  assert.equal(await text(), 'bytes')
})

test('what the former process has linked, but not unlinked, stays published', async (t) => {
  const { takeOver, uploads, state, folder, uploadFolder, text } = await scene(t)
  await uploads.complete(state, { ...complete, conditions: { ifNoneMatch: '*' } })
  fs.linkSync(join(folder, 'k'), join(uploadFolder, 'data'))
  assert.equal(await takeOver(), state)
  assert.equal(await uploads.isPublished(state), true)
  assert.equal(fs.existsSync(join(uploadFolder, 'data')), false)
  assert.equal(await text(), 'bytes')
})

test('the former process can neither publish nor find the bytes', async (t) => {
  const { takeOver, uploads, state, text } = await scene(t)
  const taken = await takeOver()
  await assert.rejects(uploads.append(state, { offset: 5 }), { kind: 'upload-gone' })
  await assert.rejects(uploads.complete(state, complete), { kind: 'upload-gone' })
  await uploads.complete(taken, complete)
  assert.equal(await text(), 'bytes')
})

test('a replaced part is kept by a takeover', async (t) => {
  const { takeOver, uploads, state, text } = await scene(t)
  const part = await uploads.replaceLast(state, { offset: 0 })
  await part.write(Buffer.from('other bytes'))
  const taken = await takeOver(false, await part.commit())
  await uploads.complete(taken, { ...complete, size: 11 })
  assert.equal(await text(), 'other bytes')
})

test('a state whose file is a path is refused', async (t) => {
  const { takeOver } = await scene(t)
  for (const file of ['../data-x', 'data-/x', 'data', 'tail-x', 5]) {
    await assert.rejects(takeOver(false, JSON.stringify({ id: 'u', file })), {
      kind: 'upload-gone',
    })
  }
})

test('a process that lost its lease does not remove files of the next process', async (t) => {
  const { takeOver, uploads, uploadFolder, text } = await scene(t)
  const second = await takeOver()
  // The second process is suspended in its append while a third one takes over.
  const { readdir } = fs.promises
  let third: Promise<string> | undefined
  t.mock.method(fs.promises, 'readdir', async (...given: Parameters<typeof readdir>) => {
    const names = await readdir(...given)
    if (third === undefined && basename(String(given[0])) === basename(uploadFolder)) {
      third = takeOver(false, second)
      await third
    }
    return names
  })
  await assert.rejects(uploads.append(second, { offset: 5 }), { kind: 'upload-gone' })
  await uploads.complete((await third) ?? '', complete)
  assert.equal(await text(), 'bytes')
})

test('of two processes that take over at the same moment, one has to try again', async (t) => {
  const { takeOver, uploads, text } = await scene(t)
  const { lstat } = fs.promises
  let other: Promise<string> | undefined
  t.mock.method(fs.promises, 'lstat', async (...given: Parameters<typeof lstat>) => {
    if (other === undefined && String(given[0]).includes('/former-')) {
      other = takeOver()
      await other
    }
    return await lstat(...given)
  })
  await assert.rejects(takeOver(), { kind: 'busy' })
  await uploads.complete(await takeOver(), complete)
  assert.equal(await text(), 'bytes')
})

test('an upload that was taken over and published stays published after a crash', async (t) => {
  const { takeOver, uploads, text } = await scene(t)
  const taken = await takeOver()
  // It is killed when it has published.
  const { rm } = fs.promises
  t.mock.method(fs.promises, 'rm', async (...given: Parameters<typeof rm>) => {
    if ((await text()) === 'bytes') throw new Error('killed')
    await rm(...given)
  })
  await uploads.complete(taken, complete).catch(() => undefined)
  t.mock.restoreAll()
  assert.equal(await uploads.isPublished(taken), true)
  assert.equal(await takeOver(true, taken), taken)
})

test('a hard link that someone made of the bytes is not the object', async (t) => {
  const { drive, uploads, state, uploadFolder, root, text } = await scene(t)
  await put(drive, 'k', 'other')
  const failing = { ...complete, conditions: { ifMatch: ['x'] } }
  await assert.rejects(uploads.complete(state, failing), { kind: 'condition' })
  // The mark of Complete, if Complete got that far.
  const [mark = 'none'] = fs.readdirSync(uploadFolder).filter((name) => name.startsWith('done-'))
  assert.notEqual(mark, 'none')
  fs.linkSync(join(uploadFolder, 'data'), join(root, 'snapshot'))
  assert.equal(await uploads.isPublished(state), false)
  await uploads.complete(state, complete)
  assert.equal(await text(), 'bytes')
})

for (const version of ['this', 'an earlier']) {
  test(`a conditional Complete that is killed before its rename loses nothing: ${version} version`, async (t) => {
    const { drive, uploads, state, text } = await scene(t)
    await put(drive, 'k', 'other')
    const { id, target: of } = JSON.parse(state)
    const own = JSON.stringify({ id, ...(version === 'this' && { target: of }) })
    const options = { ...complete, conditions: { ifMatch: [attributesOf('other').etag] } }
    const { rename } = PacedFiles.prototype
    t.mock.method(
      PacedFiles.prototype,
      'rename',
      async function (this: PacedFiles, from: string, to: string) {
        if (to.endsWith('/k')) throw Object.assign(new Error('killed'), { code: 'EIO' })
        return await rename.call(this, from, to)
      },
    )
    // The link into the fence stays, as after a kill.
    t.mock.method(fs.promises, 'rm', async () => undefined)
    await assert.rejects(uploads.complete(own, options))
    t.mock.restoreAll()
    assert.equal(await uploads.isPublished(own), false)
    assert.equal(await text(), 'other')
    await uploads.complete(own, options)
    assert.equal(await text(), 'bytes')
  })
}

for (const change of ['overwritten', 'removed', 'overwritten and restored'] as const) {
  test(`a conditional Complete that is killed after its rename is not repeated: ${change}, with versions`, async (t) => {
    const versioning = { changes: [1_000_000] }
    const opened = await openDrive(t, undefined, undefined, () => versioning)
    const { uploads, state, drive, uploadFolder, text } = await upload(opened)
    const options = { ...complete, conditions: { ifNoneMatch: '*' } as const }
    const completed = await uploads.complete(state, options)
    assert.ok(completed)
    // The old name is still there, as after a kill.
    fs.linkSync(join(opened.folder, 'k'), join(uploadFolder, 'data'))
    const later =
      change === 'removed' ? await drive.remove(bucket, 'k') : await put(drive, 'k', 'later')
    const { versionId } = later ?? {}
    if (change === 'overwritten and restored') await drive.remove(bucket, 'k', { versionId })
    await uploads.complete(state, options)
    assert.equal(fs.existsSync(join(uploadFolder, 'data')), false)
    const expected = { overwritten: 'later', removed: undefined }
    assert.equal(await text(), change in expected ? expected[change as 'removed'] : 'bytes')
    const version = await drive.head(bucket, 'k', { versionId: completed.versionId })
    assert.equal(version?.modifiedAtMs, completed.modifiedAtMs)
    assert.equal(version?.attributes.etag, complete.attributes.etag)
  })
}
