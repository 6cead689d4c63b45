import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { HeadBucketCommand } from '@aws-sdk/client-s3'
import { Store } from '../../../src/drives/s3/store.ts'

const variable = 'AWS_CONTAINER_CREDENTIALS_FULL_URI'

test('credentials of a role are found, and renewed before they expire', async (t) => {
  let made = 0
  const users: string[] = []
  const server = createServer(({ url, headers }, response) => {
    if (url === '/role') {
      made += 1
      // The SDK renews what expires in less than five minutes.
      const Expiration = new Date(Date.now() + 60_000).toISOString()
      const keys = { AccessKeyId: `key${made}`, SecretAccessKey: 'secret', Token: 'token' }
      response.end(JSON.stringify({ ...keys, Expiration }))
      return
    }
    const [, user = ''] = /Credential=([^/]+)/.exec(headers.authorization ?? '') ?? []
    users.push(user)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const store = new Store({ endpoint, addressing: 'path' })
  process.env[variable] = `${endpoint}/role`
  t.after(() => {
    delete process.env[variable]
    store.close()
    server.close()
  })
  const ask = () => store.send(new HeadBucketCommand({ Bucket: 'bucket' }))
  await ask()
  assert.deepEqual(users, ['key1'])
  // The SDK uses the old ones until it has got others.
  while (users.at(-1) === 'key1') await ask()
  assert.match(users.at(-1) ?? '', /^key\d+$/)
})
