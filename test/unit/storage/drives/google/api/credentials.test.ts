import assert from 'node:assert/strict'
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import {
  parseServiceAccount,
  type ServiceAccountCredentials,
  serviceAccountJwt,
} from '../../../../../../src/storage/drives/google/api/credentials.ts'

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

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const robot: ServiceAccountCredentials = {
  kind: 'service-account',
  clientEmail: 'robot@project.iam.gserviceaccount.com',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  privateKeyId: 'key-1',
}
const options = {
  audience: 'https://oauth2.googleapis.com/token',
  scope: 'https://www.googleapis.com/auth/drive',
  nowMs: 1_795_000_000_999,
}
const decoded = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as unknown

test('serviceAccountJwt signs the claims that Google requires with RS256', () => {
  const [header, claims, signature = ''] = serviceAccountJwt(robot, options).split('.')
  assert.deepEqual(decoded(header), { alg: 'RS256', typ: 'JWT', kid: 'key-1' })
  assert.deepEqual(decoded(claims), {
    iss: robot.clientEmail,
    scope: options.scope,
    aud: options.audience,
    iat: 1_795_000_000,
    exp: 1_795_003_600,
  })
  const verify = createVerify('sha256').update(`${header}.${claims}`)
  assert.ok(verify.verify(publicKey, signature, 'base64url'))
})

test('serviceAccountJwt names the user that the service account acts for', () => {
  const [, claims] = serviceAccountJwt({ ...robot, subject: 'ann@example.org' }, options).split('.')
  assert.equal((decoded(claims) as { sub?: string }).sub, 'ann@example.org')
})

test('serviceAccountJwt rejects other keys without showing them', () => {
  const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const pem = elliptic.export({ type: 'pkcs8', format: 'pem' }) as string
  for (const key of [pem, 'no key at all, but secret', '']) {
    assert.throws(
      () => serviceAccountJwt({ ...robot, privateKey: key }, options),
      (error) => {
        assert.ok(error instanceof TypeError)
        assert.match(error.message, /not an RSA key/)
        assert.equal(error.cause, undefined)
        return true
      },
    )
  }
})
