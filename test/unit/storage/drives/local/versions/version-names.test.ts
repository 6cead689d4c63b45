import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countVersions } from '../../../../../../src/storage/drives/local/versions/counted-versions.ts'
import {
  storedVersion,
  timeIn,
  timeText,
  versionIdOf,
  versionNamed,
  versionsNamed,
  versionsNamedFor,
} from '../../../../../../src/storage/drives/local/versions/version-names.ts'

const [firstMs, lastMs] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map(Date.parse)
const times = fc.integer({ min: firstMs ?? 0, max: lastMs ?? 0 })
const versions = fc
  .record({ order: times, time: times, isNull: fc.boolean(), isDeleteMarker: fc.boolean() })
  .map(({ order, time, ...rest }) =>
    storedVersion({ order: timeText(order), time: timeText(time), ...rest }),
  )

test('a time and its text are the same, in the same order', () => {
  fc.assert(
    fc.property(times, times, (a, b) => {
      assert.equal(timeIn(timeText(a)), a)
      assert.equal(timeText(a) < timeText(b), a < b)
    }),
  )
  assert.equal(timeText(Date.parse('2026-11-28T10:11:12.123Z') + 0.99), '20261128T101112.123Z')
  for (const text of ['', 'now', '20261128T101112.123', '20260230T101112.123Z', '2026', 'null']) {
    assert.equal(timeIn(text), undefined)
  }
})

test('a version and its name are the same', () => {
  fc.assert(
    fc.property(versions, (version) => assert.deepEqual(versionNamed(version.name), version)),
  )
})

test('the name of another file is no version', () => {
  const time = '20261128T101112.123Z'
  for (const name of [
    ...[`${time}~${time}`, `${time}.deleted.null`, `${time}.txt`, `.${time}`, `${time}.null.null`],
    ...[`${time} copy`, '20261328T101112.123Z', 'notes.txt', '', '..', `${time}\n`],
  ]) {
    assert.equal(versionNamed(name), undefined, name)
  }
})

test('versions are in the order of their publication, the newest first, whatever their IDs', () => {
  fc.assert(
    fc.property(fc.uniqueArray(versions, { selector: ({ order }) => order }), (all) => {
      const sorted = versionsNamed([...all.map(({ name }) => name), 'notes.txt'])
      const orders = sorted.map(({ order }) => order)
      assert.equal(sorted.length, all.length)
      assert.deepEqual(orders, orders.toSorted().toReversed())
    }),
  )
})

test('one version is found among the newest and those with its ID as among all', () => {
  const near = fc.integer({ min: 0, max: 4 }).map((ms) => timeText(Date.UTC(2026) + ms))
  const flags = { isNull: fc.boolean(), isDeleteMarker: fc.boolean() }
  const stored = fc.record({ order: near, time: near, ...flags }).map(storedVersion)
  const current = fc.option(fc.record({ time: near, isNull: fc.boolean() }), { nil: undefined })
  const versionIds = fc.oneof(near, fc.constant('null'), fc.constant('.'))
  fc.assert(
    fc.property(fc.array(stored), current, versionIds, (versions, file, versionId) => {
      const names = [...new Set(versions.map(({ name }) => name)), 'README', `${versionId}.txt`]
      const own = file && { ...file, isSameFile: () => false }
      const find = (read: typeof versions) =>
        countVersions(own, read).counted.find((one) => versionIdOf(one) === versionId)
      assert.deepEqual(find(versionsNamedFor(versionId, names)), find(versionsNamed(names)))
    }),
  )
})

test('to find one version, only few are held', () => {
  const names = Array.from({ length: 10_000 }, (_, ms) => timeText(Date.UTC(2026) + ms))
  const [oldest = ''] = names
  const found = versionsNamedFor(oldest, names).map(({ name }) => name)
  assert.deepEqual(found, [names[9_999], names[9_998], oldest])
})
