/** The owner note of a folder: the leftovers of failed writes, and a remounted drive. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { LocalNotes } from '../../../../../src/storage/drives/local/local-notes.ts'
import { openDrive } from './open-drive.ts'
import { tempFolder } from './temp-folder.ts'

const canMount = process.platform === 'linux' && process.getuid?.() === 0
const mounts = { skip: canMount ? false : 'only root may mount a file system' }

/** The drive's own files, without folders. */
function filesIn(root: string): string[] {
  const entries = fs.readdirSync(join(root, '.bucketry'), { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

test('a note that cannot be written or renamed leaves no file', async (t) => {
  const root = tempFolder(t)
  const notes = new LocalNotes(root)
  await notes.create('owner', 'x')
  // A file cannot replace a folder.
  fs.mkdirSync(join(root, '.bucketry/alive.json'))
  await assert.rejects(notes.write('alive', '1'))
  assert.deepEqual(filesIn(root), ['owner.json'])
  // As on a full disk: the file exists, but not its bytes.
  t.mock.method(fs.promises, 'writeFile', async (path: string) => {
    fs.writeFileSync(path, '')
    throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
  })
  await assert.rejects(notes.write('alive', '2'), { kind: 'full' })
  assert.deepEqual(filesIn(root), ['owner.json'])
})

/** Mounts another file system at the folder, with the owner note and a bucket. */
function mountOn(root: string, owner: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', root])
  fs.mkdirSync(join(root, '.bucketry/tmp'), { recursive: true })
  fs.mkdirSync(join(root, 'alpha'))
  fs.writeFileSync(join(root, '.bucketry/owner.json'), owner)
}

async function testMountedAgain(t: TestContext, root: string): Promise<void> {
  mountOn(root, 'the owner')
  const notes = new LocalNotes(root)
  assert.equal(await notes.read('owner'), 'the owner')
  const { drive } = await openDrive(t, root)
  mountOn(root, 'the owner')
  await notes.write('alive', '1')
  assert.equal(await notes.read('owner'), 'the owner')
  await drive.check()
  assert.equal(await drive.head('alpha', 'absent'), undefined)
  mountOn(root, 'another owner')
  await assert.rejects(notes.read('owner'), { kind: 'unavailable' })
  await assert.rejects(notes.write('alive', '2'), { kind: 'unavailable' })
  await assert.rejects(drive.check(), { kind: 'unavailable' })
  await assert.rejects(async () => drive.head('alpha', 'absent'), { kind: 'unavailable' })
}

test(
  'a drive that is remounted with another device number is the same drive',
  mounts,
  async (t) => {
    const root = tempFolder(t)
    try {
      await testMountedAgain(t, root)
    } finally {
      // One for each mount; before the folder is removed.
      while (fs.existsSync(join(root, 'alpha'))) execFileSync('umount', ['--lazy', root])
    }
  },
)

test('a read-only folder is named, with the code of the system', mounts, async (t) => {
  const root = tempFolder(t)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', root])
  try {
    for (const path of [root, join(root, 'new')]) {
      await assert.rejects(new LocalNotes(path).create('owner', 'x'), (error: Error) => {
        assert.ok(error.message.startsWith(`Could not create the note owner in ${path} (EROFS).`))
        return true
      })
    }
  } finally {
    execFileSync('umount', ['--lazy', root])
  }
})
