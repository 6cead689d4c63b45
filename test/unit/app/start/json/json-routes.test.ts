import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { readSettings } from '../../../../../src/app/settings/read-settings.ts'
import type { BucketJobs } from '../../../../../src/app/start/bucket-jobs.ts'
import { openJsonRoutes } from '../../../../../src/app/start/json/json-routes.ts'
import type { ActivityWatch } from '../../../../../src/app/telemetry/activity-watch.ts'
import { createLog } from '../../../../../src/app/telemetry/log.ts'
import type { TrafficWatch } from '../../../../../src/app/telemetry/traffic-watch.ts'
import type { OpenApiDocument } from '../../../../../src/dashboard/open-api/describe-routes.ts'
import type { Route } from '../../../../../src/platform/json-api/route.ts'
import type { Database } from '../../../../../src/platform/state/database.ts'
import type { KeyAdmin } from '../../../../../src/storage/access/key-admin.ts'
import { openMemoryDrive } from '../../../../../src/storage/drives/memory/memory-drive.ts'
import { MemoryKeyValueStore } from '../../../../fakes/memory-key-value.ts'
import { jsonSender } from '../../../../support/json-sender.ts'
import { assertOpenApi } from '../../../../support/open-api-checks.ts'
import { servedBuckets } from '../../../../support/served-buckets.ts'

let document: OpenApiDocument
let routes: readonly Route[] = []

before(async () => {
  const environment = { ACCESS_KEY: 'AK', SECRET_KEY: 'hush-hush', ALLOWED_BUCKETS: 'files' }
  const opened = await openJsonRoutes({
    settings: await readSettings(environment),
    log: createLog('silent', { write: () => undefined }),
    // Nothing is asked while routes are only described.
    ...{
      buckets: servedBuckets(['files']),
      bucketOptions: {} as never,
      bucketMaker: {} as never,
      versioning: {} as never,
      database: {} as Database,
      uploads: {} as never,
      keys: {} as never,
      keyAdmin: {} as KeyAdmin,
      activity: {} as ActivityWatch,
      traffic: {} as TrafficWatch,
      jobs: {} as BucketJobs,
      now: Date.now,
      modelKeys: {} as never,
      metrics: undefined,
      onClose: () => undefined,
    },
    ...{ drive: openMemoryDrive(), mounts: [], sessions: new MemoryKeyValueStore(() => 0) },
  })
  routes = opened.filter(({ isHidden }) => isHidden !== true)
  document = (await jsonSender(opened).send('/-/openapi.json')).json()
})

test('The OpenAPI document is a valid one', () => {
  assertOpenApi(document)
})

// docs/contract/decisions.md, "Version".
test('The version of the OpenAPI document is 1.0.0', () => {
  assert.equal(document.info.version, '1.0.0')
  assert.equal(document.openapi, '3.1.0')
})

test('Every route is in the OpenAPI document', () => {
  assert.ok(routes.length >= 35)
  for (const { method, path } of routes) {
    const described = document.paths[path.replace('+}', '}')]
    assert.ok(described?.[method.toLowerCase()], `${method} ${path}`)
  }
})

/** Browsers download what its address is for without a header field: the token in it is the permission. */
const withoutSession = ['downloadArchive']

test('Every endpoint of the management needs a session, and only those and some of the login do', () => {
  for (const [path, item] of Object.entries(document.paths)) {
    for (const operation of Object.values(item)) {
      const needsSession = JSON.stringify(operation.security) === '[{"session":[]}]'
      const { operationId } = operation
      const isManaged = path.startsWith('/-/api/') || ['getSession', 'logout'].includes(operationId)
      const isOpen = withoutSession.includes(operationId)
      assert.equal(needsSession, isManaged && !isOpen, operationId)
    }
  }
})

test('Errors of the JSON protocols have one schema', () => {
  const { content } = document.paths['/-/api/presign']?.post?.responses['4XX'] ?? {}
  assert.deepEqual(content, {
    'application/json': { schema: { $ref: '#/components/schemas/Error' } },
  })
})

test('The OpenAPI document contains no secret and no setting', () => {
  assert.doesNotMatch(JSON.stringify(document), /hush/)
})

test('Every operation of the JSON protocols documents its errors in the format of its protocol', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, ...operation })),
  )
  const own = operations.filter(({ tags: [tag] }) => tag !== 'service')
  assert.ok(own.length >= 35)
  for (const { path, operationId, responses, tags } of own) {
    const isCall = tags.includes('models') || path.startsWith('/-/api/calls/')
    for (const status of ['4XX', '5XX']) {
      const schema = responses[status]?.content?.['application/json']?.schema
      if (isCall) assert.ok(schema?.properties?.error, operationId)
      else assert.equal(schema?.$ref, '#/components/schemas/Error', operationId)
    }
  }
})
