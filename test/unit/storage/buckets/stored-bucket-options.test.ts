import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from '../../../../src/platform/state/open-database.ts'
import { bumpRevision, Revisions } from '../../../../src/platform/state/revision-table.ts'
import {
  BucketOptionsTable,
  clearBucketOptions,
} from '../../../../src/storage/buckets/bucket-option-table.ts'
import type { CorsRule } from '../../../../src/storage/buckets/cors-rules.ts'
import type { LifecycleRule } from '../../../../src/storage/buckets/lifecycle-rules.ts'
import {
  BucketsWithOptions,
  StoredBucketOptions,
} from '../../../../src/storage/buckets/stored-bucket-options.ts'
import { servedBuckets } from '../../../support/served-buckets.ts'

const cors: CorsRule[] = [
  {
    ...{ allowedOrigins: ['*'], allowedMethods: ['GET'], allowedHeaders: [], exposeHeaders: [] },
  },
]
const lifecycle: LifecycleRule[] = [
  { id: 'nul \0', prefix: '', prefixForm: 'none', isEnabled: true, days: 1 },
]

async function makeWorld(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-options-'))
  const path = join(folder, 'state.db')
  const database = await openDatabase({ kind: 'sqlite', path }, { migrate: true })
  t.after(async () => {
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const table = new BucketOptionsTable(database)
  return { database, table, open: () => new StoredBucketOptions({ table }) }
}

test('options are stored column by column, and other processes get what has changed', async (t) => {
  const { database, open } = await makeWorld(t)
  const [ours, theirs] = [open(), open()]
  await ours.change('photos', { cors })
  await ours.change('photos', { lifecycle, quotaBytes: 0 })
  assert.deepEqual(ours.find('photos'), { cors, lifecycle, quotaBytes: 0 })
  await theirs.reload()
  const seen = theirs.find('photos')
  assert.deepEqual(seen, { cors, lifecycle, quotaBytes: 0 })
  await theirs.reload()
  assert.equal(theirs.find('photos'), seen)
  await ours.change('photos', { cors: null, lifecycle: [] })
  await theirs.reload()
  assert.deepEqual(theirs.find('photos'), { quotaBytes: 0 })
  await ours.change('photos', { quotaBytes: null })
  await theirs.reload()
  assert.deepEqual(theirs.find('photos'), {})
  assert.equal((await new Revisions(database).read()).get('buckets'), 4)
})

test('a version without tags and sizes takes a rule for them for a disabled one', async (t) => {
  const { database, open } = await makeWorld(t)
  const rule = { id: 'a', prefix: '', days: 1 } as const
  const tagged: LifecycleRule[] = [
    { ...rule, prefixForm: 'tag', isEnabled: true, tags: { a: '1' } },
    { ...rule, id: 'b', prefixForm: 'tag', isEnabled: false, tags: { a: '1' } },
    { ...rule, id: 'c', prefixForm: 'size', isEnabled: true, largerThan: 0 },
    { ...rule, id: 'd', prefixForm: 'size', isEnabled: true, smallerThan: 9 },
  ]
  const [ours, theirs] = [open(), open()]
  await ours.change('photos', { lifecycle: tagged })
  await theirs.reload()
  assert.deepEqual(theirs.find('photos'), { lifecycle: tagged })
  const [row] = await new BucketOptionsTable(database).changedAfter(0)
  const stored = JSON.parse(row?.lifecycle ?? '') as LifecycleRule[]
  assert.deepEqual(
    stored.map(({ isEnabled }) => isEnabled),
    [false, false, false, false],
  )
})

test('a removed bucket leaves nothing for one of the same name', async (t) => {
  const { database, open } = await makeWorld(t)
  const options = open()
  await options.change('photos', { lifecycle })
  await options.change('other', { lifecycle })
  await database.write([bumpRevision('buckets'), ...clearBucketOptions('photos')])
  await options.reload()
  assert.deepEqual(options.find('photos'), {})
  assert.deepEqual(options.find('other'), { lifecycle })
})

test('buckets have their options, and stay the same object until these change', async (t) => {
  const { open } = await makeWorld(t)
  const options = open()
  const plain = servedBuckets(['photos', 'other'], ['photos'])
  const buckets = new BucketsWithOptions(plain, options)
  assert.equal(buckets.find('photos'), plain.find('photos'))
  assert.equal(buckets.find('unknown'), undefined)
  await options.change('photos', { quotaBytes: 5 })
  await options.change('unknown', { quotaBytes: 5 })
  const found = buckets.find('photos')
  assert.deepEqual(found, { name: 'photos', isPublic: true, quotaBytes: 5 })
  assert.equal(buckets.find('photos'), found)
  assert.equal(buckets.find('unknown'), undefined)
  assert.deepEqual(
    buckets.all().map(({ quotaBytes }) => quotaBytes),
    [5, undefined],
  )
})

test('a change between the reads of the two tables is not missed', async (t) => {
  const { table } = await makeWorld(t)
  let between = async () => undefined as unknown
  const ours = new StoredBucketOptions({
    table: {
      change: (...change) => table.change(...change),
      changedAfter: (revision) => table.changedAfter(revision),
      async documentsChangedAfter(revision) {
        await between()
        return await table.documentsChangedAfter(revision)
      },
    },
  })
  await ours.reload()
  between = async () => {
    await table.change('photos', { isPublic: 1 })
    await table.change('photos', { documents: { versioning: '"Suspended"' } })
  }
  await ours.reload()
  between = async () => undefined
  await ours.reload()
  assert.deepEqual(ours.find('photos'), { isPublic: true, versioning: 'Suspended' })
})
