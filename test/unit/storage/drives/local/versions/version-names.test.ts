import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  FolderIndex,
  NamePacker,
  nameFlags,
} from '../../../../../../src/storage/drives/local/folders/folder-index.ts'
import { countVersions } from '../../../../../../src/storage/drives/local/versions/counted-versions.ts'
import { versionsIn } from '../../../../../../src/storage/drives/local/versions/stored-versions.ts'
import {
  namesOf,
  type StoredVersion,
  storedVersion,
  timeIn,
  timeText,
  versionIdOf,
  versionNamed,
  versionsNamed,
} from '../../../../../../src/storage/drives/local/versions/version-names.ts'

const [firstMs, lastMs] = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'].map(Date.parse)
const times = fc.integer({ min: firstMs ?? 0, max: lastMs ?? 0 })
const versions = fc
  .record({ order: times, time: times, isNull: fc.boolean(), isDeleteMarker: fc.boolean() })
  .map(({ order, time, ...rest }) => versionOf(timeText(order), timeText(time), rest))

/** With the later one of the two as its order. */
function versionOf(one: string, two: string, rest: Omit<StoredVersion, 'name' | 'order' | 'time'>) {
  const [time = '', order = ''] = [one, two].sort()
  return storedVersion({ order, time, ...rest })
}

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
    ...[
      `${time}~20270101T000000.000Z`,
      `${time} copy`,
      '20261328T101112.123Z',
      'notes.txt',
      '',
      '..',
      `${time}\n`,
    ],
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

test('what is named in a large folder is read as in a small one', () => {
  const near = fc.integer({ min: 0, max: 4 }).map((ms) => timeText(Date.UTC(2026) + ms))
  const flags = { isNull: fc.boolean(), isDeleteMarker: fc.boolean() }
  const stored = fc
    .record({ order: near, time: near, ...flags })
    .map(({ order, time, ...rest }) => versionOf(order, time, rest))
  const current = fc.option(fc.record({ time: near, isNull: fc.boolean() }), { nil: undefined })
  const versionIds = fc.oneof(near, fc.constant('null'), fc.constant('.'), fc.constant(''))
  fc.assert(
    fc.property(fc.array(stored), current, versionIds, (versions, file, versionId) => {
      const names = [...versions.map(({ name }) => name), 'README', `${versionId}.txt`]
      const packer = new NamePacker()
      // Twice, as if the folder had been read again.
      for (const name of [...names, ...names]) packer.add(name, 0)
      packer.add(timeText(0), nameFlags.encoded)
      packer.add(timeText(0), nameFlags.folder)
      const own = file && { ...file, isSameFile: () => false }
      const [small, large] = [
        namesOf([...new Set(names)]),
        versionsIn(new FolderIndex(packer.pack())),
      ].map((names) => countVersions(own, names))
      const all = [...(small?.newestFirst() ?? [])]
      assert.deepEqual([...(large?.newestFirst() ?? [])], all)
      assert.deepEqual(large?.leftovers, small?.leftovers)
      // Only one version has an ID, and each part of a listing is the same.
      const found = all.filter((one) => versionIdOf(one) === versionId)
      assert.ok(found.length < 2)
      assert.deepEqual([small?.withId(versionId), large?.withId(versionId)], [found[0], found[0]])
      for (const [index, { name }] of all.entries()) {
        assert.deepEqual([...(small?.newestFirst(name) ?? [])], all.slice(index + 1))
        assert.deepEqual([...(large?.newestFirst(name) ?? [])], all.slice(index + 1))
      }
    }),
  )
})
