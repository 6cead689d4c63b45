import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { matchCorsRule } from '../../../../src/buckets/cors-rules.ts'
import {
  BucketsWithOptions,
  StoredBucketOptions,
} from '../../../../src/buckets/stored-bucket-options.ts'
import { BucketExpiryTable } from '../../../../src/state/stores/bucket-expiry.ts'
import { BucketOptionsTable } from '../../../../src/state/stores/bucket-options.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { openManagement, openTestDatabase } from './management-fixture.ts'

async function open(t: TestContext) {
  const database = await openTestDatabase(t)
  const options: StoredBucketOptions = new StoredBucketOptions({
    table: new BucketOptionsTable(database),
    refresh: () => options.reload(),
  })
  const buckets = new BucketsWithOptions(servedBuckets(['files', 'public']), options)
  const expiryTable = new BucketExpiryTable(database)
  const parts = { buckets, bucketOptions: options, expiryRuns: () => expiryTable.all() }
  const management = await openManagement(t, parts)
  const change = (body: object) => management.send('PATCH', '/buckets/files', body)
  return { ...management, buckets, expiryTable, change }
}

const rule = {
  ...{ id: 'logs', prefix: 'logs/', days: 30, date: null, abortUploadsDays: 7, isEnabled: true },
}

test('origins and expiry are set, and returned with the bucket', async (t) => {
  const { change, send, buckets } = await open(t)
  const dated = { ...rule, id: 'at', days: null, date: '2030-01-31', isEnabled: false }
  const changed = await change({ allowedOrigins: ['https://app.example'], expiry: [rule, dated] })
  assert.equal(changed.status, 200)
  assert.deepEqual(changed.body.allowedOrigins, ['https://app.example'])
  assert.deepEqual(changed.body.expiry, [rule, dated])
  assert.equal(changed.body.lastExpiry, null)
  const listed = await send('GET', '/buckets')
  const [files, other] = listed.body.buckets as Record<string, unknown>[]
  assert.deepEqual(
    [files?.name, files?.allowedOrigins, files?.expiry],
    ['files', ['https://app.example'], [rule, dated]],
  )
  assert.deepEqual([other?.allowedOrigins, other?.expiry, other?.lastExpiry], [null, [], null])

  const { cors = [], lifecycle } = buckets.find('files') ?? assert.fail()
  const request = { origin: 'https://app.example', method: 'DELETE', headers: ['x-any'] }
  assert.ok(matchCorsRule(cors, request))
  assert.equal(lifecycle?.[1]?.dateMs, Date.parse('2030-01-31T00:00:00Z'))
})

test('a field that is absent stays, and null and an empty list remove', async (t) => {
  const { change, buckets } = await open(t)
  await change({ allowedOrigins: ['*'], expiry: [rule] })
  assert.deepEqual((await change({})).body.expiry, [rule])
  assert.deepEqual((await change({ expiry: [] })).body.allowedOrigins, ['*'])
  assert.equal((await change({ allowedOrigins: null })).body.allowedOrigins, null)
  assert.equal((await change({ quotaBytes: 0 })).body.quotaBytes, 0)
  assert.equal(buckets.find('files')?.quotaBytes, 0)
  assert.equal((await change({ quotaBytes: null })).body.quotaBytes, null)
  assert.deepEqual(buckets.find('files'), { name: 'files', isPublic: false })
})

test('the last removal is shown', async (t) => {
  const { send, expiryTable } = await open(t)
  const lease = { bucket: 'files', owner: 'me', untilMs: 5 }
  await expiryTable.take(lease, undefined, { rules: 'r', day: 1, beganAtMs: 1_000 })
  const progress = {
    phase: 'objects',
    position: '"a"',
    objects: 3,
    uploads: 2,
    failures: 1,
  } as const
  await expiryTable.release(lease, progress, { nowMs: 2_000, problem: 'The drive is away.' })
  const { body } = await send('GET', '/buckets')
  const [files] = body.buckets as Record<string, unknown>[]
  assert.deepEqual(files?.lastExpiry, {
    ...{ beganAt: '1970-01-01T00:00:01.000Z', isDone: false },
    ...{ objects: 3, uploads: 2, failures: 1, problem: 'The drive is away.' },
  })
})
