import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bannerText, listeningUrl } from '../../../src/wiring/banner.ts'
import { readSettings } from '../../../src/wiring/settings/read-settings.ts'

const base = { ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'hunter2hunter2', ALLOWED_BUCKETS: 'files' }

test('The banner has lines to paste and shows no secret', () => {
  const settings = readSettings(base)
  const file = "/srv/it's here/data/stowage.env"
  for (const firstStart of [
    { environment: base, file, isNew: true },
    { environment: base, file: undefined, isNew: false },
  ]) {
    const text = bannerText({ settings, port: 9000, firstStart })
    assert.match(text, /http:\/\/127\.0\.0\.1:9000/)
    assert.match(text, /aws --endpoint-url http:\/\/127\.0\.0\.1:9000 s3 ls s3:\/\/files\//)
    assert.match(text, /no_check_bucket=true/)
    assert.doesNotMatch(text, /hunter2/)
    if (firstStart.isNew)
      assert.ok(text.includes(String.raw`. '/srv/it'\''s here/data/stowage.env'`))
  }
})

for (const [host, url] of [
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://127.0.0.1:80'],
  ['::1', 'http://[::1]:80'],
  ['s3.local', 'http://s3.local:80'],
] as const) {
  test(`The address of a server on ${host} is ${url}`, () => {
    assert.equal(listeningUrl(readSettings({ ...base, HOST: host }), 80), url)
  })
}
