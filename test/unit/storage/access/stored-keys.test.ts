import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { Revisions } from '../../../../src/platform/state/revision-table.ts'
import { RevisionWatch } from '../../../../src/platform/state/revision-watch.ts'
import { createSealer } from '../../../../src/platform/state/sealer.ts'
import { AccessKeyTable } from '../../../../src/storage/access/access-key-table.ts'
import {
  maxUnconfirmedMs,
  OwnerKey,
  StoredKeys,
} from '../../../../src/storage/access/access-keys.ts'
import {
  KeyAdmin,
  KeyAdminError,
  type KeyChange,
} from '../../../../src/storage/access/key-admin.ts'
import { type KeyInput, KeyInputError } from '../../../../src/storage/access/key-input.ts'
import { openTestDatabase } from '../../dashboard/management/management-fixture.ts'

const ownKeys = { accessKey: 'OWNER', secretKey: 'owner-secret' }
const input: KeyInput = {
  name: 'app',
  grants: [{ bucket: 'photos', prefix: 'a/', actions: ['read'] }],
}

/** A gateway: its copy of the keys, and what manages them. */
async function world(t: TestContext, { secretKey = ownKeys.secretKey } = {}) {
  const database = await openTestDatabase(t)
  const table = new AccessKeyTable(database)
  const clock = { ms: 1_000_000, monotonicMs: 0 }
  const warnings: object[] = []
  let problem: Error | undefined
  const stored = new Revisions(database)
  const open = async (secret = secretKey) => {
    const sealer = createSealer(secret, 'accessKeys')
    const watch = new RevisionWatch({
      revisions: { read: () => (problem === undefined ? stored.read() : Promise.reject(problem)) },
      everyMs: 2 ** 30,
      now: () => clock.monotonicMs,
      onState: () => undefined,
    })
    const keys = new StoredKeys({
      ...{ owner: new OwnerKey(ownKeys), table, watch, sealer, now: () => clock.ms },
      log: { warn: (fields) => void warnings.push(fields) },
    })
    await watch.start({ 'access-keys': keys.reload })
    t.after(() => watch.stop())
    const admin = new KeyAdmin({
      ...{ table, sealer, ownerKeyId: 'OWNER', now: () => clock.ms },
      isBucketName: (name) => /^[a-z]{3,}$/.test(name),
      onChange: () => watch.check(),
    })
    return { watch, keys, admin }
  }
  return {
    ...{ database, table, clock, warnings, open },
    ...(await open()),
    fail: (error: Error | undefined) => {
      problem = error
    },
  }
}

test('A key that was revoked after a failover to an older state is refused', async (t) => {
  const { admin, keys, watch, fail, database } = await world(t)
  const { key } = await admin.create(input)
  const { key: lost } = await admin.create({ ...input, name: 'lost' })
  fail(new Error('away'))
  await assert.rejects(watch.check(), /away/)
  // The new server lacks the last change, and gives its revision to the next change.
  const older = 'UPDATE revisions SET revision = revision - 1 WHERE name = ?'
  await database.write([
    { sql: 'DELETE FROM access_keys WHERE access_key_id = ?', params: [lost.accessKeyId] },
    { sql: older, params: ['access-keys'] },
  ])
  await new KeyAdmin({
    ...{ table: new AccessKeyTable(database), sealer: createSealer('x', 'accessKeys') },
    ...{ ownerKeyId: 'OWNER', now: Date.now, isBucketName: () => true },
    onChange: async () => undefined,
  }).revoke(key.accessKeyId)
  fail(undefined)
  await watch.check()
  assert.equal(keys.find(key.accessKeyId), undefined)
  assert.equal(keys.find(lost.accessKeyId), undefined)
})

test('A key is valid in its own process at once, and in others with their next check', async (t) => {
  const { admin, keys, open, watch } = await world(t)
  const other = await open()
  const { key, secretKey } = await admin.create(input)
  assert.match(key.accessKeyId, /^[A-Z0-9]{20}$/)
  assert.match(secretKey, /^[A-Za-z0-9]{40}$/)
  const found = keys.find(key.accessKeyId)
  assert.deepEqual(found?.secretKeys, [secretKey])
  assert.deepEqual(found?.identity, {
    ...{ kind: 'key', accessKeyId: key.accessKeyId, name: 'app' },
    ...{ grants: input.grants, limits: {} },
  })
  assert.equal(other.keys.find(key.accessKeyId), undefined)
  await other.watch.check()
  assert.deepEqual(other.keys.find(key.accessKeyId), found)
  await other.admin.revoke(key.accessKeyId)
  assert.equal(other.keys.find(key.accessKeyId), undefined)
  await watch.check()
  assert.equal(keys.find(key.accessKeyId), undefined)
  assert.deepEqual(await admin.list(), [])
  assert.deepEqual(keys.find('OWNER')?.secretKeys, ['owner-secret'])
})

