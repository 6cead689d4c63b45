import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import { assertNoLeftovers, type DriveSuite, twoDrives } from './drive-suite.ts'
import { bucket, bytesOf, getText, put, rejectsAs } from './stored-object.ts'
import { itIn, type Kept, listVersions, type VersionedBucket } from './versioned-bucket.ts'

const racers = 24

/** The versions of the only key, the newest first. */
async function idsOf(drive: Drive): Promise<string[]> {
  const entries = await listVersions(drive)
  return entries.map((entry) => (entry.kind === 'object' ? entry.versionId : assert.fail()))
}

/** Puts the versions in the order in which the drive lists them. */
async function assertAllThere(versioned: VersionedBucket, all: readonly Kept[]): Promise<void> {
  const ids = await idsOf(versioned.drive)
  assert.deepEqual([...ids].sort(), all.map(({ versionId }) => versionId).sort())
  const byId = new Map(all.map((kept) => [kept.versionId, kept]))
  await versioned.assertHistory(
    'a/k',
    ids.map((id) => byId.get(id) ?? assert.fail(id)),
  )
}

export function versionRaceCases(suite: DriveSuite): void {
  if (!suite.can('atomicWrites')) return
  const it = itIn(suite)

  describe('versions that several processes write', () => {
    for (const size of [20, 200_000]) {
      it(`are all kept (${size} bytes)`, async (versioned) => {
        await versioned.toggle()
        const drives = await twoDrives(versioned.under)
        const all: Kept[] = []
        for (let round = 0; round < suite.tries(3); round++) {
          const writes = Array.from({ length: racers }, async (_, index) => {
            const text = bytesOf(size + index, round).toString('latin1')
            const { versionId = '' } = await put(drives[index & 1 ? 1 : 0], 'a/k', text)
            return { versionId, text }
          })
          all.push(...(await Promise.all(writes)))
        }
        await assertAllThere(versioned, all)
        await assertNoLeftovers(versioned.under)
      })
    }

    it('and delete are all kept, with a marker for each deletion', async (versioned) => {
      await versioned.toggle()
      const drives = await twoDrives(versioned.under)
      const all: Kept[] = []
      for (let round = 0; round < suite.tries(3); round++) {
        const work = Array.from({ length: racers }, async (_, index): Promise<Kept> => {
          const drive = drives[index & 1 ? 1 : 0]
          if (index % 4 < 2) {
            const removal = await drive.remove(bucket, 'a/k')
            assert.equal(removal?.isDeleteMarker, true)
            return { versionId: removal?.versionId ?? '', text: undefined }
          }
          const text = `round ${round} writer ${index}`
          const { versionId = '' } = await put(drive, 'a/k', text)
          return { versionId, text }
        })
        all.push(...(await Promise.all(work)))
        await assertAllThere(versioned, all)
      }
      await assertNoLeftovers(versioned.under)
    })

    it('are one if all have the same condition', async (versioned) => {
      await versioned.toggle()
      const drives = await twoDrives(versioned.under)
      let kept = 0
      for (let round = 0; round < 3; round++) {
        await versioned.mark('a/k')
        const writes = Array.from({ length: racers }, (_, index) =>
          put(drives[index & 1 ? 1 : 0], 'a/k', `${round} ${index}`, {
            conditions: { ifNoneMatch: '*' },
          }),
        )
        const results = await Promise.allSettled(writes)
        for (const result of results) {
          if (result.status === 'rejected')
            await rejectsAs(Promise.reject(result.reason), 'condition')
        }
        assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1)
        kept += 2
        assert.equal((await idsOf(versioned.drive)).length, kept)
      }
    })

    it('and remove permanently lose none that is not removed', async (versioned) => {
      await versioned.toggle()
      const drives = await twoDrives(versioned.under)
      let kept: Kept[] = []
      for (let round = 0; round < suite.tries(4); round++) {
        const doomed = kept
        const added = Array.from({ length: racers / 2 }, async (_, index): Promise<Kept> => {
          const text = `round ${round} writer ${index}`
          const { versionId = '' } = await put(drives[index & 1 ? 1 : 0], 'a/k', text)
          return { versionId, text }
        })
        const removed = doomed.map(async ({ versionId }, index) =>
          drives[index & 1 ? 0 : 1].remove(bucket, 'a/k', { versionId }),
        )
        const removals = await Promise.all(removed)
        assert.equal(removals.filter(Boolean).length, doomed.length)
        kept = await Promise.all(added)
        await assertAllThere(versioned, kept)
      }
      await assertNoLeftovers(versioned.under)
    })

    it('remove a version once, and promote the next one once', async (versioned) => {
      await versioned.toggle()
      const drives = await twoDrives(versioned.under)
      const first = await versioned.put('a/k', 'one')
      for (let round = 0; round < suite.tries(5); round++) {
        const { versionId } = await versioned.put('a/k', `round ${round}`)
        const removals = await Promise.all(
          Array.from({ length: 8 }, (_, index) =>
            drives[index & 1 ? 1 : 0].remove(bucket, 'a/k', { versionId }),
          ),
        )
        assert.equal(removals.filter(Boolean).length, 1)
        await versioned.assertHistory('a/k', [first])
      }
      await assertNoLeftovers(versioned.under)
    })

    it('leave no folder when they are removed together, the newest first', async (versioned) => {
      if (!suite.can('removeBucket')) return
      const { drive } = versioned
      await versioned.toggle()
      for (let round = 0; round < suite.tries(3); round++) {
        const kept = [await versioned.put('a/k', 'one'), await versioned.put('a/k', 'two')]
        kept.unshift(await versioned.mark('a/k'))
        await Promise.all(kept.map(({ versionId }) => drive.remove(bucket, 'a/k', { versionId })))
      }
      assert.equal(await drive.removeBucket(bucket), true)
      await drive.addBucket(bucket)
    })
  })

  describe('readers of a key with versions', () => {
    it('always see one while versions are written and removed', async (versioned) => {
      await versioned.toggle()
      const [drive, other] = await twoDrives(versioned.under)
      await versioned.put('a/k', 'round 0')
      let isDone = false
      const read = async (reader: Drive) => {
        while (!isDone) {
          const text = await getText(reader, 'a/k').catch(whenChanged)
          assert.match(
            text ?? 'no object',
            suite.can('keptVersions') ? /^round/ : /^(round|changed)/,
          )
          const entries = await listVersions(reader, { prefix: 'a/k' })
          const latest = entries.filter((entry) => entry.kind === 'object' && entry.isLatest)
          assert.ok(entries.length > 0 && latest.length <= 1)
          const ids = new Set(entries.map((entry) => entry.kind === 'object' && entry.versionId))
          assert.equal(ids.size, entries.length, 'no version twice')
        }
      }
      const write = async () => {
        for (let round = 1; round <= suite.tries(60); round++) {
          const { versionId = '' } = await put(round & 1 ? drive : other, 'a/k', `round ${round}`)
          if (round % 3 === 0) await other.remove(bucket, 'a/k', { versionId })
        }
      }
      const writing = write().finally(() => {
        isDone = true
      })
      await Promise.all([read(drive), read(other), writing])
    })
  })
}

function whenChanged(error: unknown): string {
  if (error instanceof DriveError && error.kind === 'changed') return 'changed'
  throw error
}
