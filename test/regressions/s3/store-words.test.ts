/** What a store, or Google, says is for the owner: its words may have addresses and accounts. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import type { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { errorOfFailure } from '../../../src/storage/drives/google/api/google-failure.ts'
import { driveErrorOf, TransientError } from '../../../src/storage/drives/kit/cloud/retry-policy.ts'
import { s3ErrorOfDrive } from '../../../src/storage/s3/errors.ts'
import { startGatewayOn } from '../../faults/gateway-on.ts'
import { openState } from '../../faults/open-state.ts'
import { behind, errorDocument, openDriveOn } from './store-under-test.ts'

const hidden = /arn:aws|123456789012|10\.9\.8\.7|ECONNREFUSED|127\.0\.0\.1/
const words = 'User: arn:aws:iam::123456789012:user/nas is not authorized at 10.9.8.7'

async function openOn(t: TestContext, drive: Drive) {
  const { database } = await openState(t)
  const lines: string[] = []
  const s3 = await startGatewayOn(t, { drive, database, onLogLine: (line) => lines.push(line) })
  return { s3, lines }
}

const remove = '<Delete><Object><Key>a</Key></Object><Object><Key>b</Key></Object></Delete>'
const calls = [
  { method: 'GET', key: 'k' },
  { method: 'PUT', key: 'k', body: 'text' },
  { method: 'PUT', key: 'k', headers: { 'x-amz-copy-source': 'files/other' } },
  { method: 'POST', key: 'k', query: 'uploads' },
  { method: 'DELETE', key: 'k' },
  { method: 'GET', key: '', query: 'list-type=2' },
  { method: 'POST', key: '', query: 'delete', body: remove },
]

test('clients get no words of the store behind a drive; the log has them', async (t) => {
  let [status, code] = [403, 'AccessDenied']
  let isListing = false
  const answer = behind((_, response) => {
    response.writeHead(status, { 'retry-after': '0' }).end(errorDocument(code, words))
  })
  const drive = await openDriveOn(t, (request, response) => {
    if (!isListing) answer(request, response)
    else response.writeHead(status).end(errorDocument(code, words))
  })
  const { s3, lines } = await openOn(t, drive)
  for ([status, code] of [
    [403, 'AccessDenied'],
    [400, 'InvalidToken'],
    [400, 'InvalidArgument'],
    [404, 'NoSuchBucket'],
    [507, 'Whatever'],
    [501, 'NotImplemented'],
  ] as const) {
    for (const call of calls) {
      isListing = call.query === 'list-type=2'
      const { body } = await s3.send(call)
      assert.doesNotMatch(body.toString(), hidden, `${code} ${JSON.stringify(call)}`)
      assert.match(body.toString(), /<Message>[A-Z][^<]+<\/Message>|<Deleted>/)
    }
  }
  await assert.rejects(async () => drive.head('files', 'k'))
  assert.ok(lines.some((line) => JSON.parse(line).reason?.includes(words)))
})

test('clients do not learn where a store is that is away', async (t) => {
  let isAway = false
  const answer = behind((_, response) => response.writeHead(404).end())
  const drive = await openDriveOn(t, (request, response) => {
    if (isAway) request.socket.destroy()
    else answer(request, response)
  })
  const { s3, lines } = await openOn(t, drive)
  isAway = true
  const { status, body } = await s3.send({ method: 'GET', key: 'k' })
  assert.equal(status, 503)
  assert.match(body.toString(), /<Message>The drive is not available. Try again later.</)
  assert.ok(lines.some((line) => /The S3 store does not respond/.test(JSON.parse(line).reason)))
})

test('clients get no words and addresses of Google', () => {
  const failure = { status: 403, reason: 'whatever', message: words, retryAfterMs: undefined }
  const doing = 'list files'
  const network = new TransientError('network', 'connect ECONNREFUSED 10.9.8.7:443')
  const waiting = { service: 'Google Drive', doing, waitMs: 1_000 }
  const errors = [errorOfFailure(failure, { doing }), driveErrorOf(network, waiting)]
  for (const error of errors) {
    const { message, reason } = s3ErrorOfDrive(error as DriveError)
    assert.doesNotMatch(message, hidden)
    assert.match(reason, hidden)
  }
})
