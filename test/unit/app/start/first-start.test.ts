import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'
import type { Environment } from '../../../../src/app/settings/setting.ts'
import { namesFrom, provideSettings } from '../../../../src/app/start/first-start.ts'
import { SettingsError } from '../../../../src/platform/process/setting-mistake.ts'

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-first-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const startIn = (folder: string, environment: Environment) =>
  provideSettings({ DATA_DIR: join(folder, 'data'), ...environment })

test('The first start makes keys in the look of AWS, a password and a bucket', async (t) => {
  const folder = temporaryFolder(t)
  const { environment, file, isNew } = await startIn(folder, { PORT: '9001' })
  assert.equal(isNew, true)
  assert.equal(file, join(folder, 'data/bucketry.env'))
  assert.match(environment.ACCESS_KEY ?? '', /^[A-Z0-9]{20}$/)
  assert.match(environment.SECRET_KEY ?? '', /^[A-Za-z0-9]{40}$/)
  assert.match(environment.DASHBOARD_PASSWORD ?? '', /^[A-Za-z0-9]{20}$/)
  const settings = await readSettings(environment)
  assert.deepEqual(settings.allowedBuckets, ['files'])
  assert.equal(settings.port, 9001)
})

test('The generated file is private, complete and alone', async (t) => {
  const folder = temporaryFolder(t)
  const { file = '', environment } = await startIn(folder, {})
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(join(folder, 'data')), ['bucketry.env'])
  const sourced = execFileSync('sh', ['-c', '. "$0"; printf %s "$SECRET_KEY"', file])
  assert.equal(sourced.toString(), environment.SECRET_KEY)
})

test('The data folder may be a symbolic link', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'volume'))
  symlinkSync('volume', join(folder, 'data'))
  const { isNew } = await startIn(folder, {})
  assert.equal(isNew, true)
  assert.deepEqual(readdirSync(join(folder, 'volume')), ['bucketry.env'])
})

test('A later start uses the same keys, and the environment wins over the file', async (t) => {
  const folder = temporaryFolder(t)
  const first = await startIn(folder, {})
  const text = readFileSync(first.file ?? '', 'utf8')
  writeFileSync(first.file ?? '', `${text}PORT=9100\nREGION=eu-west-1\n`)
  const later = await startIn(folder, { PORT: '9200', REGION: '' })
  assert.equal(later.isNew, false)
  assert.equal(later.environment.ACCESS_KEY, first.environment.ACCESS_KEY)
  assert.equal(later.environment.PORT, '9200')
  assert.equal(later.environment.REGION, 'eu-west-1')
})

test('What the file gives is named, except for what the environment has', () => {
  const kept = { ACCESS_KEY: 'a', SECRET_KEY: 'b', REGION: 'c', DATA_DIR: '/d' }
  assert.deepEqual(namesFrom({ kept }, { REGION_FILE: '/e', SECRET_KEY: '' }), [
    'ACCESS_KEY',
    'SECRET_KEY',
  ])
})

test('Starts at the same time agree on the keys', async (t) => {
  const folder = temporaryFolder(t)
  const starts = await Promise.all(Array.from({ length: 8 }, () => startIn(folder, {})))
  assert.equal(new Set(starts.map(({ environment }) => environment.SECRET_KEY)).size, 1)
  assert.equal(starts.filter(({ isNew }) => isNew).length, 1)
  assert.deepEqual(readdirSync(join(folder, 'data')), ['bucketry.env'])
})

for (const name of ['ACCESS_KEY', 'SECRET_KEY_FILE', 'ALLOWED_BUCKETS', 'DASHBOARD_PASSWORD']) {
  test(`Nothing is generated when ${name} is set`, async (t) => {
    const folder = temporaryFolder(t)
    const { environment, file } = await startIn(folder, { [name]: 'x' })
    assert.deepEqual(environment, { DATA_DIR: join(folder, 'data'), [name]: 'x' })
    assert.equal(file, undefined)
    assert.deepEqual(readdirSync(folder), [])
  })
}

test('A folder that cannot store settings gets an explanation', async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'data'), 'a file in the way')
  await assert.rejects(startIn(folder, {}), SettingsError)
  rmSync(join(folder, 'data'))
  mkdirSync(join(folder, 'data/bucketry.env'), { recursive: true })
  await assert.rejects(startIn(folder, {}), /cannot read or write .*bucketry\.env \(EISDIR\)/)
})
