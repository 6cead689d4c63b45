import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import type { Drive } from '../../../src/storage/drives/drive.ts'
import type { Entry, ListQuery } from '../../../src/storage/drives/listed-entry.ts'
import { type DriveSuite, twoDrives } from './drive-suite.ts'
import {
  isAfter,
  listedKeys,
  type ModelEntry,
  modelListing,
  queriesOver,
  textNear,
} from './listing-model.ts'
import { bucket, listAll, listKeys, md5Of, put } from './stored-object.ts'

/** Rounds that write to the drive. Each lists many times, which is cheap. */
const rounds = 25
const queriesPerRound = 30

type Step = { readonly next: number } | { readonly seek: string }

function withoutFacts(entries: readonly Entry[]): ModelEntry[] {
  return entries.map(({ kind, key }) => ({ kind, key }))
}

/** Runs `check` on drives with random sets of keys. */
async function forRandomKeys(
  { drive, numRuns, suite }: { readonly drive: Drive; readonly numRuns: number; suite: DriveSuite },
  check: (keys: string[]) => Promise<void>,
) {
  const keysOf = (all: string[]) => [
    ...suite.beside([...new Set(all.map((key) => suite.legal(key)))]),
  ]
  await fc.assert(
    fc.asyncProperty(
      listedKeys.map(keysOf).filter((keys) => keys.length > 0),
      async (keys) => {
        try {
          for (const key of keys) await put(drive, key, key)
          await check(keys)
        } finally {
          for (const key of keys) await drive.remove(bucket, key)
        }
        await suite.assertEmpty(drive)
      },
    ),
    // Shrinking would repeat the writes hundreds of times.
    { numRuns, endOnFailure: true },
  )
}

/** Queries that the drive can answer. */
function queriesIn(suite: DriveSuite, keys: readonly string[]): fc.Arbitrary<ListQuery> {
  return queriesOver(keys).map((query) => ({
    ...query,
    ...{ prefix: suite.legal(query.prefix), after: suite.legal(query.after) },
  }))
}

async function checkSteps(drive: Drive, query: ListQuery, keys: string[], steps: Step[]) {
  let expected = modelListing(keys, query)
  const cursor = drive.list(bucket, query)
  for (const step of steps) {
    if ('seek' in step) {
      cursor.seek(step.seek)
      expected = expected.filter(({ key }) => key === step.seek || isAfter(key, step.seek))
      continue
    }
    const entries = withoutFacts(await cursor.next(step.next))
    assert.ok(entries.length > 0 || expected.length === 0, 'at least one until the end')
    assert.deepEqual(entries, expected.splice(0, entries.length))
    if (entries.length === 0) break
  }
}

/** The keys of a listing in pages of 7, with something happening between them. */
async function pageThrough(drive: Drive, between: (page: number) => Promise<void>) {
  const cursor = drive.list(bucket, { prefix: '', after: '' })
  const seen: string[] = []
  for (let page = 0; ; page++) {
    const entries = await cursor.next(7)
    if (entries.length === 0) return seen
    seen.push(...entries.map((entry) => entry.key))
    await between(page)
  }
}

