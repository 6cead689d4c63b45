import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransportSecurity } from '../../../../src/app/start/serving.ts'

const reply = { status: 200, headers: [['Content-Type', 'text/plain']] } as const
const isSent = (host: string | undefined) => {
  const { headers } = withTransportSecurity(reply, host === undefined ? {} : { host })
  return headers.some(([name, value]) => {
    return name === 'Strict-Transport-Security' && value === 'max-age=31536000'
  })
}

test('Replies over TLS instruct browsers to use HTTPS for a year', () => {
  for (const host of ['s3.example.org', 's3.example.org:9443', '127.0.0.1:9443', undefined]) {
    assert.equal(isSent(host), true)
  }
})

test('Replies for localhost do not: it would hold for every port of a developer', () => {
  for (const host of ['localhost', 'LOCALHOST:9443', 'photos.localhost:9443']) {
    assert.equal(isSent(host), false)
  }
  assert.equal(isSent('localhost.example.org'), true)
})
