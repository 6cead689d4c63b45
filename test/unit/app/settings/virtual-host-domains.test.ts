import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from '../../../../src/app/settings/read-settings.ts'

const read = (VIRTUAL_HOST_DOMAINS: string) =>
  readSettings({
    ...{ ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'secret', ALLOWED_BUCKETS: 'photos' },
    VIRTUAL_HOST_DOMAINS,
  })

test('VIRTUAL_HOST_DOMAINS has names of hosts', async () => {
  const { virtualHostDomains } = await read('S3.Example.net, localhost')
  assert.deepEqual(virtualHostDomains, ['s3.example.net', 'localhost'])
  assert.deepEqual((await read('')).virtualHostDomains, [])
  for (const wrong of ['*.a.net', 'a.net:9000', 'https://a.b', '.a', 'a..b', '127.0.0.1', '-a'])
    await assert.rejects(read(wrong), /VIRTUAL_HOST_DOMAINS/, wrong)
})

test('WEBSITE_DOMAINS needs COMPATIBILITY=aws, and domains that S3 does not have', async () => {
  const withWebsites = (more: Readonly<Record<string, string>>) =>
    readSettings({
      ...{ ACCESS_KEY: 'AKEXAMPLE', SECRET_KEY: 'secret', ALLOWED_BUCKETS: 'photos' },
      ...{ WEBSITE_DOMAINS: 'Web.example.net', ...more },
    })
  const aws = { COMPATIBILITY: 'aws' }
  assert.deepEqual((await withWebsites(aws)).websiteDomains, ['web.example.net'])
  await assert.rejects(withWebsites({}), /WEBSITE_DOMAINS is set: expected COMPATIBILITY=aws/)
  const both = { ...aws, VIRTUAL_HOST_DOMAINS: 'web.example.net' }
  await assert.rejects(withWebsites(both), /expected other domains than VIRTUAL_HOST_DOMAINS/)
})
