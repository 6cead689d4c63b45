import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compareKeys, sortKeys } from '../../../../../../src/platform/text/key-order.ts'
import {
  FolderIndex,
  NamePacker,
  nameFlags,
} from '../../../../../../src/storage/drives/local/folders/folder-index.ts'

const segment = fc
  .string({ unit: fc.constantFrom('a', 'b', '-', '.', '0', '\uffff', '😀', 'é'), maxLength: 4 })
  .filter((text) => text.isWellFormed())
const names = fc.uniqueArray(fc.record({ segment, isFolder: fc.boolean() }), {
  selector: ({ segment, isFolder }) => (isFolder ? `${segment}/` : segment),
  maxLength: 40,
})

function indexOf(list: readonly { segment: string; isFolder: boolean }[]): FolderIndex {
  const packer = new NamePacker()
  for (const { segment, isFolder } of list) packer.add(segment, isFolder ? nameFlags.folder : 0)
  return new FolderIndex(packer.pack())
}

test('pack sorts names in key order, folders with their slash', () => {
  fc.assert(
    fc.property(names, (list) => {
      const index = indexOf(list)
      const expected = sortKeys(
        list.map(({ segment, isFolder }) => segment + (isFolder ? '/' : '')),
      )
      const packed = expected.map((_, position) => index.name(position))
      assert.deepEqual(packed, expected)
      assert.equal(index.count, expected.length)
      for (const [position, name] of expected.entries()) {
        assert.equal(index.hasFlag(position, nameFlags.folder), name.endsWith('/'))
      }
    }),
  )
})

test('lowerBound finds the first name that is not less', () => {
  fc.assert(
    fc.property(names, segment, (list, wanted) => {
      const index = indexOf(list)
      const position = index.lowerBound(wanted)
      if (position > 0) assert.ok(compareKeys(index.name(position - 1), wanted) < 0)
      if (position < index.count) assert.ok(compareKeys(index.name(position), wanted) >= 0)
    }),
  )
})

test('pack keeps the file at the natural path when an object has two', () => {
  const packer = new NamePacker()
  packer.add('a', nameFlags.alternative | nameFlags.encoded)
  packer.add('b', nameFlags.alternative | nameFlags.encoded)
  packer.add('a', 0)
  packer.add('b', nameFlags.folder)
  const index = new FolderIndex(packer.pack())
  const listed = Array.from({ length: index.count }, (_, position) => [
    index.name(position),
    index.hasFlag(position, nameFlags.alternative),
  ])
  assert.deepEqual(listed, [
    ['a', false],
    ['b', true],
    ['b/', false],
  ])
})

test('pack grows for very many names', () => {
  const packer = new NamePacker()
  const count = 20_000
  for (let name = 0; name < count; name++) packer.add(String((name * 7919) % count), 0)
  const index = new FolderIndex(packer.pack())
  const expected = Array.from({ length: count }, (_, name) => String(name)).sort()
  assert.equal(index.count, count)
  for (const [position, name] of expected.entries()) assert.equal(index.name(position), name)
})
