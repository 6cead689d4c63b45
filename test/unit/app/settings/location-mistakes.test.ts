import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'
import { SettingsError } from '../../../../src/platform/process/setting-mistake.ts'

const keys = { ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'hunter2hunter2hunter2' }

function temporaryFolder(t: TestContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bucketry-places-')))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function mistakesOf(
  settings: Record<string, string>,
  envFile?: string,
): Promise<readonly string[]> {
  try {
    await readSettings({ ...keys, ALLOWED_BUCKETS: 'photos', ...settings }, envFile)
    return []
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.mistakes
  }
}

test('A database, a spool and files of settings inside a served bucket are refused, all at once', async (t) => {
  const folder = temporaryFolder(t)
  const bucket = join(folder, 'drive/photos')
  mkdirSync(bucket, { recursive: true })
  mkdirSync(join(bucket, 'below'))
  symlinkSync(join(bucket, 'below'), join(folder, 'link'))
  const secret = join(bucket, 'secret')
  writeFileSync(secret, 'hunter2hunter2hunter2')
  const mistakes = await mistakesOf(
    {
      DRIVE: `file:${join(folder, 'drive')}`,
      DATABASE_URL: `sqlite:${join(folder, 'link/new/bucketry.db')}`,
      DRIVE_SPOOL: bucket,
      SECRET_KEY: '',
      SECRET_KEY_FILE: secret,
    },
    join(bucket, 'data/bucketry.env'),
  )
  assert.deepEqual(
    mistakes.map((line) => /^(.*?) is "/.exec(line)?.[1]),
    ['DATABASE_URL', 'DRIVE_SPOOL', 'The generated settings file', 'SECRET_KEY_FILE'],
  )
  for (const line of mistakes)
    assert.match(line, /expected a path outside the buckets.*bucket photos/)
})

test('A bucket reached through a symbolic link is the folder that it leads to', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'real/photos'), { recursive: true })
  symlinkSync(join(folder, 'real'), join(folder, 'drive'))
  const DATABASE_URL = `sqlite:${join(folder, 'real/photos/bucketry.db')}`
  assert.equal(
    (await mistakesOf({ DRIVE: `file:${join(folder, 'drive')}`, DATABASE_URL })).length,
    1,
  )
})

test('ReplySlots beside the buckets are allowed, also with a name that begins the same', async (t) => {
  const folder = temporaryFolder(t)
  const DRIVE = `file:${join(folder, 'drive')}`
  const DATABASE_URL = `sqlite:${join(folder, 'drive/photos.db')}`
  assert.deepEqual(
    await mistakesOf({ DRIVE, DATABASE_URL, DRIVE_SPOOL: join(folder, 'drive') }),
    [],
  )
})

test('DRIVE that names a file, or a path below one, says so', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'file')
  writeFileSync(file, '')
  assert.deepEqual(await mistakesOf({ DRIVE: `file:${file}` }), [
    `DRIVE is "file:${file}": expected a folder, but it is a file`,
  ])
  assert.deepEqual(await mistakesOf({ DRIVE: `file:${file}/below` }), [
    `DRIVE is "file:${file}/below": expected a folder, but ${file} is a file`,
  ])
})

test('DRIVE on a pseudo file system is refused', {
  skip: process.platform === 'linux' ? false : 'they are of Linux',
}, async (t) => {
  symlinkSync('/proc', join(temporaryFolder(t), 'link'))
  for (const path of ['/proc', '/proc/self/none', '/sys', '/dev', '/dev/none']) {
    assert.match(
      (await mistakesOf({ DRIVE: `file:${path}` })).join(),
      /expected a folder on a disk, but/,
    )
  }
  const [mistake = '', ...others] = await mistakesOf({
    DRIVE: 'file:/',
    ALLOWED_BUCKETS: 'proc,usr',
  })
  assert.match(mistake, /^ALLOWED_BUCKETS has "proc": expected a folder on a disk, but this is /)
  assert.deepEqual(others, [])
})
