import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  archivedAs,
  countVersions,
  isNullFile,
  isNullTime,
  isTaken,
  newMarker,
} from '../../../../../../src/storage/drives/local/versions/counted-versions.ts'
import {
  namesOf,
  type StoredVersion,
  timeText,
  versionIdOf,
} from '../../../../../../src/storage/drives/local/versions/version-names.ts'

const base = Date.parse('2026-11-28T10:00:00.000Z')
const enabled = { changes: [base] }
const suspended = { changes: [base, base + 1_000] }
const at = (ms: number) => timeText(base + ms)
const ids = (versions: Iterable<StoredVersion>) => [...versions].map(versionIdOf)
const counted = (...given: Parameters<typeof countVersions>) =>
  countVersions(...given).newestFirst()

/** A file at the key's path. @param links the names in the store that are the same file */
function current(time: string, isNull = false, links: readonly string[] = []) {
  return { time, isNull, isSameFile: ({ name }: StoredVersion) => links.includes(name) }
}

test('the current version counts once, before and after it was stored', () => {
  const stored = namesOf([at(5), at(9)])
  assert.deepEqual(ids(counted(current(at(9)), stored)), [at(5)])
  assert.deepEqual(ids(counted(current(at(12)), stored)), [at(9), at(5)])
  // Edited in place after it was stored, and before it was replaced.
  const edited = countVersions(current(at(12), false, [at(9)]), stored)
  assert.deepEqual([ids(edited.newestFirst()), ids(edited.leftovers)], [[at(5)], [at(9)]])
})

test('a copy that a person restored is not removed', () => {
  const stored = namesOf([at(5), `${at(9)}.deleted`])
  const { newestFirst, leftovers } = countVersions(current(at(5)), stored)
  assert.deepEqual(ids(newestFirst()), [])
  assert.deepEqual(
    leftovers.map(({ name }) => name),
    [`${at(9)}.deleted`],
  )
})

test('a marker counts as soon as the file is gone', () => {
  const stored = namesOf([at(5), at(9), `${at(12)}.deleted`])
  assert.deepEqual(ids(counted(current(at(9), false, [at(9)]), stored)), [at(5)])
  assert.deepEqual(ids(counted(undefined, stored)), [at(12), at(9), at(5)])
  assert.deepEqual(ids(counted(current(at(20)), stored)), [at(12), at(9), at(5)])
})

test('only the newest version with an ID counts', () => {
  const stored = namesOf([`${at(1)}.null`, `${at(9)}.null`, at(5), `${at(12)}~${at(5)}`])
  assert.deepEqual(
    [...counted(undefined, stored)].map(({ name }) => name),
    [`${at(12)}~${at(5)}`, `${at(9)}.null`],
  )
  assert.deepEqual(ids(counted(current(at(20), true), stored)), [at(5)])
})

test('a suspended bucket loses the version null, and no other', () => {
  const stored = namesOf([`${at(-9)}.null`])
  assert.equal(archivedAs(current(at(1_500), true), namesOf([]), true), undefined)
  assert.equal(archivedAs(current(at(5)), stored, true)?.name, at(5))
  assert.equal(newMarker(stored, base + 2_000, true).name, `${at(2_000)}.null.deleted`)
  // A file with an old time, put there by hand.
  assert.equal(archivedAs(current(at(-5), true), stored, false)?.name, at(-5))
  assert.equal(archivedAs(current(at(-5), true), namesOf([]), false)?.name, `${at(-5)}.null`)
  // A copy of the version null, put back by hand, is the same version.
  const copied = archivedAs(current(at(-5), true), namesOf([`${at(-5)}.null`]), false)
  assert.equal(copied?.name, `${at(-4)}~${at(-5)}.null`)
})

test('the order is that of publication, and no ID is used twice', () => {
  const times = fc.integer({ min: -50, max: 50 })
  const steps = fc.array(fc.record({ ms: times, deletes: fc.boolean() }), { maxLength: 30 })
  fc.assert(
    fc.property(steps, (all) => {
      const names: string[] = []
      const stored = namesOf(names)
      const published: string[] = []
      for (const { ms, deletes } of all) {
        const file = current(at(ms))
        if (!deletes && isTaken(undefined, stored, file.time)) continue
        const added = deletes
          ? newMarker(stored, base + ms, false)
          : archivedAs(file, stored, false)
        assert.ok(added)
        published.unshift(versionIdOf(added))
        names.push(added.name)
      }
      assert.deepEqual(ids(counted(undefined, stored)), published)
      assert.equal(new Set(published).size, published.length)
    }),
  )
})

test('there is an order after the last time', () => {
  const last = '99991231T235959.999Z'
  const stored = namesOf([last])
  const next = archivedAs(current(at(1)), stored, false)
  assert.equal(next?.name, `${last}~${at(1)}`)
  assert.deepEqual(ids(namesOf([last, next?.name ?? '']).newestFirst()), [at(1), last])
})

test('a file has the version null if its time as text has', () => {
  const ends = [0, 1_000, 2_000].flatMap((ms) => [-1, -0.5, 0, 0.5].map((part) => base + ms + part))
  for (const modifiedAtMs of [...ends, -1, 0, Date.UTC(10_000, 0) - 1, Date.UTC(10_000, 0)]) {
    for (const versioning of [enabled, suspended]) {
      assert.equal(
        isNullFile(versioning, { modifiedAtMs }),
        isNullTime(versioning, timeText(modifiedAtMs)),
        String(modifiedAtMs),
      )
    }
  }
})