test('A copy is complete with more keys than one page has', async (t) => {
  const { admin, table, open } = await world(t)
  const { key } = await admin.create(input)
  const row = await table.find(key.accessKeyId)
  assert.ok(row)
  const ids = Array.from({ length: 2_500 }, (_, index) => `KEY${index}`)
  const { secret, json, source, createdAtMs, expiresAtMs } = row
  const common = { secret, json, source, createdAtMs, expiresAtMs }
  await table.edit(ids.map((id) => ({ kind: 'insert', row: { ...common, accessKeyId: id } })))
  const { keys } = await open()
  // Their secrets are sealed for another key.
  for (const id of ids) assert.equal(keys.find(id), undefined)
  assert.ok(keys.find(key.accessKeyId))
})

test('After a backup was restored, the keys are those of the backup', async (t) => {
  const { admin, table, watch } = await world(t)
  const kept = await admin.create(input)
  const later = await admin.create(input)
  // In the order of changesAfter. The database lists keys of the same millisecond in the order of their random ids.
  let rows = (await table.all()).toSorted((a, b) => a.revision - b.revision)
  const keys = new StoredKeys({
    ...{ owner: new OwnerKey(ownKeys), watch, now: () => 1_000_000 },
    table: {
      changesAfter: async ({ revision }) => rows.filter((row) => row.revision > revision),
      markUsed: async () => undefined,
    },
    sealer: createSealer(ownKeys.secretKey, 'accessKeys'),
    log: { warn: () => undefined },
  })
  await keys.reload(2)
  assert.ok(keys.find(later.key.accessKeyId))
  rows = rows.filter(({ accessKeyId }) => accessKeyId === kept.key.accessKeyId)
  await keys.reload(1)
  assert.ok(keys.find(kept.key.accessKeyId))
  assert.equal(keys.find(later.key.accessKeyId), undefined)
})

test('After a rotation both secrets are valid, the old one until its time', async (t) => {
  const { admin, keys, clock } = await world(t)
  const { key, secretKey } = await admin.create(input)
  const rotated = await admin.rotate(key.accessKeyId, 60)
  const secrets = () => keys.find(key.accessKeyId)?.secretKeys
  assert.deepEqual(secrets(), [rotated.secretKey, secretKey])
  assert.equal(rotated.key.oldSecretUntilMs, clock.ms + 60_000)
  clock.ms += 60_000
  assert.deepEqual(secrets(), [rotated.secretKey])
  const again = await admin.rotate(key.accessKeyId, 0)
  assert.deepEqual(secrets(), [again.secretKey])
})

test('A disabled and an expired key say so', async (t) => {
  const { admin, keys, clock } = await world(t)
  const { key } = await admin.create({ ...input, expiresAtMs: clock.ms + 1_000 })
  const refusal = () => keys.find(key.accessKeyId)?.refusal
  assert.equal(refusal(), undefined)
  await admin.change(key.accessKeyId, { isDisabled: true })
  assert.match(refusal() ?? '', /disabled/)
  await admin.change(key.accessKeyId, { isDisabled: false })
  assert.equal(refusal(), undefined)
  clock.ms += 1_000
  assert.match(refusal() ?? '', /expired/)
  await admin.change(key.accessKeyId, { expiresAtMs: null })
  assert.equal(refusal(), undefined)
})

test('A change sets what it names and keeps the rest', async (t) => {
  const { admin } = await world(t)
  const { key } = await admin.create({ ...input, note: 'n', limits: { requestsPerSecond: 5 } })
  const changed = await admin.change(key.accessKeyId, { name: ' other ' })
  assert.deepEqual(changed, { ...key, name: 'other' })
  const limits = { requestsPerSecond: null, bytes: 7 }
  assert.deepEqual((await admin.change(key.accessKeyId, { limits })).limits, { bytes: 7 })
})

test('A list of many keys leaves time for requests', async (t) => {
  const { admin, table } = await world(t)
  const { key } = await admin.create(input)
  const row = await table.find(key.accessKeyId)
  assert.ok(row)
  const rows = Array.from({ length: 1_000 }, () => row)
  t.mock.method(table, 'all', async () => rows)
  let turns = 0
  let ticking = setImmediate(function tick() {
    turns += 1
    ticking = setImmediate(tick)
  })
  assert.equal((await admin.list()).length, rows.length)
  clearImmediate(ticking)
  assert.ok(turns >= 9, `${turns} turns of the event loop`)
})

