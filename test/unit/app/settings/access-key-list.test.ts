import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'
import { shownSettings } from '../../../../src/app/settings/shown-settings.ts'
import { SettingsError } from '../../../../src/platform/process/setting-mistake.ts'

const base = { ACCESS_KEY: 'OWNER', SECRET_KEY: 'owner-secret-owner', ALLOWED_BUCKETS: 'files' }
const grant = { bucket: 'photos', actions: ['read'] }
const key = { accessKeyId: 'APP', secretKeyEnv: 'APP_SECRET', name: 'app', grants: [grant] }

const read = (keys: unknown, more: Record<string, string> = { APP_SECRET: 'hush' }) =>
  readSettings({ ...base, ...more, ACCESS_KEYS: JSON.stringify(keys) })

function fileWith(t: TestContext, text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-keys-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'file')
  writeFileSync(path, text)
  return path
}

test('A key has its secret from the environment or a file', async (t) => {
  const path = fileWith(t, 'from file\n')
  const { secretKeyEnv: _, ...rest } = key
  const { accessKeys } = await read([key, { ...rest, accessKeyId: 'OTHER', secretKeyFile: path }])
  assert.deepEqual(accessKeys[0], {
    ...{ accessKeyId: 'APP', secretKey: 'hush', name: 'app', note: '', expiresAtMs: null },
    ...{ grants: [{ bucket: 'photos', prefix: '', actions: ['read'] }], limits: {} },
  })
  assert.equal(accessKeys[1]?.secretKey, 'from file')
})

test('ACCESS_KEYS_FILE has the list', async (t) => {
  const ACCESS_KEYS_FILE = fileWith(t, JSON.stringify([key]))
  const { accessKeys } = await readSettings({ ...base, APP_SECRET: 'hush', ACCESS_KEYS_FILE })
  assert.equal(accessKeys[0]?.accessKeyId, 'APP')
  assert.deepEqual((await readSettings(base)).accessKeys, [])
})

test('The secrets are not shown', async () => {
  assert.doesNotMatch(JSON.stringify(shownSettings(await read([key]))), /hush/)
})

for (const [title, text] of [
  ['a wrong token', '[\n {\n"secretKey": hush\n}\n]\n'],
  ['a wrong comma', '[\n{"secretKey": "hush",\n}]'],
] as const) {
  test(`${title} is named by its line, without the text around it`, async () => {
    await assert.rejects(readSettings({ ...base, ACCESS_KEYS: text }), (error) => {
      assert.ok(error instanceof SettingsError)
      assert.match(error.message, /a list in JSON; line 3 is not valid$/)
      return true
    })
  })
}

test('A secret in a file that clients can read is a mistake', async (t) => {
  const drive = mkdtempSync(join(tmpdir(), 'bucketry-drive-'))
  t.after(() => rmSync(drive, { recursive: true }))
  mkdirSync(join(drive, 'files'))
  const secretKeyFile = join(drive, 'files/secret')
  writeFileSync(secretKeyFile, 'hush')
  const keys = [{ ...key, secretKeyEnv: undefined, secretKeyFile }]
  await assert.rejects(
    readSettings({ ...base, DRIVE: `file:${drive}`, ACCESS_KEYS: JSON.stringify(keys) }),
    /secretKeyFile of APP in ACCESS_KEYS is .*clients can read it in the bucket files/,
  )
})

test('A mistake in a field names the line of the field', async () => {
  const text =
    '[\n{"accessKeyId": "APP",\n"secretKeyEnv": "S", "name": "app", "grants": [\n{"bucket": 1}]}]'
  await assert.rejects(
    readSettings({ ...base, ACCESS_KEYS: text }),
    /in line 4 at \[0\]\.grants\[0\]\.bucket: .*expected string/,
  )
})

for (const [title, keys, message] of [
  ['no list', { accessKeyId: 'APP' }, /ACCESS_KEYS is a hidden value: expected a list in JSON/],
  ['no object', [1], /at \[0\]: .*expected object/],
  ['an unknown field', [{ ...key, secretKey: 'x' }], /at \[0\]\.secretKey: Not a known field/],
  ['no secret', [{ ...key, secretKeyEnv: undefined }], /at \[0\]: Expected either secretKeyFile/],
  ['two secrets', [{ ...key, secretKeyFile: '/x' }], /at \[0\]: Expected either/],
  [
    'an ID with a slash',
    [{ ...key, accessKeyId: 'a/b' }],
    /at \[0\]\.accessKeyId: expected 1 to 128/,
  ],
  ['an empty date', [{ ...key, expiresAt: '' }], /at \[0\]\.expiresAt: Expected a date/],
  [
    'no actions',
    [{ ...key, grants: [{ ...grant, actions: [] }] }],
    /\.actions: Expected one or more of/,
  ],
  ['an ID twice', [key, key], /at \[1\]\.accessKeyId: Expected each ID once/],
  ['the ID of the owner', [{ ...key, accessKeyId: 'OWNER' }], /expected other IDs than ACCESS_KEY/],
  ['no grants', [{ ...key, grants: undefined }], /at \[0\]\.grants: .*expected array/],
  [
    'a wrong action',
    [{ ...key, grants: [{ ...grant, actions: ['raed'] }] }],
    /at \[0\]\.grants\[0\]\.actions\[0\]: .*expected one of/,
  ],
  [
    'a wrong bucket',
    [{ ...key, grants: [{ ...grant, bucket: 'No' }] }],
    /at \[0\]\.grants\[0\]\.bucket: Expected the name of a bucket/,
  ],
  ['a wrong date', [{ ...key, expiresAt: 'soon' }], /at \[0\]\.expiresAt: Expected a date/],
  [
    'a wrong limit',
    [{ ...key, limits: { bytes: -1 } }],
    /at \[0\]\.limits\.bytes: .*expected number to be >=1/,
  ],
  ['an unknown limit', [{ ...key, limits: { byte: 1 } }], /at \[0\]\.limits\.byte: Not a known/],
  [
    'a secret that is missing',
    [{ ...key, secretKeyEnv: 'NONE' }],
    /variable NONE, which cannot be/,
  ],
] as const) {
  test(`A list of access keys with ${title} is a mistake`, async () => {
    await assert.rejects(
      read(keys),
      (error) => error instanceof SettingsError && message.test(error.message),
    )
  })
}
