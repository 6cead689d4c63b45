/**
 * The drive's own folders are exchanged while the gateway runs: the drive is unmounted with `umount --lazy` and mounted
 * again, or a folder is renamed.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLocalRoot } from '../../../src/storage/drives/local/local-root.ts'
import { KeyLocks } from '../../../src/storage/drives/local/objects/key-locks.ts'
import {
  attributesOf,
  bucket,
  get,
  openDrive,
  put,
} from '../../unit/storage/drives/local/open-drive.ts'
import { tempFolder } from '../../unit/storage/drives/local/temp-folder.ts'

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const skip = isRoot ? false : 'only root may mount a file system'
const target = { bucket, key: 'parts' }

test('a drive is used through its new mount, and nothing is accepted without one', {
  skip,
}, async (t) => {
  let root = ''
  const unmount = () => execFileSync('umount', ['--lazy', root])
  // Before the folder is removed.
  t.after(unmount)
  const folder = tempFolder(t)
  root = join(folder, 'mount')
  const disk = join(folder, 'disk')
  for (const one of [disk, root]) mkdirSync(one)
  const mount = () => execFileSync('mount', ['--bind', disk, root])
  mount()
  const { drive } = await openDrive(t, root)
  await put(drive, 'k', 'before')
  const state = await drive.uploads.begin('upload', target)
  const append = async (text: string) => {
    const draft = await drive.uploads.append(state, { offset: 0 })
    try {
      await draft.write(Buffer.from(text))
      return await draft.commit()
    } finally {
      await draft.discard()
    }
  }
  t.mock.method(performance, 'now', () => 1e9)

  unmount()
  await assert.rejects(put(drive, 'k', 'away'), { kind: 'unavailable' })
  await assert.rejects(append('away'), { kind: 'unavailable' })

  mount()
  const next = await append('bytes')
  const options = { target, size: 5, attributes: attributesOf('bytes') }
  await drive.uploads.complete(next, options)
  assert.equal((await get(drive, 'parts'))?.text, 'bytes')

  // The folders were looked at within the last second.
  unmount()
  mount()
  await assert.rejects(put(drive, 'k', 'early'), { kind: 'busy' })
  await put(drive, 'k', 'after')
  assert.equal((await get(drive, 'k'))?.text, 'after')
})

test('a process finds the folder of locks that others use after it was renamed', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  const locks = new KeyLocks(root)
  await locks.hold('a', async () => undefined)
  const folder = join(root.path, '.bucketry/locks')
  renameSync(folder, `${folder}.away`)
  await openLocalRoot(root.path)
  t.mock.method(performance, 'now', () => 1e9)
  await locks.hold('a', async () => {
    assert.deepEqual(readdirSync(`${folder}.away`), [])
    assert.equal(readdirSync(folder).length, 1)
  })
})
