import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServiceAccount } from '../../../../../../src/storage/drives/google/api/credentials.ts'

const file = {
  type: 'service_account',
  project_id: 'p',
  private_key_id: 'key-1',
  private_key: '-----BEGIN PRIVATE KEY-----\nsecret-bytes\n-----END PRIVATE KEY-----\n',
  client_email: 'robot@project.iam.gserviceaccount.com',
}

test('parseServiceAccount reads the key file of Google Cloud', () => {
  assert.deepEqual(parseServiceAccount(JSON.stringify(file)), {
    kind: 'service-account',
    clientEmail: file.client_email,
    privateKey: file.private_key,
    privateKeyId: 'key-1',
  })
  assert.equal(
    parseServiceAccount(JSON.stringify(file), 'ann@example.org').subject,
    'ann@example.org',
  )
})

test('parseServiceAccount reports what is wrong with a file without showing its content', () => {
  const wrong: readonly [string, RegExp][] = [
    ['secret-bytes', /the whole file/],
    [
      JSON.stringify({ installed: { client_secret: 'secret-bytes' } }),
      /type, client_email, private_key/,
    ],
    [JSON.stringify({ ...file, private_key: 'secret-bytes' }), /\(private_key\)/],
  ]
  for (const [text, expected] of wrong) {
    assert.throws(
      () => parseServiceAccount(text),
      (error) => {
        assert.ok(error instanceof SyntaxError)
        assert.match(error.message, expected)
        assert.doesNotMatch(`${error.message}${error.cause}`, /secret-bytes/)
        return true
      },
    )
  }
})
