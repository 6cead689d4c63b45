import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { tlsIdentityOf } from '../../../../src/app/settings/cross-checks.ts'
import { readSettings, readTls } from '../../../../src/app/settings/read-settings.ts'
import type { Environment } from '../../../../src/app/settings/setting.ts'
import { SettingsError } from '../../../../src/platform/process/setting-mistake.ts'
import { makeCertificate } from '../../../support/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'bucketry-settings-'))
after(() => rmSync(folder, { recursive: true }))

const required = { ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'secret', ALLOWED_BUCKETS: 'photos,docs' }

async function mistakesOf(environment: Environment): Promise<readonly string[]> {
  try {
    await readSettings(environment)
  } catch (error) {
    assert.ok(error instanceof SettingsError)
    return error.mistakes
  }
  return []
}

function fileWith(text: string): string {
  const path = join(folder, `${Math.random()}`)
  writeFileSync(path, text)
  return path
}

test('Settings have the defaults of the documentation', async () => {
  const settings = await readSettings(required)
  assert.equal(settings.region, 'us-east-1')
  assert.equal(settings.host, '127.0.0.1')
  assert.equal(settings.port, 9000)
  assert.deepEqual(settings.allowedBuckets, ['photos', 'docs'])
  assert.deepEqual(settings.publicReadBuckets, [])
  assert.equal(settings.publicList, true)
  assert.deepEqual(settings.drive, { kind: 'file', path: resolve('data/drive') })
  assert.deepEqual(settings.database, { kind: 'sqlite', path: resolve('data/bucketry.db') })
  assert.equal(settings.uploadExpiryHours, 24)
  assert.equal(settings.partWaitSeconds, 20)
  assert.ok(settings.workers >= 1)
  assert.equal(settings.publicUrl, undefined)
  assert.ok(Object.isFrozen(settings))
})

test('Settings know where a drive is', async () => {
  const google = {
    GDRIVE_CLIENT_ID: 'client',
    GDRIVE_CLIENT_SECRET: 'hunter2',
    GDRIVE_REFRESH_TOKEN: 'hunter2',
  }
  for (const [DRIVE, place] of [
    ['file:/srv/files', { kind: 'file', path: '/srv/files' }],
    ['memory:', { kind: 'memory' }],
    ['gdrive:', { kind: 'gdrive', folder: '' }],
    ['gdrive:Backups/s3', { kind: 'gdrive', folder: 'Backups/s3' }],
    ['webdav+http://localhost:8080', { kind: 'webdav', url: 'webdav+http://localhost:8080/' }],
    [
      'webdav+https://me:p%40ss@host/a b',
      { kind: 'webdav', url: 'webdav+https://me:p%40ss@host/a%20b' },
    ],
  ] as const) {
    assert.deepEqual((await readSettings({ ...required, ...google, DRIVE })).drive, place)
  }
})

test('Settings run one process for a drive in memory', async () => {
  const memory = { ...required, DRIVE: 'memory:' }
  assert.equal((await readSettings(memory)).workers, 1)
  assert.deepEqual(await mistakesOf({ ...memory, WORKERS: '2' }), [
    'DRIVE is memory:, which processes cannot share: expected WORKERS=1',
  ])
})

test('Settings run one process for a Google Drive unless WORKERS is set', async () => {
  const google = { ...required, DRIVE: 'gdrive:x', GDRIVE_SERVICE_ACCOUNT: fileWith('{}') }
  assert.equal((await readSettings(google)).workers, 1)
  assert.equal((await readSettings({ ...google, WORKERS: '3' })).workers, 3)
})

test('Settings require credentials for a Google Drive', async () => {
  const [line, ...others] = await mistakesOf({
    ...required,
    DRIVE: 'gdrive:x',
    GDRIVE_CLIENT_ID: 'c',
  })
  assert.match(line ?? '', /^DRIVE is a Google Drive: expected GDRIVE_CLIENT_ID, GDRIVE_CLIENT_S/)
  assert.deepEqual(others, [])
  const key = { GDRIVE_SERVICE_ACCOUNT: fileWith('{}') }
  assert.deepEqual(await mistakesOf({ ...required, ...key, DRIVE: 'gdrive:x' }), [])
})

test('Settings count an empty value as unset', async () => {
  const settings = await readSettings({ ...required, PORT: '', PUBLIC_URL: '', REGION_FILE: '' })
  assert.equal(settings.port, 9000)
  assert.equal(settings.publicUrl, undefined)
})

test('Settings are read from NAME_FILE, without the line break at the end', async () => {
  const settings = await readSettings({
    ...required,
    SECRET_KEY: undefined,
    SECRET_KEY_FILE: fileWith('from-a-file\n'),
    ALLOWED_BUCKETS: '',
    ALLOWED_BUCKETS_FILE: fileWith('one, two,,one\r\n'),
  })
  assert.equal(settings.secretKey, 'from-a-file')
  assert.deepEqual(settings.allowedBuckets, ['one', 'two'])
})

