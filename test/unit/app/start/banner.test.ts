import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'
import { bannerText, listeningUrl } from '../../../../src/app/start/banner.ts'

const base = { ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'hunter2hunter2', ALLOWED_BUCKETS: 'files' }

const google = {
  GDRIVE_CLIENT_ID: 'client',
  GDRIVE_CLIENT_SECRET: 'hunter2',
  GDRIVE_REFRESH_TOKEN: 'hunter2',
}

test('The banner has commands to paste and shows no secret', async () => {
  const settings = await readSettings(base)
  const file = "/srv/it's here/data/bucketry.env"
  for (const firstStart of [
    { environment: base, file, isNew: true, kept: {} },
    { environment: base, file: undefined, isNew: false, kept: {} },
  ]) {
    const text = bannerText({ settings, port: 9000, firstStart, isTerminal: true })
    assert.match(text, /http:\/\/127\.0\.0\.1:9000/)
    assert.match(text, /aws --endpoint-url http:\/\/127\.0\.0\.1:9000 s3 ls s3:\/\/files\//)
    assert.match(text, /no_check_bucket=true/)
    assert.doesNotMatch(text, /hunter2/)
    if (firstStart.isNew)
      assert.ok(text.includes(String.raw`. '/srv/it'\''s here/data/bucketry.env'`))
  }
})

test('The banner names the mode for applications made for AWS, unless it is on', async () => {
  const firstStart = { environment: base, file: undefined, isNew: false, kept: {} }
  const textIn = async (COMPATIBILITY: string) =>
    bannerText({
      settings: await readSettings({ ...base, COMPATIBILITY }),
      ...{ port: 9000, firstStart, isTerminal: true },
    })
  assert.match(await textIn('contract'), /made for AWS S3 or MinIO need COMPATIBILITY=aws/)
  assert.doesNotMatch(await textIn('aws'), /COMPATIBILITY/)
})

test('The banner shows how many workers serve', async () => {
  const settings = await readSettings({ ...base, WORKERS: '2' })
  const firstStart = { environment: base, file: undefined, isNew: false, kept: {} }
  const text = bannerText({ settings, port: 9000, firstStart, isTerminal: true })
  assert.match(text, /^ {2}workers {4}2$/m)
})

for (const [DRIVE, files] of [
  ['file:/srv/files', '/srv/files'],
  ['webdav+https://me:hunter2@cloud.example.org/dav/', 'https://cloud.example.org/dav/'],
  ['gdrive:Backups/s3', 'Google Drive, Backups/s3'],
  ['gdrive:', 'Google Drive, top folder'],
  ['memory:', 'in memory, lost on exit'],
] as const) {
  test(`The banner shows the location ${files}`, async () => {
    const settings = await readSettings({ ...base, DRIVE, ...google })
    const firstStart = { environment: base, file: undefined, isNew: false, kept: {} }
    const text = bannerText({ settings, port: 9000, firstStart, isTerminal: true })
    assert.ok(text.includes(`  files      ${files}\n`), text)
    assert.doesNotMatch(text, /hunter2/)
  })
}

test('The banner shows the address of the dashboard, or why it is off', async () => {
  const firstStart = { environment: base, file: '/srv/data/bucketry.env', isNew: false, kept: {} }
  const dashboardLine = async (settings: Record<string, string>) =>
    /dashboard +(.*)/.exec(
      bannerText({
        settings: await readSettings({ ...base, ...settings }),
        port: 9000,
        firstStart,
        isTerminal: true,
      }),
    )?.[1]
  assert.equal(
    await dashboardLine({ DASHBOARD_PASSWORD: 'hunter2', PUBLIC_URL: 'https://s3.example.org' }),
    'https://s3.example.org/-/ with password DASHBOARD_PASSWORD in /srv/data/bucketry.env',
  )
  assert.equal(await dashboardLine({}), 'off: DASHBOARD_PASSWORD is not set')
})

test('The banner shows a new password on a terminal, and names its file elsewhere', async () => {
  const settings = await readSettings({ ...base, DASHBOARD_PASSWORD: 'open sesame' })
  const file = '/srv/data/bucketry.env'
  const lineOf = (isNew: boolean, isTerminal: boolean) => {
    const firstStart = { environment: base, file, isNew, kept: {} }
    const text = bannerText({ settings, port: 9000, firstStart, isTerminal })
    return /dashboard .* with password (.*)/.exec(text)?.[1]
  }
  const source = `DASHBOARD_PASSWORD in ${file}`
  assert.equal(lineOf(true, true), `open sesame (${source})`)
  assert.equal(lineOf(true, false), source)
  assert.equal(lineOf(false, true), source)
})

for (const [host, url] of [
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://127.0.0.1:80'],
  ['::1', 'http://[::1]:80'],
  ['s3.local', 'http://s3.local:80'],
] as const) {
  test(`The address of a server on ${host} is ${url}`, async () => {
    assert.equal(listeningUrl(await readSettings({ ...base, HOST: host }), 80), url)
  })
}
