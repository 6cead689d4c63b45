import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { refuseOtherMount } from '../../../../src/app/settings/minio-folder.ts'
import { withMinioSettings } from '../../../../src/app/settings/minio-settings.ts'
import type { Environment } from '../../../../src/app/settings/setting.ts'
import { SettingsError } from '../../../../src/platform/process/setting-mistake.ts'

const root = { MINIO_ROOT_USER: 'app', MINIO_ROOT_PASSWORD: 'minio-secret' }
const image = { HOST: '0.0.0.0', PORT: '9000', DATA_DIR: '/data', DRIVE: 'file:/data/drive' }

/** MinIO's variables beside the root user → our settings. */
const taken: Readonly<Record<string, readonly [given: Environment, ours: Environment]>> = {
  'the root user': [
    {},
    {
      ...{ ACCESS_KEY: 'app', SECRET_KEY: 'minio-secret', COMPATIBILITY: 'aws' },
      DASHBOARD_PASSWORD: 'minio-secret',
    },
  ],
  'a region': [{ MINIO_REGION: 'eu-west-1' }, { REGION: 'eu-west-1' }],
  'a region of a site': [{ MINIO_SITE_REGION: 'eu-west-1' }, { REGION: 'eu-west-1' }],
  'a region twice': [{ MINIO_REGION: 'a', MINIO_REGION_NAME: 'a' }, { REGION: 'a' }],
  'a public address': [
    { MINIO_SERVER_URL: 'https://s3.example.org' },
    { PUBLIC_URL: 'https://s3.example.org' },
  ],
  'pages of every origin': [{}, { CORS_ALLOWED_ORIGINS: '*' }],
  'origins of pages': [
    { MINIO_API_CORS_ALLOW_ORIGIN: 'https://a.example,https://b.example' },
    { CORS_ALLOWED_ORIGINS: 'https://a.example,https://b.example' },
  ],
  'our origins of pages': [
    { CORS_ALLOWED_ORIGINS: 'https://a.example' },
    { CORS_ALLOWED_ORIGINS: 'https://a.example' },
  ],
  domains: [{ MINIO_DOMAIN: 'minio' }, { VIRTUAL_HOST_DOMAINS: 'minio' }],
  'buckets, separated as Bitnami separates them': [
    { MINIO_DEFAULT_BUCKETS: 'aaa,bbb:public; ccc:download ddd' },
    { DEFAULT_BUCKETS: 'aaa,bbb:public,ccc:download,ddd' },
  ],
  'an address': [
    { ...image, MINIO_ADDRESS: ':9100' },
    { HOST: '0.0.0.0', PORT: '9100' },
  ],
  'an address with a host': [
    { ...image, MINIO_ADDRESS: '127.0.0.1:9100' },
    { HOST: '127.0.0.1', PORT: '9100' },
  ],
  'the port of Bitnami': [{ ...image, MINIO_API_PORT_NUMBER: '80' }, { PORT: '80' }],
  'an address of the console': [{ MINIO_CONSOLE_ADDRESS: ':9001' }, { DASHBOARD_ADDRESS: ':9001' }],
  'the console of Bitnami': [{ MINIO_CONSOLE_PORT_NUMBER: '9001' }, { DASHBOARD_ADDRESS: ':9001' }],
  'no console': [
    { MINIO_BROWSER: 'off', MINIO_CONSOLE_ADDRESS: ':9001' },
    { DASHBOARD_PASSWORD: undefined, DASHBOARD_ADDRESS: undefined },
  ],
  'a console': [{ MINIO_BROWSER: 'on' }, { DASHBOARD_PASSWORD: 'minio-secret' }],
  'another password of the dashboard': [
    { DASHBOARD_PASSWORD: 'another' },
    { DASHBOARD_PASSWORD: 'another' },
  ],
  'a folder': [
    { ...image, MINIO_VOLUMES: '/export' },
    { DATA_DIR: '/export', DRIVE: 'file:/export/drive' },
  ],
  'a folder with another drive': [
    { DRIVE: 'gdrive:Work', MINIO_VOLUMES: '/export' },
    { DATA_DIR: '/export', DRIVE: 'gdrive:Work' },
  ],
  'a webhook': [
    {
      MINIO_NOTIFY_WEBHOOK_ENABLE_MAIN: 'on',
      MINIO_NOTIFY_WEBHOOK_ENDPOINT_MAIN: 'http://app/events',
      MINIO_NOTIFY_WEBHOOK_AUTH_TOKEN_MAIN: 'token',
    },
    { NOTIFY_WEBHOOK: 'http://app/events', NOTIFY_WEBHOOK_TOKEN: 'token' },
  ],
  'a webhook without a name, and one that is off': [
    {
      ...{ MINIO_NOTIFY_WEBHOOK_ENABLE: 'on', MINIO_NOTIFY_WEBHOOK_ENABLE_B: 'off' },
      MINIO_NOTIFY_WEBHOOK_ENDPOINT: 'http://app/events',
    },
    { NOTIFY_WEBHOOK: 'http://app/events' },
  ],
}