test('A key sealed with another SECRET_KEY is unknown, and the owner is told', async (t) => {
  const { admin, open, warnings } = await world(t)
  const { key } = await admin.create(input)
  const { keys } = await open('another')
  assert.equal(keys.find(key.accessKeyId), undefined)
  assert.equal(keys.find(key.accessKeyId), undefined)
  assert.equal(warnings.length, 1)
})

test('A process that was suspended asks the database before it trusts a key', async (t) => {
  const { admin, keys, clock, open } = await world(t)
  const { key } = await admin.create(input)
  const other = await open()
  await other.admin.revoke(key.accessKeyId)
  assert.equal(keys.ensureCurrent(), undefined)
  clock.monotonicMs += 40_000
  assert.equal(await keys.ensureCurrent(), true)
  assert.equal(keys.find(key.accessKeyId), undefined)
})

test('While the database does not answer, keys stay valid for a minute', async (t) => {
  const { keys, clock, fail } = await world(t)
  fail(new Error('away'))
  clock.monotonicMs += maxUnconfirmedMs
  assert.equal(await keys.ensureCurrent(), true)
  assert.equal(keys.ensureCurrent(), undefined)
  clock.monotonicMs += 1
  assert.equal(await keys.ensureCurrent(), false)
})

test('The last use is written in the background, without a reload', async (t) => {
  const { admin, keys, clock, table } = await world(t)
  const { key } = await admin.create(input)
  const before = await table.find(key.accessKeyId)
  keys.noteUse(key.accessKeyId)
  await keys.flushUses()
  const after = await table.find(key.accessKeyId)
  assert.deepEqual(after, { ...before, lastUsedAtMs: clock.ms })
})

test('Concurrent changes of a key are all applied', async (t) => {
  const { admin, open } = await world(t)
  const { key } = await admin.create(input)
  const other = await open()
  await Promise.all([
    admin.change(key.accessKeyId, { name: 'renamed' }),
    other.admin.change(key.accessKeyId, { isDisabled: true }),
    other.admin.rotate(key.accessKeyId, 60),
  ])
  const [changed] = await admin.list()
  assert.equal(changed?.key.name, 'renamed')
  assert.equal(changed?.key.isDisabled, true)
  assert.ok(changed?.key.oldSecretUntilMs)
})

test('A key that does not exist or comes from a file is not changed', async (t) => {
  const { admin, table, clock } = await world(t)
  const row = { accessKeyId: 'FILEKEY', secret: '', source: 'file', expiresAtMs: 0 } as const
  const json = JSON.stringify({ name: 'f', note: '', grants: [], limits: {} })
  await table.edit([{ kind: 'insert', row: { ...row, json, createdAtMs: clock.ms } }])
  for (const [id, kind] of [
    ['FILEKEY', 'from-file'],
    ['NOKEY', 'unknown-key'],
  ] as const) {
    const isExpected = (error: unknown) => error instanceof KeyAdminError && error.kind === kind
    await assert.rejects(admin.change(id, { name: 'x' }), isExpected)
    await assert.rejects(admin.rotate(id, 0), isExpected)
    await assert.rejects(admin.revoke(id), isExpected)
  }
})

const grant = { bucket: 'photos', prefix: '', actions: ['read'] } as const
const badInputs: readonly (readonly [field: string, change: KeyChange])[] = [
  ['name', { name: ' ' }],
  ['name', { name: 'x'.repeat(101) }],
  ['note', { note: 'x'.repeat(1_001) }],
  ['grants', { grants: Array.from({ length: 101 }, () => grant) }],
  ['grants[1].bucket', { grants: [grant, { ...grant, bucket: 'No' }] }],
  ['grants[0].prefix', { grants: [{ ...grant, prefix: 'ä'.repeat(513) }] }],
  ['grants[0].prefix', { grants: [{ ...grant, prefix: '\ud800' }] }],
  ['grants[0].prefix', { grants: [{ ...grant, prefix: 'a', actions: ['manage'] }] }],
  ['grants[0].actions', { grants: [{ ...grant, actions: ['create', 'write'] }] }],
  ['grants[0].actions', { grants: [{ ...grant, actions: [] }] }],
  ['expiresAt', { expiresAtMs: Number.NaN }],
  ['limits.requestsPerSecond', { limits: { requestsPerSecond: 0 } }],
  ['limits.bytes', { limits: { bytes: 1.5 } }],
]
for (const [field, change] of badInputs) {
  test(`A wrong ${field} is refused: ${JSON.stringify(change).slice(0, 60)}`, async (t) => {
    const { admin } = await world(t)
    const isExpected = (error: unknown) => error instanceof KeyInputError && error.field === field
    await assert.rejects(admin.create({ ...input, ...change }), isExpected)
    const { key } = await admin.create(input)
    await assert.rejects(admin.change(key.accessKeyId, change), isExpected)
  })
}
