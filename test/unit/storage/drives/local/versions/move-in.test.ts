import assert from 'node:assert/strict'
import fs from 'node:fs'
import { type TestContext, test } from 'node:test'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { historyPathOf } from '../../../../../../src/storage/drives/local/object-path.ts'
import { PacedFiles } from '../../../../../../src/storage/drives/local/objects/paced-files.ts'
import {
  moveInFirst,
  renameFenced,
} from '../../../../../../src/storage/drives/local/versions/move-in.ts'
import type { VersionEntry } from '../../../../../../src/storage/drives/versions.ts'
import { rejectsAs } from '../../../../../contract/drive/stored-object.ts'
import { bucket, openDrive, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

const path = historyPathOf({ bucket, key: 'a/b/k' })
const enabled = () => ({ changes: [1_000_000] })

/** A file in a fence that is to be moved into the store. */
async function prepare(t: TestContext) {
  const root = await openLocalRoot(tempFolder(t))
  t.after(() => root.folders.close())
  const folder = `${root.path}/${path.filePath.folder}`
  const fenceFolder = `${root.path}/fence`
  fs.mkdirSync(fenceFolder)
  let names = 0
  let isLost = false
  const fence = {
    newPath: () => `${fenceFolder}/${names++}`,
    lost: () => {
      isLost = true
    },
  }
  const token = fence.newPath()
  fs.writeFileSync(token, 'text')
  const move = { root, fence, token, name: 'version' }
  const moveFirst = async () => await (await moveInFirst(move, path)).close()
  const text = () => fs.readFileSync(`${folder}/version`, 'utf8')
  return { root, folder, fenceFolder, move, moveFirst, text, isLost: () => isLost }
}

/** Does something before the first rename to such a path. */
function interrupt(t: TestContext, pattern: RegExp, work: () => void) {
  const { rename } = PacedFiles.prototype
  const mocked = t.mock.method(
    PacedFiles.prototype,
    'rename',
    function (this: PacedFiles, from: string, to: string) {
      if (pattern.test(to)) {
        mocked.mock.restore()
        work()
      }
      return rename.call(this, from, to)
    },
  )
}

test('a folder that was removed meanwhile is no takeover', async (t) => {
  const { folder, move, isLost } = await prepare(t)
  await rejectsAs(renameFenced(move, `${folder}/version`), 'busy')
  assert.equal(isLost(), false)
  assert.ok(fs.existsSync(move.token))
})

for (const [title, fails] of [
  ['at the version', /version$/],
  ['at the folder', /\/a$/],
] as const) {
  test(`a takeover while the first version is stored, ${title}, stores nothing`, async (t) => {
    const { root, fenceFolder, moveFirst, isLost } = await prepare(t)
    interrupt(t, fails, () => fs.renameSync(fenceFolder, `${fenceFolder}-former`))
    await rejectsAs(moveFirst(), 'busy')
    assert.equal(isLost(), true)
    assert.deepEqual(fs.readdirSync(`${root.path}/.bucketry/versions/${bucket}`), [])
  })
}

test('the folders above may be made, or removed, by another key meanwhile', async (t) => {
  const made = await prepare(t)
  interrupt(t, /\/a$/, () => fs.mkdirSync(`${made.folder}/../other.%file`, { recursive: true }))
  await made.moveFirst()
  assert.deepEqual([made.text(), fs.readdirSync(made.fenceFolder)], ['text', []])

  const removed = await prepare(t)
  const above = removed.folder.slice(0, removed.folder.indexOf('/a/b/') + 2)
  fs.mkdirSync(`${above}/b`, { recursive: true })
  interrupt(t, /%file$/, () => fs.rmSync(above, { recursive: true }))
  await removed.moveFirst()
  assert.deepEqual([removed.text(), fs.readdirSync(removed.fenceFolder)], ['text', []])
})

test('two gateways store the first versions of keys in one new folder', async (t) => {
  const { drive, root } = await openDrive(t, undefined, undefined, enabled)
  const { drive: other } = await openDrive(t, root, undefined, enabled)
  const keys = Array.from({ length: 12 }, (_, index) => `new/folder/${index}`)
  const both = (index: number) => (index % 2 === 0 ? drive : other)
  const all = async () =>
    ((await drive.listVersions?.(bucket, { prefix: '', after: '' }).next(100)) ??
      []) as VersionEntry[]
  for (const text of ['one', 'two']) {
    await Promise.all(keys.map((key, index) => put(both(index), key, text)))
  }
  assert.equal((await all()).length, 24)
  for (let round = 0; round < 2; round++) {
    await Promise.all(
      (await all()).map(({ key, versionId }, index) =>
        both(index).remove(bucket, key, { versionId }),
      ),
    )
  }
  assert.deepEqual(await all(), [])
  assert.deepEqual(fs.readdirSync(`${root}/.bucketry/versions/${bucket}`), [])
})