test('Settings report every mistake at once and show no secret', async () => {
  const mistakes = await mistakesOf({
    ACCESS_KEY: 'has/slash',
    SECRET_KEY: 'top secret',
    ALLOWED_BUCKETS: 'Photos',
    PORT: '70000',
    PUBLIC_LIST: 'yes',
    DATABASE_URL: 'mysql://user:hunter2@host/db',
    DRIVE: 'webdav:https://user:hunter2@cloud.example.org/files',
    LOG_LEVEL: 'loud',
  })
  const text = mistakes.join('\n')
  assert.equal(mistakes.length, 8, text)
  assert.match(text, /^ACCESS_KEY is "has\/slash": expected /m)
  assert.match(text, /^SECRET_KEY is a hidden value: expected no white space/m)
  assert.match(text, /^ALLOWED_BUCKETS is "Photos": expected bucket names with only lower-case/m)
  assert.match(text, /^PORT is "70000": expected a whole number from 0 to 65535$/m)
  assert.match(text, /^DRIVE is "webdav:…@cloud[^"]*": expected webdav\+https:/m)
  assert.doesNotMatch(text, /hunter2|top secret/)
})

test('Settings show no password of a URL, also in lists, and no secret from a file', async () => {
  const text = (
    await mistakesOf({
      ACCESS_KEY: 'AKEXAMPLE',
      SECRET_KEY_FILE: 'hunter2',
      ALLOWED_BUCKETS: 'photos,https://user:hunter2@host',
      DRIVE: 'webdav+https://user:hunter2/@hunter2@host/path',
      DATABASE_URL: 'mysql://user:hunter2@host/bucketry',
      CORS_ALLOWED_ORIGINS: 'https://example.org,https://user:hunter2@host',
      TRUST_PROXY: 'user:hunter2@host',
      PUBLIC_URL: 'https://user:hunter2@host',
    })
  ).join('\n')
  assert.equal(text.split('\n').length, 7)
  assert.doesNotMatch(text, /hunter2/)
  assert.match(text, /^SECRET_KEY_FILE is a hidden value: expected the path of a/m)
  assert.match(text, /^DRIVE is "webdav\+https:\/\/…@host\/path": expected webdav\+https:/m)
})

for (const password of ['moo@quark', 'moo/quark', '12/quark', '12?quark', '12#quark', '1\\quark']) {
  test(`Settings explain how to write ${password} in DRIVE, and do not show it`, async () => {
    for (const rest of ['@host/path', '@quark/moo@host/path']) {
      const DRIVE = `webdav+https://user:${password}${rest}`
      const text = (await mistakesOf({ ...required, DRIVE })).join('\n')
      assert.match(text, /^DRIVE is .*percent-encoded: .*@ as %40, \/ as %2F/)
      assert.doesNotMatch(text, /moo|quark/)
    }
  })
}

test('Settings show no password in DRIVE when the host behind it is missing', async () => {
  const text = (await mistakesOf({ ...required, DRIVE: 'webdav+https://user:quark/path' })).join(
    '\n',
  )
  assert.match(text, /^DRIVE is "webdav\+https:\/\/user:…": expected/)
})

test('Settings ask for all three of key, secret and buckets when one is set', async () => {
  assert.deepEqual(
    (await mistakesOf({ ACCESS_KEY: 'AKEXAMPLE' })).map((line) => line.split(' ')[0]),
    ['SECRET_KEY', 'ALLOWED_BUCKETS'],
  )
  assert.match(
    (await mistakesOf({ ...required, ALLOWED_BUCKETS: ' , ' })).join(),
    /at least one bucket/,
  )
})

for (const name of [
  'auth',
  'v1',
  'ab',
  'a..b',
  '-ab',
  'ab-',
  '192.168.0.1',
  'xn--ab',
  'a_b',
  'ab-s3alias',
  'a'.repeat(64),
]) {
  test(`Settings refuse the bucket name ${name}`, async () => {
    assert.match(
      (await mistakesOf({ ...required, ALLOWED_BUCKETS: name })).join('\n'),
      /^ALLOWED_BUCKETS is/,
    )
  })
}

test('Settings accept every legal look of a bucket name', async () => {
  const names = ['abc', '1-2', 'my.bucket.example', '0.0.0', 'a'.repeat(63)]
  const settings = await readSettings({ ...required, ALLOWED_BUCKETS: names.join(',') })
  assert.deepEqual(settings.allowedBuckets, names)
})

