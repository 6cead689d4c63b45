import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'

test('The query of an address is not shown', async () => {
  for (const [name, text] of [
    ['DRIVE', 's3+https://store.example/bucket?key=hunter2'],
    ['DRIVE', 's3+https://store.example/bucket#hunter2'],
    ['DRIVE', 'webdav+https://user:pass@dav.example/files?token=hunter2'],
    ['DRIVE', 'webdav+https:/dav.example?token=hunter2'],
    ['DRIVE_NAS', 'webdav+https:dav.example?a=1:2@3#hunter2'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://traces.example/?api-key=hunter2'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https//traces.example:4318/?api-key=hunter2'],
    ['CORS_ALLOWED_ORIGINS', 'https://one.example, https://two.example/?hunter2'],
    ['PUBLIC_URL', 'https://one.example/?hunter2'],
  ] as const) {
    const settings = { ACCESS_KEY: 'a', SECRET_KEY: 's'.repeat(20), ALLOWED_BUCKETS: 'files' }
    const error: unknown = await readSettings({ ...settings, [name]: text }).catch((one) => one)
    const mistakes = String(error)
    assert.match(mistakes, new RegExp(`\\b${name} is `), text)
    assert.doesNotMatch(mistakes, /hunter2/, text)
  }
})
