import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { BucketError } from '../../../../src/storage/buckets/bucket-changes.ts'
import { BucketOptionsTable } from '../../../../src/storage/buckets/bucket-option-table.ts'
import type { BucketConfiguration, Buckets } from '../../../../src/storage/buckets/buckets.ts'
import { matchCorsRule } from '../../../../src/storage/buckets/cors-rules.ts'
import type { WrittenRule } from '../../../../src/storage/buckets/notification-rules.ts'
import {
  BucketsWithOptions,
  StoredBucketOptions,
} from '../../../../src/storage/buckets/stored-bucket-options.ts'
import { DriveError } from '../../../../src/storage/drives/drive-error.ts'
import { parseCors } from '../../../../src/storage/s3/configuration/cors-document.ts'
import { parseWebsite } from '../../../../src/storage/s3/configuration/website-document.ts'
import { jsonSender } from '../../../support/json-sender.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'
import { keysOf, openManagement, openTestDatabase, put, session } from './management-fixture.ts'

async function open(t: TestContext, keepsDocuments = false) {
  const database = await openTestDatabase(t)
  const table = new BucketOptionsTable(database)
  const options = new StoredBucketOptions({ table, hasDocuments: keepsDocuments })
  const buckets = new BucketsWithOptions(servedBuckets(['files', 'public']), options)
  const management = await openManagement(t, { buckets, bucketOptions: options, keepsDocuments })
  const change = (body: object) => management.send('PATCH', '/buckets/files', body)
  return { ...management, buckets, options, change }
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

test('a rule keeps its tags and sizes when all rules are written again', async (t) => {
  const { change, buckets } = await open(t)
  const some = { ...rule, abortUploadsDays: null, tags: { a: '1' }, largerThan: 0, smallerThan: 9 }
  const { body } = await change({ expiry: [some] })
  assert.deepEqual(body.expiry, [some])
  assert.deepEqual((await change({ expiry: body.expiry })).body.expiry, [some])
  const [kept] = buckets.find('files')?.lifecycle ?? []
  assert.deepEqual(
    [kept?.tags, kept?.largerThan, kept?.smallerThan, kept?.prefixForm],
    [{ a: '1' }, 0, 9, 'and'],
  )
  assert.equal((await change({ expiry: [{ ...some, abortUploadsDays: 1 }] })).status, 400)
})

test('CORS rules are set with all their fields', async (t) => {
  const { change, buckets } = await open(t)
  const cors = [
    {
      ...{ id: 'app', allowedOrigins: ['https://*.example'], allowedMethods: ['GET', 'PUT'] },
      ...{ allowedHeaders: ['x-amz-*'], exposeHeaders: ['ETag'], maxAgeSeconds: 60 },
    },
  ]
  const { status, body } = await change({ cors })
  assert.deepEqual([status, body.cors, body.allowedOrigins], [200, cors, ['https://*.example']])
  assert.deepEqual(buckets.find('files')?.cors, cors)
  const [rule] = cors
  for (const [changes, field] of [
    [{ allowedMethods: ['PATCH'] }, 'cors[0].allowedMethods[0]'],
    [{ allowedMethods: [] }, 'cors[0].allowedMethods'],
    [{ allowedOrigins: ['*.*'] }, 'cors[0].allowedOrigins[0]'],
    [{ exposeHeaders: ['*'] }, 'cors[0].exposeHeaders[0]'],
    [{ maxAgeSeconds: -1 }, 'cors[0].maxAgeSeconds'],
    [{ maxAgeSeconds: 2 ** 31 }, 'cors[0].maxAgeSeconds'],
  ] as const) {
    const refused = await change({ cors: [{ ...rule, ...changes }] })
    assert.deepEqual([refused.status, refused.body.field], [400, field])
  }
  const long = { ...rule, allowedHeaders: Array.from({ length: 33 }, () => 'x'.repeat(2_000)) }
  assert.equal((await change({ cors: [long] })).status, 400)
  assert.equal((await change({ cors: null })).body.cors, null)
  assert.equal(buckets.find('files')?.cors, undefined)
})

test('CORS rules that an S3 client set are listed and can be set again', async (t) => {
  const { change, send, options } = await open(t)
  const origins = Array.from({ length: 101 }, (_, at) => `https://${at}.example`)
  const elements = [
    ...[...origins, `https://${'a'.repeat(3_000)}.example`].map((each) => ['AllowedOrigin', each]),
    ...[
      ['AllowedMethod', 'GET'],
      ['AllowedHeader', ''],
      ['ExposeHeader', 'x'.repeat(300)],
    ],
  ]
  const rule = elements.map(([name, text]) => `<${name}>${text}</${name}>`).join('')
  const document = `<CORSConfiguration><CORSRule>${rule}</CORSRule></CORSConfiguration>`
  await options.change('files', { cors: parseCors(Buffer.from(document)) })
  const listed = await send('GET', '/buckets')
  assert.equal(listed.status, 200)
  const { cors } = listed.body.buckets[0]
  assert.equal(cors[0].allowedOrigins.length, 102)
  assert.deepEqual((await change({ cors })).body.cors, cors)
})

test('tags and rules of events are set, and a rule that stays is kept as its client wrote it', async (t) => {
  const { change, buckets, options } = await open(t, true)
  const written: WrittenRule = {
    ...{ id: 'one', target: 'webhook', events: ['s3:ObjectCreated:*'], prefix: 'a', suffix: '' },
    ...{ kind: 'Topic', arn: 'arn:aws:sns:::webhook', filters: [{ name: 'prefix', value: 'a' }] },
  }
  await options.change('files', { notification: [written] })
  const { kind: _, arn: _arn, filters: _filters, ...one } = written
  const two = { ...one, id: 'two', target: 'redis', prefix: '', suffix: '.jpg' }
  const repeated = { ...two, events: [...two.events, ...two.events] }
  const { body } = await change({ tags: { project: 'site' }, notifications: [one, repeated] })
  assert.deepEqual([body.tags, body.notifications], [{ project: 'site' }, [one, two]])
  const { tags, notification = [] } = buckets.find('files') ?? assert.fail()
  assert.deepEqual([tags, notification[0]], [{ project: 'site' }, written])
  assert.deepEqual(notification[1], {
    ...{ ...two, kind: 'Queue', arn: 'arn:aws:sqs:us-east-1:000000000000:redis' },
    filters: [{ name: 'Suffix', value: '.jpg' }],
  })
  for (const notifications of [
    [one, one],
    [one, { ...one, id: 'same', prefix: 'ab' }],
    [{ ...one, events: ['s3:ObjectCreated:Never'] }],
    // The gateway has no webhook.
    [one, { ...two, target: 'webhook' }],
  ]) {
    assert.equal((await change({ notifications })).status, 400)
  }
  const none = await change({ tags: {}, notifications: [] })
  assert.deepEqual([none.body.tags, none.body.notifications], [{}, []])
  assert.deepEqual(buckets.find('files'), { name: 'files', isPublic: false })
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
  const counts = {
    ...{ objects: 3, uploads: 2, versions: 5, locked: 4, failures: 1 },
    problem: 'The drive is away.',
  }
  const run = { bucket: 'files', beganAtMs: 1_000, isDone: false, ...counts }
  const { send } = await openManagement(t, { expiryRuns: async () => [run] })
  const { body } = await send('GET', '/buckets')
  const [files] = body.buckets as Record<string, unknown>[]
  assert.deepEqual(files?.lastExpiry, {
    ...{ beganAt: '1970-01-01T00:00:01.000Z', isDone: false },
    ...counts,
  })
})

test('a dry run of expiry rules shows what they would remove, and changes nothing', async (t) => {
  const { drive, send, buckets } = await open(t)
  const dryRun = (body: object) => send('POST', '/buckets/files/expiry/dry-run', body)
  await put(drive, 'logs/1', 'abc')
  await put(drive, 'logs/2', 'de')
  await put(drive, 'other')
  const past = { ...rule, days: null, date: '2020-01-31' }
  const { status, body } = await dryRun({ expiry: [past] })
  const { oldest, ...figures } = body
  const formerVersions = { count: 0, bytes: 0 }
  assert.deepEqual([status, figures], [200, { objects: 2, bytes: 5, formerVersions, next: null }])
  const first = await drive.head('files', 'logs/1')
  assert.equal(Date.parse(oldest), Math.floor(first?.modifiedAtMs ?? 0))
  const nothing = { objects: 0, bytes: 0, oldest: null, formerVersions, next: null }
  assert.deepEqual((await dryRun({ expiry: [rule] })).body, nothing)
  assert.deepEqual((await dryRun({ expiry: [] })).body, nothing)
  assert.equal((await dryRun({ expiry: [past], after: 'logs/1' })).body.bytes, 2)
  const large = { ...past, abortUploadsDays: null, largerThan: 2 }
  assert.equal((await dryRun({ expiry: [large] })).body.bytes, 3)
  assert.equal((await keysOf(drive)).length, 3)
  assert.equal(buckets.find('files')?.lifecycle, undefined)
})

test('a dry run refuses what a change refuses', async (t) => {
  const { change, send } = await open(t)
  const path = '/buckets/files/expiry/dry-run'
  for (const expiry of [
    [{ ...rule, days: 0 }],
    [rule, rule],
    [{ ...rule, prefix: 'x'.repeat(1_025) }],
    [{ ...rule, date: '2030-01-31' }],
    undefined,
  ]) {
    const refused = await send('POST', path, { expiry })
    assert.equal(refused.status, 400)
    if (expiry !== undefined) assert.deepEqual(refused.body, (await change({ expiry })).body)
  }
  assert.equal((await send('POST', path, { expiry: [], dryrun: false })).status, 400)
  assert.equal((await send('POST', '/buckets/none/expiry/dry-run', { expiry: [] })).status, 404)
  const unsigned = await send('POST', path, { expiry: [] }, { authorization: '' })
  assert.equal(unsigned.status, 401)
})

test('a dry run finds nothing in a read-only bucket', async (t) => {
  const placeOf = () => ({ drive: 'default', isReadOnly: true })
  const { drive, send } = await openManagement(t, { placeOf })
  await put(drive, 'logs/1', 'abc')
  const expiry = [{ ...rule, days: null, date: '2020-01-31' }]
  const { body } = await send('POST', '/buckets/files/expiry/dry-run', { expiry })
  assert.equal(body.objects, 0)
})

test('a dry run says that the drive does not respond', async (t) => {
  const { send } = await openManagement(t, {
    dryRunExpiry: async () => {
      throw new DriveError('unavailable', 'secret detail')
    },
  })
  const { status, body } = await send('POST', '/buckets/files/expiry/dry-run', { expiry: [] })
  assert.deepEqual(
    [status, body],
    [503, { message: 'The drive does not respond. Try again later.' }],
  )
})

test('a dry run gets the signal of its request, which aborts when the client is gone', async (t) => {
  const signals: AbortSignal[] = []
  const { routes } = await openManagement(t, {
    dryRunExpiry: async ({ signal }) => {
      signals.push(signal)
      const formerVersions = { count: 0, bytes: 0 }
      return { objects: 0, bytes: 0, oldestMs: undefined, formerVersions, next: undefined }
    },
  })
  const { signal } = new AbortController()
  await jsonSender(routes).send({
    ...{ method: 'POST', url: '/-/api/buckets/files/expiry/dry-run', headers: session, signal },
    payload: { expiry: [] },
  })
  assert.equal(signals[0], signal)
})

test('versions are turned on and suspended, and a refusal says why', async (t) => {
  let state: BucketConfiguration['versioning']
  const [files] = servedBuckets(['files']).all()
  const buckets: Buckets = {
    find: (name) => buckets.all().find((bucket) => bucket.name === name),
    all: () => (files === undefined ? [] : [{ ...files, ...(state && { versioning: state }) }]),
  }
  const { send } = await openManagement(t, {
    buckets,
    versioning: {
      refusal: () => 'It cannot.',
      async change(_, status) {
        if (state !== undefined) throw new BucketError('no-versions', 'It cannot.')
        state = { changes: status === 'Enabled' ? [1] : [1, 2] }
      },
    },
  })
  const change = (versioning: string) => send('PATCH', '/buckets/files', { versioning })
  const { status, body } = await change('enabled')
  assert.deepEqual([status, body.versioning, body.hasObjectLock], [200, 'enabled', false])
  assert.equal(body.versionsRefusal, 'It cannot.')
  const refused = await change('suspended')
  assert.deepEqual([refused.status, refused.body.message], [409, 'It cannot.'])
  state = { changes: [1, 2] }
  assert.equal((await send('GET', '/buckets')).body.buckets[0].versioning, 'suspended')
  // Suspended before they were ever enabled.
  state = 'Suspended'
  assert.equal((await send('GET', '/buckets')).body.buckets[0].versioning, 'off')
})

async function openWithWebsites(t: TestContext) {
  const database = await openTestDatabase(t)
  const table = new BucketOptionsTable(database)
  const options = new StoredBucketOptions({ table, hasDocuments: true })
  const buckets = new BucketsWithOptions(servedBuckets(['files']), options)
  const { send } = await openManagement(t, {
    ...{ buckets, bucketOptions: options },
    websiteHostOf: (bucket) => `${bucket}.web.example`,
  })
  return { send, buckets, options }
}

test('a website is set, returned with its address and removed, and refused without a domain', async (t) => {
  const { send, buckets } = await openWithWebsites(t)
  const change = (website: object | null) => send('PATCH', '/buckets/files', { website })
  const site = {
    ...{ index: 'index.html', errorKey: '404.html' },
    rules: [{ keyPrefix: 'old/', newPrefix: 'new/', code: 301 }],
  }
  const { code: _, ...withoutCode } = site.rules[0] ?? {}
  const { body } = await change({ ...site, rules: [withoutCode] })
  assert.deepEqual([body.website, body.websiteHost], [site, 'files.web.example'])
  assert.deepEqual(buckets.find('files')?.website, site)
  const all = { redirectAllTo: { host: 'example.org' } }
  assert.deepEqual((await change(all)).body.website, all)
  for (const [wrong, field] of [
    [{ index: 'a/b' }, 'website.index'],
    [{ index: 'a', rules: [{ keyPrefix: 'x' }] }, 'website.rules[0].newPrefix'],
    [{ redirectAllTo: { host: 'a b' } }, 'website.redirectAllTo.host'],
    [{ index: 'a', errorKey: '\ud800' }, 'website.errorKey'],
    [{ index: 'a', rules: [{ key: '\ud800' }] }, 'website.rules[0].key'],
    [{ index: 'a', errorKey: 'x'.repeat(200_000) }, 'website'],
  ] as const) {
    const refused = await change(wrong)
    assert.deepEqual([refused.status, refused.body.field], [400, field])
  }
  assert.equal((await change(null)).body.website, null)
  assert.equal(buckets.find('files')?.website, undefined)

  const without = await open(t, true)
  const refused = await without.change({ website: site })
  assert.deepEqual([refused.status, refused.body.field], [409, 'website'])
})

test('every website that an S3 client sets is in the reply, and can be stored again', async (t) => {
  const { send, buckets, options } = await openWithWebsites(t)
  const long = 'x'.repeat(2_000)
  const website = parseWebsite(
    Buffer.from(
      `<WebsiteConfiguration><IndexDocument><Suffix>${long}</Suffix></IndexDocument><ErrorDocument><Key>${long}</Key>` +
        `</ErrorDocument><RoutingRules><RoutingRule><Condition><KeyPrefixEquals>${long}</KeyPrefixEquals></Condition>` +
        `<Redirect><ReplaceKeyWith>${long}</ReplaceKeyWith></Redirect></RoutingRule><RoutingRule><Redirect>` +
        '<HttpRedirectCode>302</HttpRedirectCode></Redirect></RoutingRule></RoutingRules></WebsiteConfiguration>',
    ),
  )
  await options.change('files', { website })
  const { status, body } = await send('GET', '/buckets')
  assert.equal(status, 200)
  assert.deepEqual(body.buckets[0].website, website)
  assert.equal((await send('PATCH', '/buckets/files', { website })).status, 200)
  assert.deepEqual(buckets.find('files')?.website, website)
})
