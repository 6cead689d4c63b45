import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { backup, restore } from '../../../../../src/app/cli/commands/backup.ts'
import { openBackupFile } from '../../../../../src/app/cli/commands/backup-file.ts'
import { restoreLines } from '../../../../../src/platform/state/backup/restore-lines.ts'
import { readMigrations } from '../../../../../src/platform/state/migrate.ts'
import { openDatabase, openSession } from '../../../../../src/platform/state/open-database.ts'

test('A restore creates DATA_DIR for its owner only, as a start does', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-restore-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const environmentIn = (name: string) => ({
    ...{ ACCESS_KEY: 'me', SECRET_KEY: '0123456789abcdef', ALLOWED_BUCKETS: 'test' },
    DATA_DIR: join(folder, name),
  })
  const path = join(folder, 'old/bucketry.db')
  await (await openDatabase({ kind: 'sqlite', path }, { migrate: true })).close()
  const file = join(folder, 'backup')
  await backup({
    environment: environmentIn('old'),
    buckets: undefined,
    operands: [file],
    options: {},
  })
  await restore({
    environment: environmentIn('new'),
    buckets: undefined,
    operands: [file],
    options: {},
  })
  assert.equal(statSync(join(folder, 'new')).mode & 0o777, 0o700)
})

const generated =
  'ACCESS_KEY=me\nSECRET_KEY=0123456789abcdef\nALLOWED_BUCKETS=test\nDASHBOARD_PASSWORD=0123456789\n'

const asRoot = { skip: process.getuid?.() === 0 ? false : 'only root may give files away' }

test('What root restores belongs to the owner of the folder', asRoot, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-restore-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [old, service, own] = ['old', 'service', 'own'].map((name) => join(folder, name)) as [
    ...[string, string, string],
  ]
  const path = join(old, 'bucketry.db')
  await (await openDatabase({ kind: 'sqlite', path }, { migrate: true })).close()
  writeFileSync(join(old, 'bucketry.env'), generated)
  const file = join(folder, 'backup')
  await backup({
    environment: { DATA_DIR: old },
    buckets: undefined,
    operands: [file],
    options: {},
  })
  mkdirSync(service, { mode: 0o700 })
  // The user of the service may not look into the folders of root.
  chmodSync(folder, 0o755)
  chownSync(service, 10_001, 10_002)
  const dataDir = join(service, 'data')
  const said = await restore({
    environment: { DATA_DIR: dataDir },
    buckets: undefined,
    operands: [file],
    options: {},
  })
  assert.doesNotMatch(said, /chown/)
  const ownerOf = ({ uid, gid, mode }: Stats) => [uid, gid, mode & 0o777]
  assert.deepEqual(ownerOf(statSync(dataDir)), [10_001, 10_002, 0o700])
  const names = readdirSync(dataDir)
  assert.ok(names.includes('bucketry.db') && names.includes('bucketry.env'), names.join())
  for (const name of names) {
    assert.deepEqual(ownerOf(statSync(join(dataDir, name))), [10_001, 10_002, 0o600], name)
  }
  assert.deepEqual([process.geteuid?.(), process.getegid?.()], [0, process.getgid?.()])
  const toRoot = await restore({
    environment: { DATA_DIR: own },
    buckets: undefined,
    operands: [file],
    options: {},
  })
  assert.match(toRoot, /belong to root: .* chown -R USER/)
})

test('A refused restore writes no settings, and can be repeated', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-restore-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'backup')
  const [old, used, fresh] = ['old', 'used', 'new'].map((name) => join(folder, name)) as [
    ...[string, string, string],
  ]
  for (const dataDir of [old, used]) {
    const path = join(dataDir, 'bucketry.db')
    await (await openDatabase({ kind: 'sqlite', path }, { migrate: true })).close()
  }
  writeFileSync(join(old, 'bucketry.env'), generated)
  await backup({
    environment: { DATA_DIR: old },
    buckets: undefined,
    operands: [file],
    options: {},
  })
  await assert.rejects(
    restore({ environment: { DATA_DIR: used }, buckets: undefined, operands: [file], options: {} }),
    /the database is not empty/,
  )
  assert.equal(existsSync(join(used, 'bucketry.env')), false)

  const path = join(fresh, 'bucketry.db')
  const opened = await openBackupFile(file)
  const beforeCommit = () => Promise.reject(new Error('the settings can not be written'))
  const session = await openSession({ kind: 'sqlite', path })
  await assert.rejects(
    restoreLines(session, await readMigrations(), { ...opened, beforeCommit }),
    /the settings can not be written/,
  )
  opened.close()
  await restore({
    environment: { DATA_DIR: fresh },
    buckets: undefined,
    operands: [file],
    options: {},
  })
  assert.equal(readFileSync(join(fresh, 'bucketry.env'), 'utf8'), generated)
  assert.deepEqual(
    readdirSync(fresh).filter((name) => name.startsWith('.')),
    [],
  )
})

test('A backup is not written where clients can read it', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'state/bucketry.db')
  await (await openDatabase({ kind: 'sqlite', path }, { migrate: true })).close()
  mkdirSync(join(folder, 'drive/test'), { recursive: true })
  symlinkSync(join(folder, 'drive/test'), join(folder, 'link'))
  const environment = {
    ...{ ACCESS_KEY: 'me', SECRET_KEY: '0123456789abcdef', ALLOWED_BUCKETS: 'test' },
    ...{ DATA_DIR: join(folder, 'state'), DRIVE: `file:${join(folder, 'drive')}` },
  }
  for (const file of ['drive/test/new/backup', 'link/backup']) {
    const call = { environment, buckets: undefined, operands: [join(folder, file)], options: {} }
    await assert.rejects(backup(call), /backup is in the bucket test, .* outside the buckets/)
  }
  assert.deepEqual(readdirSync(join(folder, 'drive/test')), [])
  await backup({
    environment,
    buckets: undefined,
    operands: [join(folder, 'drive/backup')],
    options: {},
  })
})
