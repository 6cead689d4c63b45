import assert from 'node:assert/strict'
import {
  chmod,
  chown,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  readSettingsFile,
  SettingsFileError,
  writeSettingsFile,
} from '../../../../src/app/settings/settings-file.ts'

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-connect-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

test('writeSettingsFile makes a file that only its owner reads', async (t) => {
  const path = join(await folderFor(t), 'new', 'bucketry.env')
  await writeSettingsFile(path, { A: '1', B: undefined })
  assert.equal(await readFile(path, 'utf8'), 'A=1\n')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readSettingsFile(path), { A: '1' })
})

test('writeSettingsFile keeps the other lines and takes the file from other eyes', async (t) => {
  const folder = await folderFor(t)
  const path = join(folder, 'bucketry.env')
  await writeFile(path, '# mine\nACCESS_KEY=k\nA=1\n')
  await chmod(path, 0o644)
  await writeSettingsFile(path, { A: '2' })
  assert.equal(await readFile(path, 'utf8'), '# mine\nACCESS_KEY=k\nA=2\n')
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(folder), ['bucketry.env'])
})

test('writeSettingsFile writes into a folder behind a symbolic link', async (t) => {
  const folder = await folderFor(t)
  await symlink('.', join(folder, 'link'))
  await writeSettingsFile(join(folder, 'link', 'bucketry.env'), { A: '1' })
  assert.equal(await readFile(join(folder, 'bucketry.env'), 'utf8'), 'A=1\n')
})

test('writeSettingsFile changes the file that a symbolic link leads to', async (t) => {
  const folder = await folderFor(t)
  const [path, target] = [join(folder, 'bucketry.env'), join(await folderFor(t), 'mine.env')]
  await writeFile(target, 'A=1\n')
  await symlink(target, path)
  await writeSettingsFile(path, { A: '2' })
  assert.equal(await readFile(target, 'utf8'), 'A=2\n')
  assert.equal(await readlink(path), target)
})

test('writeSettingsFile leaves the file as it was when a value cannot stand in it', async (t) => {
  const folder = await folderFor(t)
  const path = join(folder, 'bucketry.env')
  await writeFile(path, 'A=1\n')
  await assert.rejects(writeSettingsFile(path, { A: "it's two words" }), (error) => {
    assert.ok(error instanceof SettingsFileError)
    assert.match(error.message, /the value of A contains a quote/)
    assert.doesNotMatch(error.message, /two words/)
    return true
  })
  assert.equal(await readFile(path, 'utf8'), 'A=1\n')
  assert.deepEqual(await readdir(folder), ['bucketry.env'])
})

test('writeSettingsFile reports a file that cannot be written', async (t) => {
  const folder = await folderFor(t)
  await writeFile(join(folder, 'file'), '')
  const path = join(folder, 'file', 'bucketry.env')
  await assert.rejects(writeSettingsFile(path, { A: '1' }), /can't be (read|written).*ENOTDIR/)
})

const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root may give files away' }

test(
  'What root writes keeps the owner of the file, or belongs to that of the folder',
  asRoot,
  async (t) => {
    const folder = await folderFor(t)
    await chown(folder, 10_001, 10_002)
    const path = join(folder, 'bucketry.env')
    const owner = async () => [(await stat(path)).uid, (await stat(path)).gid]
    await writeSettingsFile(path, { PORT: '9000' })
    assert.deepEqual(await owner(), [10_001, 10_002])
    await chown(path, 10_003, 10_004)
    await writeSettingsFile(path, { PORT: '9001' })
    assert.deepEqual(await owner(), [10_003, 10_004])
  },
)