for (const [title, [given, ours]] of Object.entries(taken)) {
  test(`taken: ${title}`, () => {
    const { environment, warnings } = withMinioSettings({ ...root, ...given })
    for (const [name, value] of Object.entries(ours)) assert.equal(environment[name], value, name)
    assert.doesNotMatch(warnings.join(''), /minio-secret|: token/)
  })
}

test('the older names of the root user are taken, and files are relative to the folder of secrets', () => {
  const older = { MINIO_ACCESS_KEY: 'app', MINIO_SECRET_KEY: 'secret' }
  assert.equal(withMinioSettings(older).environment.SECRET_KEY, 'secret')
  const files = {
    MINIO_ROOT_USER_FILE: 'access_key',
    MINIO_ROOT_PASSWORD_FILE: '/etc/minio/secret',
  }
  const { environment } = withMinioSettings(files)
  assert.equal(environment.ACCESS_KEY_FILE, '/run/secrets/access_key')
  assert.equal(environment.SECRET_KEY_FILE, '/etc/minio/secret')
  assert.equal(environment.DASHBOARD_PASSWORD_FILE, '/etc/minio/secret')
})

test('beside the root user, the older names have no effect', () => {
  const given = { ...root, MINIO_ACCESS_KEY: 'of-the-app', MINIO_SECRET_KEY: 'its-secret' }
  const { environment, warnings } = withMinioSettings(given)
  assert.deepEqual([environment.ACCESS_KEY, environment.SECRET_KEY], ['app', 'minio-secret'])
  assert.match(warnings[1] ?? '', /^MINIO_ACCESS_KEY, MINIO_SECRET_KEY: no effect/)
})

test('the log names what was taken once, and what has no effect once', () => {
  const idle = { MINIO_KMS_SECRET_KEY: 'key:abc', MINIO_PROMETHEUS_AUTH_TYPE: 'public' }
  const { warnings } = withMinioSettings({ ...root, ...idle, MINIO_REGION: 'a', MINIO_EMPTY: '' })
  assert.equal(warnings.length, 2)
  assert.match(warnings[0] ?? '', /MINIO_REGION, MINIO_ROOT_PASSWORD, MINIO_ROOT_USER/)
  assert.match(warnings[1] ?? '', /^MINIO_KMS_SECRET_KEY, MINIO_PROMETHEUS_AUTH_TYPE: no effect/)
})

