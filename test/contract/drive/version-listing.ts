import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { FolderEntry } from '../../../src/storage/drives/listed-entry.ts'
import { versionsOf } from '../../../src/storage/drives/unversioned.ts'
import type { VersionEntry, VersionQuery } from '../../../src/storage/drives/versions.ts'
import { isFull } from '../../support/test-groups.ts'
import type { DriveSuite } from './drive-suite.ts'
import { isAfter, listedKeys, queriesOver, textNear } from './listing-model.ts'
import { bucket, sortedKeys } from './stored-object.ts'
import { itIn, type Kept, listVersions, type VersionedBucket } from './versioned-bucket.ts'

type Histories = Readonly<Record<string, readonly Kept[]>>

/** What a listing shows, in words. */
type Shown = string

const versionsOfOneKey = isFull ? 1_000 : 300
const queriesPerRound = 40

/** The promises of VersionQuery as simple code. */
function modelOf(histories: Histories, query: VersionQuery): Shown[] {
  const shown = new Set<Shown>()
  for (const key of sortedKeys(Object.keys(histories))) {
    if (!key.startsWith(query.prefix)) continue
    for (const { versionId } of restOf(histories, key, query)) {
      const end = query.delimiter ? key.indexOf('/', query.prefix.length) : -1
      const folder = key.slice(0, end + 1)
      if (end < 0) shown.add(`${versionId} of ${key}`)
      else if (folder !== query.after) shown.add(`folder ${folder}`)
    }
  }
  return [...shown]
}

/** The versions of a key that come after the start of the listing. */
function restOf(histories: Histories, key: string, query: VersionQuery): readonly Kept[] {
  const history = histories[key] ?? []
  if (key !== query.after) return isAfter(key, query.after) ? history : []
  const { afterVersionId } = query
  if (afterVersionId === undefined) return []
  return history.slice(history.findIndex(({ versionId }) => versionId === afterVersionId) + 1)
}

async function shownBy(
  versioned: VersionedBucket,
  query: Partial<VersionQuery>,
  limit?: number,
): Promise<Shown[]> {
  return (await listVersions(versioned.drive, query, limit)).map(shownOf)
}

function shownOf(entry: VersionEntry | FolderEntry): Shown {
  return entry.kind === 'folder' ? `folder ${entry.key}` : `${entry.versionId} of ${entry.key}`
}

/** Gives each key one to four versions and markers, some of them `null`. */
async function fill(versioned: VersionedBucket, keys: readonly string[]): Promise<Histories> {
  const histories: Record<string, Kept[]> = {}
  if (versioned.versioning.isEnabled !== true) await versioned.toggle()
  for (const [index, key] of keys.entries()) {
    const history = [await versioned.put(key, `one of ${key}`)]
    for (let more = index % 4; more > 0; more--) {
      const isMarker = (index + more) % 3 === 0
      history.unshift(isMarker ? await versioned.mark(key) : await versioned.put(key, `${more}`))
    }
    histories[key] = history
  }
  await versioned.toggle()
  for (const key of keys.filter((_, index) => index % 5 === 1)) {
    histories[key]?.unshift(await versioned.put(key, 'null'))
  }
  return histories
}

async function purgeAll(versioned: VersionedBucket, histories: Histories): Promise<void> {
  for (const [key, history] of Object.entries(histories)) {
    for (const version of history) await versioned.purge(key, version)
  }
}

/** Queries over these histories. If a listing begins at a key with versions, it often begins among them. */
function queriesIn(suite: DriveSuite, histories: Histories): fc.Arbitrary<VersionQuery> {
  return fc.tuple(queriesOver(Object.keys(histories)), fc.nat()).map(([query, pick]) => {
    const { prefix, after, ...rest } = query
    const legal = { ...rest, prefix: suite.legal(prefix), after: suite.legal(after) }
    const history = histories[legal.after] ?? []
    const version = history[pick % (history.length + 1)]
    return version === undefined ? legal : { ...legal, afterVersionId: version.versionId }
  })
}

/** What separate listings show, each of which continues after the last entry of the one before. */
async function pageThrough(
  { drive }: VersionedBucket,
  limit: number,
  visit: (entry: VersionEntry) => Promise<void>,
): Promise<Shown[]> {
  const seen: Shown[] = []
  let start: Pick<VersionQuery, 'after' | 'afterVersionId'> = { after: '' }
  for (;;) {
    const page = await versionsOf(drive, bucket, { prefix: '', ...start }).next(limit)
    if (page.length === 0) return seen
    for (const entry of page) {
      seen.push(shownOf(entry))
      if (entry.kind === 'folder') assert.fail('there is no delimiter')
      await visit(entry)
      start = { after: entry.key, afterVersionId: entry.versionId }
    }
  }
}

