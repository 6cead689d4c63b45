import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type {
  AttributeChange,
  LockRules,
  Retention,
} from '../../../src/storage/drives/attributes.ts'
import type { DriveSuite } from './drive-suite.ts'
import { bucket, rejectsAs } from './stored-object.ts'
import { itIn, type Kept, type VersionedBucket } from './versioned-bucket.ts'

const dayMs = 86_400_000

function retentionOf(mode: Retention['mode'], days = 1): Retention {
  return { mode, untilMs: Math.floor(Date.now() / 1000) * 1000 + days * dayMs }
}

/** What a caller passes on who knows the time. */
function now(more: Partial<LockRules> = {}): LockRules {
  return { nowMs: Date.now(), ...more }
}

async function change(
  { drive }: VersionedBucket,
  { versionId }: Kept,
  wanted: AttributeChange,
): Promise<void> {
  assert.ok(drive.setAttributes)
  const changed = await drive.setAttributes(bucket, 'k', wanted, { versionId })
  assert.equal(changed?.versionId, versionId)
  const found = await drive.head(bucket, 'k', { versionId })
  assert.deepEqual(found?.attributes, changed?.attributes)
}

async function attributesOf({ drive }: VersionedBucket, { versionId }: Kept) {
  return ((await drive.head(bucket, 'k', { versionId })) ?? assert.fail(versionId)).attributes
}

/** Checks that the version can't be removed under these rules, and is as it was. */
async function assertLocked(versioned: VersionedBucket, kept: Kept, lock?: LockRules) {
  const { versionId } = kept
  const before = await versioned.drive.head(bucket, 'k', { versionId })
  const removal = versioned.drive.remove(bucket, 'k', { versionId, ...(lock && { lock }) })
  await rejectsAs(removal, 'locked')
  assert.deepEqual(await versioned.drive.head(bucket, 'k', { versionId }), before)
}

/** Checks that the only version of the key `k` can be removed when the retention has ended, or with a bypass, and not before. */
async function assertStaysLocked(versioned: VersionedBucket, first: Kept, retention: Retention) {
  const { mode, untilMs } = retention
  assert.deepEqual((await attributesOf(versioned, first)).retention, retention)
  await assertLocked(versioned, first)
  await assertLocked(versioned, first, now())
  await assertLocked(versioned, first, { nowMs: untilMs - 1 })
  // Others of the key come and go.
  const second = await versioned.put('k', 'two')
  const marker = await versioned.mark('k')
  await assertLocked(versioned, first, now())
  await versioned.purge('k', second)
  await versioned.purge('k', marker)
  await versioned.assertHistory('k', [first])
  const bypass = now({ bypassesGovernance: true })
  if (mode === 'COMPLIANCE') await assertLocked(versioned, first, bypass)
  const lock = mode === 'GOVERNANCE' ? bypass : { nowMs: untilMs }
  const { versionId } = first
  assert.deepEqual(await versioned.drive.remove(bucket, 'k', { versionId, lock }), { versionId })
  await versioned.assertHistories({})
}

