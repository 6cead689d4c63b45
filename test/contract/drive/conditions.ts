import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { WriteConditions } from '../../../src/storage/drives/drive.ts'
import { DriveError } from '../../../src/storage/drives/drive-error.ts'
import {
  assertNoLeftovers,
  type DriveSuite,
  type DriveUnderTest,
  twoDrives,
} from './drive-suite.ts'
import { bucket, bytesOf, get, getText, listKeys, md5Of, put, rejectsAs } from './stored-object.ts'

const writers = 32
const etagOfOld = md5Of(Buffer.from('old'))
const strange = md5Of(Buffer.from('strange'))

interface ConditionCase {
  readonly conditions: WriteConditions
  /** The result on an object with the content `old`. */
  readonly present: 'met' | 'condition'
  readonly absent: 'met' | 'condition' | 'not-found'
}

/** RFC 9110 section 13.1.1 and 13.1.2; If-Match on nothing is 404 as in AWS. */
const conditionCases: readonly ConditionCase[] = [
  { conditions: {}, present: 'met', absent: 'met' },
  { conditions: { ifMatch: '*' }, present: 'met', absent: 'not-found' },
  { conditions: { ifMatch: [etagOfOld] }, present: 'met', absent: 'not-found' },
  { conditions: { ifMatch: [strange, etagOfOld] }, present: 'met', absent: 'not-found' },
  { conditions: { ifMatch: [strange] }, present: 'condition', absent: 'not-found' },
  { conditions: { ifMatch: [] }, present: 'condition', absent: 'not-found' },
  { conditions: { ifNoneMatch: '*' }, present: 'condition', absent: 'met' },
  { conditions: { ifNoneMatch: [etagOfOld] }, present: 'condition', absent: 'met' },
  { conditions: { ifNoneMatch: [strange, etagOfOld] }, present: 'condition', absent: 'met' },
  { conditions: { ifNoneMatch: [strange] }, present: 'met', absent: 'met' },
  {
    conditions: { ifMatch: [etagOfOld], ifNoneMatch: [strange] },
    present: 'met',
    absent: 'not-found',
  },
  {
    conditions: { ifMatch: [etagOfOld], ifNoneMatch: '*' },
    present: 'condition',
    absent: 'not-found',
  },
]

/**
 * Tries every case of the table on an object `k` with the content `old`, and on a missing one. `write`
 * writes `new` to `k` under the conditions, or removes it.
 */
export async function checkConditions(
  { drive }: DriveUnderTest,
  write: (conditions: WriteConditions) => Promise<unknown>,
  written: 'new' | undefined,
): Promise<void> {
  for (const { conditions, present, absent } of conditionCases) {
    for (const [outcome, before] of [[present, 'old'] as const, [absent, undefined] as const]) {
      await drive.remove(bucket, 'k')
      if (before !== undefined) await put(drive, 'k', before)
      if (outcome === 'met') await write(conditions)
      else await rejectsAs(write(conditions), outcome)
      const expected = outcome === 'met' ? written : before
      assert.equal(await getText(drive, 'k'), expected, JSON.stringify({ conditions, before }))
    }
  }
}

/** The number of racing writes that succeeded; the others failed because of the condition. */
async function countWinners(writes: Promise<unknown>[]): Promise<number> {
  let winners = 0
  for (const outcome of await Promise.allSettled(writes)) {
    if (outcome.status === 'fulfilled') winners++
    else {
      const error: unknown = outcome.reason
      assert.ok(error instanceof DriveError, String(error))
      assert.ok(error.kind === 'condition' || error.kind === 'not-found', error.message)
    }
  }
  return winners
}

