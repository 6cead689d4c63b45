import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { HeadBucketCommand } from '@aws-sdk/client-s3'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { Store } from '../../../src/storage/drives/s3/requests/store.ts'

const variable = 'AWS_CONTAINER_CREDENTIALS_FULL_URI'

/** Sends a request to a store, whose credentials are those of a role. Both are this server. */
async function requestsWith(
  t: TestContext,
  answer: RequestListener,
): Promise<() => Promise<object>> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const store = new Store({ endpoint, addressing: 'path' })
  process.env[variable] = `${endpoint}/role`
  t.after(() => {
    delete process.env[variable]
    store.close()
    server.closeAllConnections()
    server.close()
  })
  return () => store.send(new HeadBucketCommand({ Bucket: 'bucket' }))
}

function keysFor(name: string, seconds: number): string {
  const Expiration = new Date(Date.now() + seconds * 1000).toISOString()
  const keys = { AccessKeyId: name, SecretAccessKey: 'secret', Token: 'token' }
  return JSON.stringify({ ...keys, Expiration })
}

test('credentials of a role are found, and renewed before they expire', async (t) => {
  let made = 0
  const users: string[] = []
  const ask = await requestsWith(t, ({ url, headers }, response) => {
    if (url === '/role') {
      made += 1
      // The SDK renews what expires in less than five minutes.
      response.end(keysFor(`key${made}`, 60))
      return
    }
    const [, user = ''] = /Credential=([^/]+)/.exec(headers.authorization ?? '') ?? []
    users.push(user)
    response.end()
  })
  await ask()
  assert.deepEqual(users, ['key1'])
  // The SDK uses the old ones until it has got others.
  while (users.at(-1) === 'key1') await ask()
  assert.match(users.at(-1) ?? '', /^key\d+$/)
})

test('a search for credentials that gets no answer ends, and is begun again', async (t) => {
  t.mock.method(console, 'warn', () => undefined)
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const asked = Promise.withResolvers<void>()
  let isHanging = true
  const ask = await requestsWith(t, ({ url }, response) => {
    if (url !== '/role') response.end()
    else if (isHanging) asked.resolve()
    else response.end(keysFor('key', 3600))
  })
  const first = ask()
  await asked.promise
  t.mock.timers.tick(30_000)
  await assert.rejects(first, (error) => {
    assert.ok(error instanceof DriveError)
    assert.equal(error.kind, 'unavailable')
    assert.match(error.message, /No credentials for the S3 store: no answer within 30 seconds/)
    return true
  })
  isHanging = false
  await ask()
})

test('that there are no credentials is not said to the client as its own fault', async (t) => {
  const ask = await requestsWith(t, (_, response) => response.end())
  // Not an address that the SDK asks.
  process.env[variable] = 'http://192.0.2.1/role'
  await assert.rejects(ask, (error) => {
    assert.ok(error instanceof DriveError)
    assert.equal(error.kind, 'unavailable')
    assert.match(error.message, /No credentials for the S3 store: .+ Set S3_DRIVE_ACCESS_KEY/)
    return true
  })
})
