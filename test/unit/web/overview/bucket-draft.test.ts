import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type BucketStatus,
  bucketChange,
  type ExpiryRule,
} from '../../../../src/dashboard/management/management-schemas.ts'
import {
  changeOf,
  draftOf,
  newRule,
  unshownDetails,
} from '../../../../web/src/overview/buckets/bucket-draft.ts'

const rule: ExpiryRule = {
  ...{ id: 'logs', prefix: 'logs/', days: 30, date: null, abortUploadsDays: null },
  isEnabled: false,
}
const bucket: BucketStatus = {
  ...{ name: 'photos', source: 'created', drive: 'default', isReadOnly: false },
  ...{ isPublic: false, openByPolicy: [], isPublicFromEnvironment: false, createdAt: null },
  ...{ objects: null, bytes: null, lastModified: null, countedAt: null, isCounting: false },
  ...{ problem: null, allowedOrigins: ['https://a.example'], expiry: [rule], lastExpiry: null },
  ...{ quotaBytes: 2 ** 30, formerVersions: null },
}

test('A form that was not changed changes nothing', () => {
  assert.deepEqual(changeOf(bucket, draftOf(bucket)), {})
})

test('Switching off a bucket that a policy opens closes it', () => {
  const opened = { ...bucket, openByPolicy: ['read images/*'] }
  const draft = draftOf(opened)
  assert.deepEqual(changeOf(opened, draft), {})
  assert.deepEqual(changeOf(opened, { ...draft, isPublic: false }), { isPublic: false })
})

test('Only what was changed is sent', () => {
  const draft = draftOf(bucket)
  const change = changeOf(bucket, { ...draft, isPublic: true, quotaGib: '' })
  assert.deepEqual(change, { isPublic: true, quotaBytes: null })
  assert.deepEqual(changeOf(bucket, { ...draft, origins: ' \n' }), { allowedOrigins: null })
  const origins = `${draft.origins}\n https://b.example `
  assert.deepEqual(changeOf(bucket, { ...draft, origins }), {
    allowedOrigins: ['https://a.example', 'https://b.example'],
  })
})

test('What the form does not show is said in words', () => {
  assert.deepEqual(unshownDetails({ ...rule, isEnabled: true }), [])
  const limited = { ...rule, tags: { a: '1', b: '' }, largerThan: 0, smallerThan: 2_000 }
  assert.deepEqual(unshownDetails(limited), [
    'Only objects with all these tags: a=1, b=.',
    'Only objects larger than 0 bytes.',
    'Only objects smaller than 2,000 bytes.',
    'This rule was disabled by an S3 client.',
  ])
})

test('A changed rule keeps what the form does not show', () => {
  const draft = draftOf(bucket)
  const [first] = draft.rules
  assert.ok(first)
  const rules = [
    { ...first, days: '7', uploadDays: '2' },
    { ...newRule(draft.rules), days: '30' },
  ]
  const change = changeOf(bucket, { ...draft, rules })
  assert.deepEqual(change.expiry?.[0], { ...rule, days: 7, abortUploadsDays: 2 })
  assert.equal(new Set(change.expiry?.map(({ id }) => id)).size, 2)
  assert.ok(bucketChange.safeParse(change).success)
  assert.deepEqual(changeOf(bucket, { ...draft, rules: [] }), { expiry: [] })
})

test('A new rule deletes nothing until days are typed', () => {
  const { days, uploadDays, rule } = newRule([])
  assert.deepEqual([days, uploadDays, rule.days, rule.date], ['', '', null, null])
})
