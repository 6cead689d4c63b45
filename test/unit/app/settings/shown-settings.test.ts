import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, type Settings } from '../../../../src/app/settings/read-settings.ts'
import { shownSettings } from '../../../../src/app/settings/shown-settings.ts'

const secrets = {
  SECRET_KEY: 'hush-secret-key',
  DASHBOARD_PASSWORD: 'hush-password-1',
  MODELS_API_KEY: 'hush-models',
  AUTH_KV: 'redis://:hush-redis@localhost:1',
  DATABASE_URL: 'postgres://user:hush-postgres@localhost/bucketry?sslmode=require',
}
const environment = {
  ...secrets,
  ACCESS_KEY: 'AKEXAMPLE',
  ALLOWED_BUCKETS: 'files, photos',
  TRUST_PROXY: '10.0.0.0/8',
  PUBLIC_LIST: 'false',
  DRIVE: 'file:/srv/drive',
  PORT: '9000',
}

async function shown(changes: Readonly<Record<string, unknown>> = {}) {
  const settings = { ...(await readSettings(environment)), ...changes } as Settings
  return new Map(shownSettings(settings).map((each) => [each.name, each]))
}

test('Secrets are named and never shown', async () => {
  const settings = await shown()
  for (const name of Object.keys(secrets)) {
    assert.deepEqual(settings.get(name), {
      name,
      value: null,
      isSecret: true,
      isSet: true,
      source: 'environment',
    })
  }
  assert.doesNotMatch(JSON.stringify([...settings]), /hush/)
})

test('ACCESS_KEYS is set only if it has keys', async () => {
  const none = (await shown()).get('ACCESS_KEYS')
  assert.deepEqual(none, {
    name: 'ACCESS_KEYS',
    value: null,
    isSecret: true,
    isSet: false,
    source: 'default',
  })
  const some = await shown({ accessKeys: [{ accessKey: 'AKSECOND' }] })
  assert.equal(some.get('ACCESS_KEYS')?.isSet, true)
})

test('Other settings are shown as a person would write them, defaults as such', async () => {
  const settings = await shown()
  for (const [name, value, isSet] of [
    // Not a secret: every signed request and every share link shows it.
    ['ACCESS_KEY', 'AKEXAMPLE', true],
    ['ALLOWED_BUCKETS', 'files, photos', true],
    ['PUBLIC_READ_BUCKETS', null, false],
    ['PUBLIC_LIST', 'false', true],
    ['DRIVE', 'file:/srv/drive', true],
    ['TRUST_PROXY', '10.0.0.0/8', true],
    ['PUBLIC_URL', null, false],
    ['REGION', 'us-east-1', false],
    ['UPLOAD_EXPIRY_HOURS', '24', false],
    // What is set to the default is the default.
    ['PORT', '9000', false],
  ] as const) {
    const source = isSet ? 'environment' : 'default'
    assert.deepEqual(settings.get(name), { name, value, isSecret: false, isSet, source })
  }
})

test('A drive of any kind is shown without possible passwords', async () => {
  const drives: readonly (readonly [place: object, value: string])[] = [
    [
      { kind: 'webdav', url: 'https://me:hush@cloud.example/dav/?token=hush#hush' },
      'https://cloud.example/dav/',
    ],
    [{ kind: 'webdav', url: 'https://me:hu/sh@cloud.example/' }, 'https'],
    [{ kind: 'gdrive', folder: 'x', clientSecret: 'hush' }, 'gdrive'],
  ]
  for (const [place, value] of drives) {
    const text = (await shown({ drive: place })).get('DRIVE')?.value ?? ''
    assert.doesNotMatch(text, /hush/)
    assert.ok(text.startsWith(value), text)
  }
})

test('A certificate is shown as one', async () => {
  const cert = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
  assert.equal((await shown({ tlsCert: cert })).get('TLS_CERT')?.value, 'PEM')
})

test('Settings say where they come from', async () => {
  const settings = await shown({ fromFile: ['ACCESS_KEY'] })
  const sources = ['ACCESS_KEY', 'PUBLIC_LIST', 'REGION'].map((name) => settings.get(name)?.source)
  assert.deepEqual(sources, ['file', 'environment', 'default'])
})

test('NOTIFY_OBJECTS is shown as it is written, and no setting as an object', async () => {
  assert.equal((await shown()).get('NOTIFY_OBJECTS')?.value, '*')
  assert.equal((await shown()).get('NOTIFY_OBJECTS')?.isSet, false)
  const notifyObjects = [
    { bucket: 'photos', prefix: '', suffix: '' },
    { bucket: 'files', prefix: 'in/', suffix: '.csv' },
  ]
  const some = await shown({ notifyObjects })
  assert.equal(some.get('NOTIFY_OBJECTS')?.value, 'photos, files/in/*.csv')
  assert.equal(some.get('NOTIFY_OBJECTS')?.isSet, true)
  for (const { value } of some.values()) assert.doesNotMatch(value ?? '', /\[object/)
})