export function versionListingCases(suite: DriveSuite): void {
  const it = itIn(suite)
  const numRuns = suite.can('folderEnds') ? suite.tries(12) : 1

  describe('a listing of versions', () => {
    const keysOf = (all: string[]) => [
      ...suite.beside([...new Set(all.map((key) => suite.legal(key)))]),
    ]
    const randomKeys = listedKeys.map(keysOf).filter((keys) => keys.length > 0)

    it('agrees with a naive model for any keys, prefix, start and delimiter', async (versioned) => {
      const check = async (keys: string[]) => {
        const histories = await fill(versioned, keys)
        const limits = fc.integer({ min: 1, max: 5 })
        const queries = fc.tuple(queriesIn(suite, histories), limits)
        for (const [query, limit] of fc.sample(queries, queriesPerRound)) {
          const shown = await shownBy(versioned, query, limit)
          assert.deepEqual(shown, modelOf(histories, query), JSON.stringify(query))
        }
        await versioned.assertHistories(histories)
        await purgeAll(versioned, histories)
        await versioned.assertHistories({})
      }
      await fc.assert(fc.asyncProperty(randomKeys, check), { numRuns, endOnFailure: true })
    })

    it('agrees with a naive model with any calls of seek', async (versioned) => {
      const check = async (keys: string[]) => {
        const histories = await fill(versioned, keys)
        const journeys = fc.tuple(
          queriesIn(suite, histories),
          fc.array(fc.tuple(fc.integer({ min: 1, max: 4 }), textNear(keys)), { maxLength: 6 }),
        )
        for (const [query, steps] of fc.sample(journeys, queriesPerRound)) {
          await checkSteps(versioned, { histories, query }, steps)
        }
        await purgeAll(versioned, histories)
      }
      const checkSteps = async (
        { drive }: VersionedBucket,
        { histories, query }: { histories: Histories; query: VersionQuery },
        steps: readonly [limit: number, seek: string][],
      ) => {
        let expected = modelOf(histories, query)
        const cursor = versionsOf(drive, bucket, query)
        for (const [limit, seek] of steps) {
          const entries = await cursor.next(limit)
          assert.ok(entries.length > 0 || expected.length === 0, 'at least one until the end')
          const shown = entries.map(shownOf)
          assert.deepEqual(shown, expected.splice(0, shown.length), JSON.stringify(query))
          if (entries.length === 0) break
          const from = suite.legal(seek)
          cursor.seek(from)
          expected = expected.filter((one) => {
            const key = one.slice(one.indexOf(' ') + 1).replace(/^of /, '')
            return key === from || isAfter(key, from)
          })
        }
      }
      await fc.assert(fc.asyncProperty(randomKeys, check), { numRuns, endOnFailure: true })
    })

    it(`continues within ${versionsOfOneKey} versions of one key`, async (versioned) => {
      await versioned.toggle()
      const history: Kept[] = []
      for (let round = 0; round < suite.tries(versionsOfOneKey); round++) {
        history.unshift(
          round % 7 === 6 ? await versioned.mark('a/k') : await versioned.put('a/k', `${round}`),
        )
      }
      const histories = { 'a/k': history, 'a/k2': [await versioned.put('a/k2', 'next')] }
      const expected = modelOf(histories, { prefix: '', after: '' })
      assert.deepEqual(await shownBy(versioned, {}, 10_000), expected)
      assert.deepEqual(await shownBy(versioned, {}, 7), expected)
      const seen = await pageThrough(versioned, 50, async () => undefined)
      assert.deepEqual(seen, expected)
      assert.deepEqual(await shownBy(versioned, { delimiter: '/' }), ['folder a/'])
    })

    it('continues after a version that was removed meanwhile', async (versioned) => {
      const before = await versioned.put('a', 'before')
      await versioned.toggle()
      const histories: Record<string, Kept[]> = { a: [before], b: [] }
      for (const key of ['a', 'b', 'a', 'b', 'a', 'a', 'b', 'a']) {
        histories[key]?.unshift(await versioned.put(key, key))
        const isMarked = key === 'b'
        if (isMarked) histories[key]?.unshift(await versioned.mark(key))
      }
      const expected = modelOf(histories, { prefix: '', after: '' })
      // As a client removes all versions of a bucket: each page before it asks for the next one.
      const seen = await pageThrough(versioned, 2, async ({ key, versionId }) => {
        assert.ok(await versioned.drive.remove(bucket, key, { versionId }))
      })
      assert.deepEqual(seen, expected)
      await versioned.assertHistories({})
    })

    it('shows a folder in which there are only delete markers', async (versioned) => {
      await versioned.toggle()
      await versioned.mark('d/e/k')
      assert.deepEqual(await shownBy(versioned, { delimiter: '/' }), ['folder d/'])
      assert.deepEqual(await shownBy(versioned, { delimiter: '/', prefix: 'd/' }), ['folder d/e/'])
      assert.deepEqual(await shownBy(versioned, { delimiter: '/', after: 'd/' }), [])
    })
  })
}
