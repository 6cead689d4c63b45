import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'
import { settingsWarnings } from '../../../../src/app/settings/warnings.ts'

const strong = {
  ACCESS_KEY: 'AKEXAMPLE',
  SECRET_KEY: 'hunter2hunter2hunter2',
  ALLOWED_BUCKETS: 'photos',
}

async function warningsOf(environment: Record<string, string>, kept: Record<string, string> = {}) {
  const settings = await readSettings({ ...strong, ...environment })
  return settingsWarnings({ settings, environment, kept })
}

test('Short secrets bring a warning that does not show them', async () => {
  const [key = '', password = '', ...more] = await warningsOf({
    SECRET_KEY: 'hunter2hunter2x',
    DASHBOARD_PASSWORD: 'hunter2',
  })
  assert.deepEqual(more, [])
  assert.match(key, /^SECRET_KEY has fewer than 16 characters/)
  assert.match(password, /^DASHBOARD_PASSWORD has fewer than 8 characters/)
  assert.doesNotMatch(key + password, /hunter2/)
  assert.deepEqual(await warningsOf({ DASHBOARD_PASSWORD: 'hunter22' }), [])
})

test('A short secret in ACCESS_KEYS brings a warning that does not show it', async () => {
  const grants = [{ bucket: 'photos', actions: ['read'] }]
  const keys = ['SHORT', 'LONG'].map((accessKeyId) => {
    return { accessKeyId, secretKeyEnv: `${accessKeyId}_SECRET`, name: 'app', grants }
  })
  const secrets = { SHORT_SECRET: 'hunter2hunter2x', LONG_SECRET: 'hunter2hunter2xy' }
  const warnings = await warningsOf({ ...secrets, ACCESS_KEYS: JSON.stringify(keys) })
  assert.deepEqual(warnings, [
    'ACCESS_KEYS: the secret of SHORT has fewer than 16 characters and can be guessed',
  ])
})

test('An address that others reach brings a warning without TLS or a proxy', async () => {
  for (const HOST of ['0.0.0.0', '::', '192.168.1.5', 's3.example.org']) {
    assert.match((await warningsOf({ HOST })).join(), /^HOST is ".*" without TLS.*TRUST_PROXY/)
    assert.deepEqual(await warningsOf({ HOST, TRUST_PROXY: '10.0.0.1' }), [])
  }
  for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost', '::ffff:127.0.0.1']) {
    assert.deepEqual(await warningsOf({ HOST }), [])
  }
})

test('A port for metrics that others reach brings a warning without a token', async () => {
  const open = { HOST: '0.0.0.0', TRUST_PROXY: '10.0.0.1', METRICS_PORT: '9100' }
  assert.match((await warningsOf(open)).join(), /^METRICS_PORT is open .*METRICS_TOKEN/)
  assert.deepEqual(await warningsOf({ ...open, METRICS_TOKEN: 'hunter2hunter2hu' }), [])
  assert.deepEqual(await warningsOf({ METRICS_PORT: '9100' }), [])
  const [short = ''] = await warningsOf({ METRICS_TOKEN: 'hunter2' })
  assert.match(short, /^METRICS_TOKEN has fewer than 16 characters/)
})

test('Events that cross the network unencrypted bring a warning without the address', async () => {
  const secret = 'hidden2hidden2hidden2'
  for (const [settings, name] of [
    [{ NOTIFY_WEBHOOK: `http://me:${secret}@example.org/${secret}` }, 'NOTIFY_WEBHOOK'],
    [{ NOTIFY_REDIS: `redis://:${secret}@10.0.0.7:6379` }, 'NOTIFY_REDIS'],
  ] as const) {
    const warnings = await warningsOf(settings)
    assert.match(warnings.join(), new RegExp(`^${name} begins with .* unencrypted`))
    assert.equal(warnings.length, 1)
    assert.doesNotMatch(warnings.join(), /hidden|example|10\.0/)
  }
  for (const settings of [
    { NOTIFY_WEBHOOK: 'https://example.org/', NOTIFY_REDIS: 'rediss://10.0.0.7' },
    { NOTIFY_WEBHOOK: 'http://127.0.0.1:8000', NOTIFY_REDIS: 'redis://[::1]:6379' },
    { NOTIFY_WEBHOOK: 'http://localhost/' },
  ] as Record<string, string>[]) {
    assert.deepEqual(await warningsOf(settings), [])
  }
  const short = { NOTIFY_WEBHOOK: 'https://example.org/', NOTIFY_WEBHOOK_SECRET: 'hunter2' }
  assert.match((await warningsOf(short)).join(), /^NOTIFY_WEBHOOK_SECRET has fewer than 16/)
})

for (const [name, meant] of [
  ['ALOWED_BUCKETS', 'ALLOWED_BUCKETS'],
  ['ALLOWED_BUKCETS', 'ALLOWED_BUCKETS'],
  ['allowed_buckets', 'ALLOWED_BUCKETS'],
  ['SECRETKEY', 'SECRET_KEY'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['SECRET_KEY_FLIE', 'SECRET_KEY_FILE'],
  ['DRIV', 'DRIVE'],
  ['TLS_CRET', 'TLS_CERT'],
] as const) {
  test(`${name} in the environment brings a warning that names ${meant}`, async () => {
    assert.deepEqual(await warningsOf({ [name]: 'x' }), [
      `${name} is not a setting and has no effect. Did you mean ${meant}?`,
    ])
  })
}

test("Other programs' variables bring no warning", async () => {
  const others = `HOME PATH USER SHELL LANG LC_ALL TERM PWD OLDPWD SHLVL HOSTNAME HOSTTYPE TZ LOGNAME MAIL
    EDITOR NODE_ENV NODE_OPTIONS UV_THREADPOOL_SIZE AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
    INVOCATION_ID NOTIFY_SOCKET http_proxy no_proxy XDG_RUNTIME_DIR DISPLAY npm_config_cache INIT_CWD _ PS1
    KUBERNETES_PORT KUBERNETES_SERVICE_HOST SSH_AUTH_SOCK SSL_CERT_FILE SSL_CERT_DIR DBUS_SESSION_BUS_ADDRESS POSTGRES_PASSWORD`
  const environment = Object.fromEntries(others.split(/\s+/).map((name) => [name, 'x']))
  assert.deepEqual(await warningsOf(environment), [])
})

test('Every unknown name in the generated settings file causes a warning', async () => {
  assert.deepEqual(await warningsOf({}, { PORT: '9000', FAVOURITE: 'x', ALOWED_BUCKETS: 'x' }), [
    'FAVOURITE in the generated settings file is not a setting and has no effect',
    'ALOWED_BUCKETS in the generated settings file is not a setting and has no effect. Did you mean ALLOWED_BUCKETS?',
  ])
})