export function versionAttributeCases(suite: DriveSuite): void {
  const it = itIn(suite)

  describe('attributes of a version', () => {
    if (!suite.can('setAttributes')) return

    it('change for this version alone, and stay with it', async (versioned) => {
      await versioned.toggle()
      const tags = { metadata: { of: 'first' }, tags: { version: 'one' } }
      const first = await versioned.put('k', 'one', { attributes: tags })
      const second = await versioned.put('k', 'two')
      const third = await versioned.put('k', 'three')
      await change(versioned, second, { tags: { version: 'two' } })
      await change(versioned, first, { tags: { version: 'one changed' } })
      await change(versioned, third, { tags: { version: 'three' } })
      const all = [third, second, first]
      const tagsOf = async (history: readonly Kept[]) => {
        const found: (string | undefined)[] = []
        for (const kept of history) found.push((await attributesOf(versioned, kept)).tags?.version)
        return found
      }
      assert.deepEqual(await tagsOf(all), ['three', 'two', 'one changed'])
      await versioned.assertHistory('k', all)
      const marker = await versioned.mark('k')
      assert.deepEqual(await tagsOf(all), ['three', 'two', 'one changed'])
      await versioned.purge('k', marker)
      await versioned.purge('k', third)
      assert.equal((await versioned.drive.head(bucket, 'k'))?.attributes.tags?.version, 'two')
      await change(versioned, second, { tags: {} })
      assert.deepEqual(await tagsOf([second, first]), [undefined, 'one changed'])
      await versioned.purge('k', second)
      const { attributes } = (await versioned.drive.head(bucket, 'k')) ?? assert.fail()
      assert.deepEqual(
        [attributes.tags, attributes.metadata.of],
        [{ version: 'one changed' }, 'first'],
      )
      await versioned.assertHistory('k', [first])
    })

    it('change without an ID for the newest one, and never for a delete marker', async (versioned) => {
      const { drive } = versioned
      await versioned.toggle()
      const [first, second] = [await versioned.put('k', 'one'), await versioned.put('k', 'two')]
      const set = async (versionId?: string) =>
        await drive.setAttributes?.(bucket, 'k', { tags: { a: 'b' } }, { versionId })
      assert.equal((await set())?.versionId, second.versionId)
      assert.equal((await attributesOf(versioned, first)).tags, undefined)
      const marker = await versioned.mark('k')
      assert.equal(await set(), undefined)
      assert.equal(await set(marker.versionId).catch(() => undefined), undefined)
      await versioned.assertHistory('k', [marker, second, first])
      assert.equal((await attributesOf(versioned, first)).tags, undefined)
    })

    it('of an object from before versions change as well', async (versioned) => {
      const before = await versioned.put('k', 'before')
      await versioned.toggle()
      await change(versioned, before, { tags: { a: '1' } })
      await versioned.assertHistory('k', [before])
      const first = await versioned.put('k', 'one')
      await change(versioned, before, { tags: { a: '2' } })
      await versioned.assertHistory('k', [first, before])
      assert.deepEqual((await attributesOf(versioned, before)).tags, { a: '2' })
    })
  })
}

