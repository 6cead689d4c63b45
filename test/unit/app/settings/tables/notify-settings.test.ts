import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../../../src/app/settings/read-settings.ts'
import { SettingsError } from '../../../../../src/platform/process/setting-mistake.ts'

const read = (settings: Record<string, string>) =>
  readSettings({
    ...{ ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'hunter2hunter2hunter2', ALLOWED_BUCKETS: 'photos' },
    ...settings,
  })

test('NOTIFY_OBJECTS names everything, buckets, or a prefix and a suffix', async () => {
  const { notifyObjects } = await read({ NOTIFY_OBJECTS: 'photos, docs/in/*.pdf,logs/*' })
  assert.deepEqual(notifyObjects, [
    { bucket: 'photos', prefix: '', suffix: '' },
    { bucket: 'docs', prefix: 'in/', suffix: '.pdf' },
    { bucket: 'logs', prefix: '', suffix: '' },
  ])
  const all = [{ bucket: '*', prefix: '', suffix: '' }]
  assert.deepEqual((await read({})).notifyObjects, all)
  assert.deepEqual((await read({ COMPATIBILITY: 'aws' })).notifyObjects, [])
})

test('addresses that cannot be used are refused at the start, and not shown', async () => {
  for (const settings of [
    { NOTIFY_WEBHOOK: 'cryptic' },
    { NOTIFY_WEBHOOK: 'ftp://cryptic/' },
    { NOTIFY_WEBHOOK: 'http://' },
    { NOTIFY_WEBHOOK: 'http://me:cryptic%zz@example.org/' },
    { NOTIFY_WEBHOOK: 'http://me:cryptic%ff@example.org/' },
    { NOTIFY_REDIS: 'http://cryptic/' },
    { NOTIFY_REDIS: 'redis://:cryptic%zz@example.org/' },
    { NOTIFY_OBJECTS: 'photos/no-star' },
    { NOTIFY_OBJECTS: 'photos/two*stars*' },
  ] as Record<string, string>[]) {
    const error: unknown = await read(settings).then(
      () => assert.fail(JSON.stringify(settings)),
      (reason: unknown) => reason,
    )
    assert.ok(error instanceof SettingsError)
    assert.doesNotMatch(error.message, /cryptic/)
  }
})
