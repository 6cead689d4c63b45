import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  storedVersion,
  timeIn,
  timeText,
  versionNamed,
  versionsNamed,
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