/** AWS, "Locking objects with Object Lock". */
export function versionLockCases(suite: DriveSuite): void {
  if (!suite.can('locks')) return
  const it = (title: string, run: (versioned: VersionedBucket) => Promise<void>) =>
    itIn(suite)(title, async (versioned) => {
      await versioned.toggle()
      await versioned.drive.enableLocks?.(bucket)
      await run(versioned)
    })

  describe('a version with a retention', () => {
    for (const mode of ['GOVERNANCE', 'COMPLIANCE'] as const) {
      it(`(${mode}, from the beginning) stays until it has ended`, async (versioned) => {
        const retention = retentionOf(mode)
        const first = await versioned.put('k', 'one', { attributes: { retention } })
        await assertStaysLocked(versioned, first, retention)
      })

      it(`(${mode}, added later) stays until it has ended`, async (versioned) => {
        const retention = retentionOf(mode)
        const first = await versioned.put('k', 'one')
        await change(versioned, first, { retention, lock: now() })
        await assertStaysLocked(versioned, first, retention)
      })
    }

    it('may have a longer one, and a shorter one only with a bypass', async (versioned) => {
      const [short, long] = [retentionOf('GOVERNANCE', 1), retentionOf('GOVERNANCE', 2)]
      const first = await versioned.put('k', 'one', { attributes: { retention: short } })
      await versioned.put('k', 'two')
      await change(versioned, first, { retention: long, lock: now() })
      const strict = retentionOf('COMPLIANCE', 2)
      for (const retention of [short, strict, null]) {
        const { versionId } = first
        const set = versioned.drive.setAttributes?.(
          ...([bucket, 'k', { retention, lock: now() }, { versionId }] as const),
        )
        await rejectsAs(set ?? Promise.resolve(), 'locked')
        assert.deepEqual((await attributesOf(versioned, first)).retention, long)
      }
      const lock = now({ bypassesGovernance: true })
      await change(versioned, first, { retention: short, lock })
      await change(versioned, first, { retention: null, lock })
      await versioned.purge('k', first)
    })

    it('of mode COMPLIANCE is never shortened', async (versioned) => {
      const long = retentionOf('COMPLIANCE', 2)
      const first = await versioned.put('k', 'one', { attributes: { retention: long } })
      const lock = now({ bypassesGovernance: true })
      for (const retention of [retentionOf('COMPLIANCE', 1), retentionOf('GOVERNANCE', 3), null]) {
        const { versionId } = first
        const set = versioned.drive.setAttributes?.(
          ...([bucket, 'k', { retention, lock }, { versionId }] as const),
        )
        await rejectsAs(set ?? Promise.resolve(), 'locked')
      }
      const longer = retentionOf('COMPLIANCE', 3)
      await change(versioned, first, { retention: longer, lock: now() })
      await assertLocked(versioned, first, { nowMs: long.untilMs })
    })

    it('keeps it when it becomes a former version and the newest one again', async (versioned) => {
      const retention = retentionOf('GOVERNANCE')
      const first = await versioned.put('k', 'one', { attributes: { retention } })
      const second = await versioned.put('k', 'two')
      const copy = await versioned.restore('k', second)
      assert.equal((await attributesOf(versioned, second)).retention, undefined)
      await versioned.purge('k', copy)
      await versioned.purge('k', second)
      assert.deepEqual((await attributesOf(versioned, first)).retention, retention)
      await assertLocked(versioned, first, now())
    })
  })

  describe('a version with a legal hold', () => {
    it('stays until the hold is removed, whatever the rules are', async (versioned) => {
      const first = await versioned.put('k', 'one', { attributes: { legalHold: true } })
      const second = await versioned.put('k', 'two')
      await change(versioned, second, { legalHold: true })
      const all = { nowMs: Date.now() + 1000 * dayMs, bypassesGovernance: true }
      for (const lock of [undefined, now(), all]) {
        await assertLocked(versioned, first, lock)
        await assertLocked(versioned, second, lock)
      }
      const marker = await versioned.mark('k')
      await versioned.assertHistory('k', [marker, second, first])
      await change(versioned, first, { legalHold: false })
      await versioned.purge('k', first)
      await assertLocked(versioned, second, all)
      await versioned.assertHistory('k', [marker, second])
    })

    it('and a retention needs both to end', async (versioned) => {
      const attributes = { legalHold: true, retention: retentionOf('COMPLIANCE') }
      const first = await versioned.put('k', 'one', { attributes })
      await assertLocked(versioned, first, { nowMs: attributes.retention.untilMs })
      await change(versioned, first, { legalHold: false })
      await assertLocked(versioned, first, now())
      const lock = { nowMs: attributes.retention.untilMs }
      assert.ok(await versioned.drive.remove(bucket, 'k', { versionId: first.versionId, lock }))
    })
  })

  describe('an object from before Object Lock', () => {
    it('may be locked as the version null, and is not replaced then', async (versioned) => {
      await versioned.toggle()
      const before = await versioned.put('k', 'before')
      await versioned.toggle()
      const retention = retentionOf('COMPLIANCE')
      await change(versioned, before, { retention, lock: now() })
      const first = await versioned.put('k', 'one')
      await assertLocked(versioned, before, now())
      await versioned.assertHistory('k', [first, before])
      // S3 does not suspend the versions of such a bucket. If another way leads there, nothing is lost.
      await versioned.toggle()
      await rejectsAs(versioned.put('k', 'instead'), 'locked')
      await rejectsAs(versioned.mark('k'), 'locked')
      await versioned.assertHistory('k', [first, before])
    })
  })
}