test('Settings refuse a public bucket that is not served', async () => {
  assert.deepEqual(await mistakesOf({ ...required, PUBLIC_READ_BUCKETS: 'photos,other' }), [
    'PUBLIC_READ_BUCKETS has "other": expected only buckets of ALLOWED_BUCKETS',
  ])
})

test('A missing setting names the file that has it, when the environment keeps that from being read', async () => {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const { SECRET_KEY, ...others } = required
  const plain = `SECRET_KEY is not set: set all of ACCESS_KEY, SECRET_KEY and ALLOWED_BUCKETS`
  assert.deepEqual(await mistakesOf({ ...others, DATA_DIR: dataDir }), [plain])
  const file = join(dataDir, 'bucketry.env')
  writeFileSync(file, 'PORT=9001\n')
  assert.deepEqual(await mistakesOf({ ...others, DATA_DIR: dataDir }), [plain])
  writeFileSync(file, `ACCESS_KEY=a\nSECRET_KEY=${SECRET_KEY}\nALLOWED_BUCKETS=files\n`)
  assert.deepEqual(
    await mistakesOf({ DASHBOARD_PASSWORD: 'password', ...others, DATA_DIR: dataDir }),
    [
      `SECRET_KEY is not set: ${file} has it, but is not read, because ACCESS_KEY, ALLOWED_BUCKETS, ` +
        'DASHBOARD_PASSWORD is set outside it. Move ACCESS_KEY, ALLOWED_BUCKETS, DASHBOARD_PASSWORD into that ' +
        'file, or set all of ACCESS_KEY, SECRET_KEY and ALLOWED_BUCKETS',
    ],
  )
})

test('The path of a file with a secret is shown, and the secret in place of a path is not', async () => {
  for (const name of ['SECRET_KEY', 'TLS_KEY', 'DATABASE_URL', 'ACCESS_KEYS']) {
    const { SECRET_KEY: _, ...others } = required
    const given = name === 'SECRET_KEY' ? others : required
    for (const path of ['/run/secrets/absent', './absent', '../absent']) {
      const text = (await mistakesOf({ ...given, [`${name}_FILE`]: path })).join('\n')
      assert.ok(text.includes(`${name}_FILE is "${path}": expected the path of`), text)
    }
    for (const secret of [
      'hunter2/hunter2',
      '/hunter2bPxRfiCYEXAMPLEKEY/K7MDENG+bPxRf',
      '/hunter2ABC/AAAAAAAA=',
    ]) {
      const text = (await mistakesOf({ ...given, [`${name}_FILE`]: secret })).join('\n')
      assert.match(text, new RegExp(`${name}_FILE is a hidden value`))
      assert.doesNotMatch(text, /hunter2/)
    }
  }
  assert.match(
    (await mistakesOf({ ...required, TLS_CERT: '/etc/absent', TLS_KEY: '/etc/absent.key' })).join(
      '\n',
    ),
    /^TLS_KEY is "\/etc\/absent\.key": expected PEM text or the path of a readable PEM file \(ENOENT\)/m,
  )
})

test('A file without end is refused for every setting that names one', async () => {
  for (const name of ['SECRET_KEY_FILE', 'ACCESS_KEYS_FILE', 'TLS_CERT', 'MODEL_CATALOGUE']) {
    const { SECRET_KEY: _, ...others } = required
    const given = name === 'SECRET_KEY_FILE' ? others : required
    assert.match(
      (await mistakesOf({ ...given, [name]: '/dev/zero' })).join('\n'),
      new RegExp(`^${name} is `, 'm'),
    )
  }
  const grants = [{ bucket: 'one', actions: ['read'] }]
  const key = { accessKeyId: 'APP', secretKeyFile: '/dev/zero', name: 'app', grants }
  assert.match(
    (await mistakesOf({ ...required, ACCESS_KEYS: JSON.stringify([key]) })).join('\n'),
    /ACCESS_KEYS has the key APP: expected its secret in the file \/dev\/zero/,
  )
})

test('Settings refuse NAME beside NAME_FILE, a missing file and an empty one', async () => {
  assert.match(
    (await mistakesOf({ ...required, SECRET_KEY_FILE: fileWith('x') })).join('\n'),
    /^SECRET_KEY and SECRET_KEY_FILE are both set/,
  )
  assert.match(
    (await mistakesOf({ ...required, REGION_FILE: join(folder, 'absent') })).join('\n'),
    /^REGION_FILE is ".*absent": expected the path of a readable file \(ENOENT\)$/,
  )
  assert.match(
    (await mistakesOf({ ...required, REGION_FILE: folder })).join('\n'),
    /expected the path of a readable file \(EISDIR\)/,
  )
  assert.match(
    (await mistakesOf({ ...required, REGION_FILE: fileWith('\n') })).join('\n'),
    /expected a file that is not empty/,
  )
})