export function listingCases(suite: DriveSuite): void {
  // Folders of an earlier round would still be listed.
  const numRuns = suite.can('folderEnds') ? suite.tries(rounds) : 1
  describe('list', () => {
    suite.it(
      'agrees with a naive model for any keys, prefix, after and delimiter',
      async (under) => {
        const { drive } = under
        await forRandomKeys({ drive, numRuns, suite }, async (keys) => {
          const limits = fc.integer({ min: 1, max: 5 })
          for (const [query, limit] of fc.sample(
            fc.tuple(queriesIn(suite, keys), limits),
            queriesPerRound,
          )) {
            const entries = withoutFacts(await listAll(drive, query, { limit }))
            assert.deepEqual(entries, modelListing(keys, query), JSON.stringify(query))
          }
        })
      },
    )

    suite.it('agrees with a naive model with any calls of seek', async ({ drive }) => {
      await forRandomKeys({ drive, numRuns, suite }, async (keys) => {
        const step = fc.oneof(
          fc.integer({ min: 1, max: 4 }).map((next) => ({ next })),
          textNear(keys).map((seek) => ({ seek: suite.legal(seek) })),
        )
        const journeys = fc.tuple(queriesIn(suite, keys), fc.array(step, { maxLength: 8 }))
        for (const [query, steps] of fc.sample(journeys, queriesPerRound)) {
          await checkSteps(drive, query, keys, steps)
        }
      })
    })

    suite.it('returns the same metadata as head', async ({ drive }) => {
      for (const key of suite.beside(['a', 'a/b', 'a/', 'c/d']))
        await put(drive, key, `${key} has its bytes`)
      for (const entry of await listAll(drive)) {
        assert.ok(entry.kind === 'object')
        const metadata = await drive.head(bucket, entry.key)
        assert.equal(entry.size, metadata?.size)
        assert.equal(entry.modifiedAtMs, metadata?.modifiedAtMs)
        assert.equal(entry.etag, metadata?.attributes.etag)
      }
    })

    suite.it('shows a folder that `after` points into while it holds more', async (under) => {
      const { drive } = under
      for (const key of ['a/b', 'a/d', 'b']) await put(drive, key, '')
      const folders = async (after: string) => listKeys(drive, { delimiter: '/', after })
      assert.deepEqual(await folders('a'), ['a/', 'b'])
      assert.deepEqual(await folders('a/'), ['b'])
      assert.deepEqual(await folders('a/b'), ['a/', 'b'])
      assert.deepEqual(await folders('a/c'), ['a/', 'b'])
      assert.deepEqual(await folders('a/d'), ['b'])
      assert.deepEqual(await folders('a0'), ['b'])
    })

    suite.it('seeks behind a folder that `after` points into', async ({ drive }) => {
      for (const key of ['a/b', 'a/d', 'b']) await put(drive, key, '')
      const sought = async (key: string) => {
        const cursor = drive.list(bucket, { prefix: '', after: 'a/c', delimiter: '/' })
        cursor.seek(key)
        return (await cursor.next(9)).map((entry) => entry.key)
      }
      assert.deepEqual(await sought('a'), ['a/', 'b'])
      assert.deepEqual(await sought('a/'), ['a/', 'b'])
      assert.deepEqual(await sought('a/a'), ['b'])
      assert.deepEqual(await sought('a/c'), ['b'])
      assert.deepEqual(await sought('a/d'), ['b'])
    })

    suite.it('shows each object that stays, once, while others come and go', async (under) => {
      const [drive, other] = await twoDrives(under)
      const stable = Array.from({ length: 60 }, (_, index) => `s/${index % 7}/${index}`)
      for (const key of stable) await put(drive, key, '')
      for (let round = 0; round < 4; round++) {
        const seen = await pageThrough(drive, async (page) => {
          const passing = `s/${page % 7}/passing ${page}`
          await put(other, passing, '')
          if (page % 2 === 1) await other.remove(bucket, passing)
        })
        assert.ok(seen.every((key, index) => index === 0 || isAfter(key, seen[index - 1] ?? '')))
        assert.deepEqual(
          stable.filter((key) => !seen.includes(key)),
          [],
        )
      }
    })

    suite.it('shows the writes and removals of another process immediately', async (under) => {
      const [drive, other] = await twoDrives(under)
      const keys: string[] = []
      for (let index = 100; index < 140; index++) {
        keys.push(`f/${index}`)
        await put(index % 2 === 0 ? drive : other, `f/${index}`, String(index))
        assert.deepEqual(await listKeys(drive, { prefix: 'f/' }), keys)
      }
      while (keys.length > 0) {
        await other.remove(bucket, keys.pop() ?? '')
        assert.deepEqual(await listKeys(drive, { prefix: 'f/' }), keys)
      }
    })

    suite.it(
      'shows the size and the ETag of one version while it is overwritten',
      async (under) => {
        const [drive, other] = await twoDrives(under)
        const texts = ['', 'x', 'longer', 'the longest of them']
        const sizes = new Map(texts.map((text) => [md5Of(Buffer.from(text)), text.length]))
        await put(drive, 'a/k', '')
        let isDone = false
        const overwrite = async () => {
          for (let round = 0; round < 60; round++) {
            await put(other, 'a/k', texts[round % texts.length] ?? '')
          }
          isDone = true
        }
        const watch = async () => {
          while (!isDone) {
            // Calls that the kernel answers from memory never yield: the writer needs a turn.
            await setImmediate()
            const [entry] = await listAll(drive)
            assert.ok(entry?.kind === 'object')
            assert.equal(entry.size, sizes.get(entry.etag))
          }
        }
        await Promise.all([overwrite(), watch()])
      },
    )
  })
}
