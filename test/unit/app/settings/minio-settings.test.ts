import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withMinioSettings } from '../../../../src/app/settings/minio-settings.ts'

const root = { MINIO_ROOT_USER: 'minioadmin', MINIO_ROOT_PASSWORD: 'minioadmin' }

test("MinIO's root user is the access key, and the mode is aws", () => {
  const { environment, warnings } = withMinioSettings({ ...root, MINIO_SITE_REGION: 'eu-west-1' })
  assert.equal(environment.ACCESS_KEY, 'minioadmin')
  assert.equal(environment.SECRET_KEY, 'minioadmin')
  assert.equal(environment.REGION, 'eu-west-1')
  assert.equal(environment.COMPATIBILITY, 'aws')
  assert.equal(warnings.length, 1)
  assert.doesNotMatch(warnings.join(''), /minioadmin/)
})

test('their files are relative to the folder of secrets, as with MinIO', () => {
  const { environment } = withMinioSettings({
    ...{ MINIO_ROOT_USER_FILE: 'access_key', MINIO_ROOT_PASSWORD_FILE: '/etc/minio/secret' },
  })
  assert.equal(environment.ACCESS_KEY_FILE, '/run/secrets/access_key')
  assert.equal(environment.SECRET_KEY_FILE, '/etc/minio/secret')
})

test('variables without effect are named', () => {
  const { warnings } = withMinioSettings({ ...root, MINIO_VOLUMES: '/data', MINIO_BROWSER: 'on' })
  assert.match(warnings[1] ?? '', /^MINIO_BROWSER, MINIO_VOLUMES: no effect/)
})

for (const [title, own] of Object.entries({
  'an own access key': { ACCESS_KEY: 'me' },
  'an own secret key': { SECRET_KEY_FILE: 'secret' },
  'COMPATIBILITY=contract': { COMPATIBILITY: 'contract' },
  'no password': { MINIO_ROOT_PASSWORD: '' },
})) {
  test(`with ${title}, nothing is taken`, () => {
    const environment = { ...root, ...own }
    assert.deepEqual(withMinioSettings(environment), { environment, warnings: [] })
  })
}