for (const [name, value] of [
  ['DRIVE', 'file:'],
  ['DRIVE', '/srv/files'],
  ['DRIVE', 'file://host/files'],
  ['DRIVE', 'gdrive:abc'],
  ['DATABASE_URL', 'sqlite:'],
  ['DATABASE_URL', 'postgres://'],
  ['DATABASE_POOL', '1'],
  ['HOST', '127.0.0.1:9000'],
  ['HOST', 'a b'],
  ['PORT', '9000x'],
  ['PORT', '-1'],
  ['PUBLIC_URL', 'https://example.org/s3'],
  ['PUBLIC_URL', 'example.org'],
  ['PUBLIC_URL', 'ftp://example.org'],
  ['CORS_ALLOWED_ORIGINS', 'https://example.org/'],
  ['CORS_ALLOWED_ORIGINS', 'example.org'],
  ['TRUST_PROXY', 'localhost'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['UPLOAD_EXPIRY_HOURS', '0'],
  ['WORKERS', '0'],
  ['WORKERS', '2.5'],
  ['AUTH_KV', 'http://host'],
  ['MODEL_CATALOGUE', '/nowhere/catalogue.json'],
  ['REGION', 'us/east'],
  ['DASHBOARD_PASSWORD', ' copied with a space'],
  ['DASHBOARD_PASSWORD', 'two\tcolumns'],
] as const) {
  test(`Settings refuse ${name}=${value}`, async () => {
    const mistakes = await mistakesOf({ ...required, [name]: value })
    assert.equal(mistakes.length, 1)
    assert.match(mistakes[0] ?? '', new RegExp(`^${name} is .*: expected `))
  })
}

test('Settings keep the values for other features', async () => {
  const settings = await readSettings({
    ...required,
    DRIVE: 'file:///srv/files',
    DATABASE_URL: 'postgresql://user:pw@host/db',
    HOST: '::',
    PUBLIC_URL: 'https://s3.example.org/',
    CORS_ALLOWED_ORIGINS: 'https://a.example, *',
    TRUST_PROXY: '10.0.0.0/8, ::1',
    AUTH_KV: 'redis://cache:6379',
    MODEL_CATALOGUE: fileWith('{}'),
  })
  assert.deepEqual(settings.drive, { kind: 'file', path: '/srv/files' })
  assert.deepEqual(settings.database, { kind: 'postgres', url: 'postgresql://user:pw@host/db' })
  assert.equal(settings.publicUrl, 'https://s3.example.org')
  assert.deepEqual(settings.corsAllowedOrigins, ['https://a.example', '*'])
  assert.deepEqual(settings.trustProxy, ['10.0.0.0/8', '::1'])
})

test('TLS settings take PEM, the path of a PEM file, or NAME_FILE, and must fit together', async () => {
  const { certFile, keyFile } = makeCertificate(folder)
  const byPath = await readSettings({ ...required, TLS_CERT: certFile, TLS_KEY: keyFile })
  const byFile = await readSettings({ ...required, TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile })
  assert.match(tlsIdentityOf(byPath)?.cert ?? '', /BEGIN CERTIFICATE/)
  assert.equal(byPath.tlsCert?.trim(), byFile.tlsCert)
  assert.equal(byPath.tlsKey?.trim(), byFile.tlsKey)
  const byText = readTls({ TLS_CERT: byFile.tlsCert, TLS_KEY: byFile.tlsKey })
  assert.deepEqual(byText, tlsIdentityOf(byFile))
  assert.equal(readTls({}), undefined)
  assert.deepEqual(await mistakesOf({ ...required, TLS_CERT: certFile }), [
    'only one of TLS_CERT and TLS_KEY is set: expected both or neither',
  ])
  assert.match(
    (await mistakesOf({ ...required, TLS_CERT: certFile, TLS_KEY: certFile })).join('\n'),
    /^TLS_CERT and TLS_KEY: expected a certificate and its private key/,
  )
  assert.match(
    (await mistakesOf({ ...required, TLS_CERT: certFile, TLS_KEY: 'nonsense' })).join('\n'),
    /^TLS_KEY is a hidden value: expected PEM/,
  )
})

test('MODELS_API_KEY is visible ASCII, which every client can send', async () => {
  const key = 'sk-!~{}"/='
  assert.equal((await readSettings({ ...required, MODELS_API_KEY: key })).modelsApiKey, key)
  for (const bad of ['schlüssel', 'a b', 'a\tb', 'ключ', 'a\u007f']) {
    const mistakes = await mistakesOf({ ...required, MODELS_API_KEY: bad })
    assert.deepEqual(mistakes, [
      'MODELS_API_KEY is a hidden value: expected only visible ASCII characters',
    ])
  }
})