/** Variables beside the root user → what the message says. */
const conflicts: readonly (readonly [title: string, given: Environment, message: RegExp])[] = [
  [
    'a region of each',
    { REGION: 'a', MINIO_REGION: 'b' },
    /^MINIO_REGION and REGION have different values for REGION: remove one of them$/,
  ],
  ['two regions', { MINIO_REGION: 'a', MINIO_SITE_REGION: 'b' }, /^MINIO_SITE_REGION and another/],
  ['no bucket', { MINIO_DEFAULT_BUCKETS: 'A' }, /^MINIO_DEFAULT_BUCKETS is "A": expected bucket/],
  [
    'a path',
    { MINIO_SERVER_URL: 'https://h/s3' },
    /^MINIO_SERVER_URL is "https:\/\/h\/s3": expected/,
  ],
  [
    'a secret with a space',
    { MINIO_ROOT_PASSWORD: 'a b' },
    /^MINIO_ROOT_PASSWORD is a hidden value/,
  ],
  ['two ports', { PORT: '9200', MINIO_ADDRESS: ':9100' }, /^MINIO_ADDRESS and PORT/],
  ['no address', { MINIO_ADDRESS: '9100' }, /^MINIO_ADDRESS is "9100": expected \[HOST\]:PORT/],
  ['several folders', { MINIO_VOLUMES: '/data{1...4}' }, /^MINIO_VOLUMES is .* one folder/],
  ['two folders', { MINIO_VOLUMES: '/data1 /data2' }, /^MINIO_VOLUMES is .* one folder/],
  ['servers', { MINIO_VOLUMES: 'http://m:9000/data' }, /^MINIO_VOLUMES is .* one folder/],
  ['a dashboard and none', { MINIO_BROWSER: 'off', DASHBOARD_PASSWORD: 'x' }, /^MINIO_BROWSER/],
  [
    'two webhooks',
    { MINIO_NOTIFY_WEBHOOK_ENABLE_A: 'on', MINIO_NOTIFY_WEBHOOK_ENABLE_B: 'on' },
    /ENABLE_A and MINIO_NOTIFY_WEBHOOK_ENABLE_B are on/,
  ],
]

for (const [title, given, message] of conflicts) {
  test(`refused: ${title}`, () => {
    assert.throws(
      () => withMinioSettings({ ...root, ...given }),
      (error: unknown) => error instanceof SettingsError && message.test(error.message),
    )
  })
}

for (const [title, own] of Object.entries({
  'an own access key': { ACCESS_KEY: 'me' },
  'an own secret key': { SECRET_KEY_FILE: 'secret' },
  'COMPATIBILITY=contract': { COMPATIBILITY: 'contract' },
})) {
  test(`with ${title}, nothing is taken, and nothing contradicts it`, () => {
    const environment = { ...root, ...own, REGION: 'a', MINIO_REGION: 'b' }
    assert.deepEqual(withMinioSettings(environment), { environment, warnings: [] })
  })
}

test('without a password, nothing is taken, and the log says so', () => {
  const environment = { MINIO_ROOT_USER: 'app', MINIO_ROOT_PASSWORD: '' }
  const { environment: after, warnings } = withMinioSettings(environment)
  assert.equal(after, environment)
  assert.match(warnings.join(), /^MINIO_ROOT_USER: no effect, because/)
})

test('a volume where another image keeps objects is refused, unless it is used', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-minio-'))
  t.after(() => rmSync(folder, { recursive: true }))
  assert.throws(
    () => refuseOtherMount({ DATA_DIR: '/data' }, folder),
    /mount an empty volume at \/data instead/,
  )
  for (const dataDir of [folder, `${folder}/`, join(folder, 'bucketry')]) {
    refuseOtherMount({ DATA_DIR: dataDir }, folder)
  }
  assert.throws(() => refuseOtherMount({ DATA_DIR: `${folder}2` }, folder))
  refuseOtherMount({ DATA_DIR: '/data' }, join(folder, 'none'))
})

test('empty folders beside the drive become buckets, others do not', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-minio-'))
  t.after(() => rmSync(folder, { recursive: true }))
  for (const name of ['photos', 'drive', 'full', 'No Bucket']) mkdirSync(join(folder, name))
  writeFileSync(join(folder, 'full/file'), '')
  const given = { ...root, MINIO_VOLUMES: folder, MINIO_DEFAULT_BUCKETS: 'music:public' }
  const { environment } = withMinioSettings(given)
  assert.equal(environment.DEFAULT_BUCKETS, 'photos,music:public')
})
