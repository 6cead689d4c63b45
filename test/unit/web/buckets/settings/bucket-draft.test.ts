import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  CorsRuleReply,
  ExpiryRule,
} from '../../../../../src/dashboard/management/bucket-option-schemas.ts'
import {
  type BucketStatus,
  bucketChange,
} from '../../../../../src/dashboard/management/management-schemas.ts'
import {
  changeOf,
  draftOf,
  formerText,
  newRule,
  unshownDetails,
} from '../../../../../web/src/buckets/settings/bucket-draft.ts'

const rule: ExpiryRule = {
  ...{ id: 'logs', prefix: 'logs/', days: 30, date: null, abortUploadsDays: null },
  isEnabled: false,
}
const cors: CorsRuleReply = {
  ...{ allowedOrigins: ['https://a.example'], allowedMethods: ['GET'], allowedHeaders: ['*'] },
  ...{ exposeHeaders: ['ETag'], maxAgeSeconds: 60 },
}
const bucket: BucketStatus = {
  ...{ name: 'photos', source: 'created', drive: 'default', isReadOnly: false },
  ...{ isPublic: false, openByPolicy: [], isPublicFromEnvironment: false, createdAt: null },
  ...{ objects: null, bytes: null, lastModified: null, countedAt: null, isCounting: false },
  ...{ problem: null, allowedOrigins: ['https://a.example'], expiry: [rule], lastExpiry: null },
  ...{ quotaBytes: 2 ** 30, formerVersions: null, hasObjectLock: false },
  ...{ versioning: 'off', versionsRefusal: null, cors: [cors], tags: { a: '1' } },
  ...{ notifications: [], website: null, websiteHost: 'photos.web.example' },
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
  assert.deepEqual(changeOf(bucket, { ...draft, cors: [] }), { cors: null })
  const typed = { ...cors, allowedOrigins: ['https://a.example', ' https://b.example ', ''] }
  const origins = ['https://a.example', 'https://b.example']
  assert.deepEqual(changeOf(bucket, { ...draft, cors: [typed] }), {
    cors: [{ ...cors, allowedOrigins: origins }],
  })
  const tags = `${draft.tags}\n\nlong name = b = c`
  assert.deepEqual(changeOf(bucket, { ...draft, tags }), { tags: { a: '1', 'long name': 'b = c' } })
  const named = draftOf({ ...bucket, tags: { 'a=b': 'c', 'd=': '' } })
  assert.deepEqual(changeOf(bucket, { ...named, tags: `${named.tags.trim()}\ne=f` }), {
    tags: { 'a=b': 'c', 'd=': '', e: 'f' },
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

test('Turning versions on, and their rule, leave the other rules', () => {
  const draft = draftOf(bucket)
  const change = changeOf(bucket, {
    ...{ ...draft, hasVersions: true },
    former: { ...draft.former, keep: '5' },
  })
  const made = {
    ...{ id: 'former-versions-1', prefix: '', days: null, date: null, abortUploadsDays: null },
    ...{ isEnabled: true, expiresMarkers: true, noncurrentDays: 1, newerNoncurrentVersions: 5 },
  }
  assert.deepEqual(change, { versioning: 'enabled', expiry: [rule, made] })
  assert.ok(bucketChange.safeParse(change).success)

  const versioned: BucketStatus = { ...bucket, versioning: 'enabled', expiry: [made, rule] }
  const again = draftOf(versioned)
  assert.deepEqual(changeOf(versioned, again), {})
  assert.deepEqual([again.former.days, again.former.keep, again.rules.length], ['1', '5', 1])
  const days = { ...again, former: { ...again.former, days: '30', keep: '' } }
  const { newerNoncurrentVersions: _, ...forDays } = { ...made, noncurrentDays: 30 }
  assert.deepEqual(changeOf(versioned, days), { expiry: [rule, forDays] })
  const none = { ...again, former: { ...again.former, days: '', keep: '' } }
  assert.deepEqual(changeOf(versioned, none), { expiry: [rule] })
  assert.deepEqual(changeOf(versioned, { ...again, hasVersions: false }), {
    versioning: 'suspended',
  })
})

test('A rule for former versions of some objects is kept as an S3 client has set it', () => {
  const limited: ExpiryRule = {
    ...{ ...rule, days: null, isEnabled: true, noncurrentDays: 7, newerNoncurrentVersions: 1 },
  }
  const versioned: BucketStatus = { ...bucket, versioning: 'enabled', expiry: [limited] }
  const draft = draftOf(versioned)
  assert.deepEqual([draft.former.rule, draft.rules.length], [undefined, 1])
  assert.deepEqual(unshownDetails(limited), [
    'Former versions are deleted 7 days after they were replaced, except the newest one of each file.',
  ])
  assert.deepEqual(changeOf(versioned, draft), {})
})

test('What happens to former versions is said in words', () => {
  assert.match(formerText({ days: '', keep: '' }), /are kept until you delete them/)
  assert.match(formerText({ days: '30', keep: '' }), /deleted 30 days after they were replaced\.$/)
  assert.match(formerText({ days: '', keep: '5' }), /deleted 1 day .*, except the newest 5 of each/)
})