export function conditionsCases(suite: DriveSuite): void {
  describe('publish with conditions', () => {
    suite.it('follows the table, and leaves the key unchanged when they fail', async (under) => {
      const publish = (conditions: WriteConditions) => put(under.drive, 'k', 'new', { conditions })
      await checkConditions(under, publish, 'new')
      await assertNoLeftovers(under)
    })

    suite.it('checks them at the moment of publishing', async ({ drive }) => {
      const draft = await drive.draft(bucket, 'k', {})
      await draft.write(Buffer.from('late'))
      await put(drive, 'k', 'early')
      const attributes = { etag: md5Of(Buffer.from('late')), headers: {}, metadata: {} }
      await rejectsAs(draft.publish(attributes, { ifNoneMatch: '*' }), 'condition')
      assert.equal(await getText(drive, 'k'), 'early')
    })

    for (const size of [20, 200_000]) {
      suite.itIfAble(
        'atomicWrites',
        `lets one of ${writers} with ifNoneMatch '*' win (${size} bytes)`,
        async (under) => {
          const drives = await twoDrives(under)
          const keys = ['k', 'new/folder/k']
          for (const key of suite.can('anyKeys') ? [...keys, 'beside'] : keys) {
            if (key === 'beside') await put(drives[0], 'beside/b', '')
            const winners = await countWinners(
              Array.from({ length: writers }, (_, index) =>
                put(drives[index & 1 ? 1 : 0], key, bytesOf(size, index), {
                  conditions: { ifNoneMatch: '*' },
                }),
              ),
            )
            assert.equal(winners, 1)
            assert.equal((await get(drives[0], key))?.length, size)
          }
          await assertNoLeftovers(under)
        },
      )
    }

    suite.itIfAble(
      'atomicWrites',
      `lets one of ${writers} with ifMatch of the same ETag win`,
      async (under) => {
        const drives = await twoDrives(under)
        let { attributes } = await put(drives[0], 'k', 'first')
        for (let round = 0; round < 5; round++) {
          const conditions = { ifMatch: [attributes.etag] }
          const writes = Array.from({ length: writers }, (_, index) =>
            put(drives[index & 1 ? 1 : 0], 'k', `round ${round} writer ${index}`, { conditions }),
          )
          assert.equal(await countWinners(writes), 1)
          const bytes = await get(drives[0], 'k')
          const metadata = await drives[1].head(bucket, 'k')
          assert.ok(bytes && metadata)
          assert.equal(metadata.attributes.etag, md5Of(bytes))
          attributes = metadata.attributes
        }
      },
    )
  })

  describe('remove with conditions', () => {
    suite.it('follows the table, and leaves the object when they fail', async (under) => {
      const remove = (conditions: WriteConditions) => under.drive.remove(bucket, 'k', conditions)
      await checkConditions(under, remove, undefined)
    })

    suite.it('compares the time of the last change', async ({ drive }) => {
      await put(drive, 'k', 'same')
      const { modifiedAtMs, attributes } = (await drive.head(bucket, 'k')) ?? assert.fail()
      const ifMatch = [attributes.etag]
      const removed = (ifModifiedAtMs: number) =>
        drive.remove(bucket, 'k', { ifMatch, ifModifiedAtMs })
      await rejectsAs(removed(modifiedAtMs - 1), 'condition')
      assert.equal(await getText(drive, 'k'), 'same')
      assert.ok(await removed(modifiedAtMs))
      await rejectsAs(removed(modifiedAtMs), 'not-found')
    })

    suite.it('leaves the object if the caller may not go on', async ({ drive }) => {
      await put(drive, 'k', 'same')
      const { attributes } = (await drive.head(bucket, 'k')) ?? assert.fail()
      const assertMayGoOn = () => {
        throw new DriveError('changed', 'another process goes on')
      }
      await rejectsAs(drive.remove(bucket, 'k', { assertMayGoOn }), 'changed')
      const ifMatch = [attributes.etag]
      await rejectsAs(drive.remove(bucket, 'k', { ifMatch, assertMayGoOn }), 'changed')
      assert.equal(await getText(drive, 'k'), 'same')
      const goOn = { assertMayGoOn: () => undefined }
      assert.equal((await drive.remove(bucket, 'k', goOn)) !== undefined, true)
      assert.equal((await drive.remove(bucket, 'k', goOn)) !== undefined, false)
    })

    suite.itIfAble(
      'atomicWrites',
      `lets one of ${writers} removals and overwrites win`,
      async (under) => {
        const drives = await twoDrives(under)
        for (let round = 0; round < 5; round++) {
          const { attributes } = await put(drives[0], 'k', `round ${round}`)
          const conditions = { ifMatch: [attributes.etag] }
          const racers = Array.from({ length: writers }, (_, index) => {
            const drive = drives[index & 1 ? 1 : 0]
            if (index % 4 < 2) return drive.remove(bucket, 'k', conditions)
            return put(drive, 'k', `round ${round} writer ${index}`, { conditions })
          })
          assert.equal(await countWinners(racers), 1)
          const text = await getText(drives[0], 'k')
          assert.ok(text === undefined || text.startsWith(`round ${round} writer`))
          assert.deepEqual(await listKeys(drives[1]), text === undefined ? [] : ['k'])
        }
      },
    )

    suite.itIfAble('atomicWrites', 'returns true once for the same object', async (under) => {
      const drives = await twoDrives(under)
      await put(drives[0], 'a/k', 'x')
      const answers = await Promise.all(
        Array.from({ length: writers }, (_, index) =>
          drives[index & 1 ? 1 : 0].remove(bucket, 'a/k'),
        ),
      )
      assert.equal(answers.filter(Boolean).length, 1)
    })
  })
}
