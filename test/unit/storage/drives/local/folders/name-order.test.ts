import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { NameOrder } from '../../../../../../src/storage/drives/local/folders/name-order.ts'

/** Names as they occur together in large folders: long common beginnings, numbers, few or many bytes. */
const piece = fc.constantFrom(
  '',
  'a',
  'b',
  '/',
  '\0',
  '0',
  '1',
  'é',
  '\uffff',
  '😀',
  'x'.repeat(40),
)
const name = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.nat(5_000).map((number) => `2026-11/backup-of-the-server-${number}.tar`),
  fc.nat(5_000).map((number) => `2026-11/backup-of-the-other-${number}`),
  fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => text.isWellFormed()),
)
const names = fc.array(name, { maxLength: 400, size: 'max' })

function orderOf(list: readonly string[], compareEqual: (a: number, b: number) => number) {
  const buffers = list.map((text) => Buffer.from(text))
  const starts = new Uint32Array(list.length + 1)
  for (const [index, { length }] of buffers.entries()) {
    starts[index + 1] = (starts[index] ?? 0) + length
  }
  const bytes = Buffer.concat(buffers)
  return [...new NameOrder({ bytes, starts }, list.length, compareEqual).sorted()]
}

function byBytes(list: readonly string[]): number[] {
  const compare = (a: number, b: number) =>
    Buffer.compare(Buffer.from(list[a] ?? ''), Buffer.from(list[b] ?? '')) || a - b
  return [...list.keys()].sort(compare)
}

test('sorted returns names in the order of their bytes, and equal names as compareEqual decides', () => {
  fc.assert(
    fc.property(names, (list) => {
      assert.deepEqual(
        orderOf(list, (a, b) => a - b),
        byBytes(list),
      )
    }),
    { numRuns: 300 },
  )
})

test('compareEqual is called for each two equal names that become neighbors', () => {
  fc.assert(
    fc.property(names, (list) => {
      const compared = new Set<string>()
      const order = orderOf(list, (a, b) => {
        compared.add(`${Math.min(a, b)} ${Math.max(a, b)}`)
        return a - b
      })
      for (const [position, one] of order.entries()) {
        const other = order[position + 1]
        if (other === undefined || list[one] !== list[other]) continue
        assert.ok(compared.has(`${Math.min(one, other)} ${Math.max(one, other)}`))
      }
    }),
  )
})

test('sorted sorts names whose beginnings differ at every length', () => {
  // Each name but one continues the common beginning: a new group at every byte.
  const list = Array.from({ length: 1_000 }, (_, length) => `${'b'.repeat(length)}a`)
  assert.deepEqual(
    orderOf(list, () => 0),
    byBytes(list),
  )
})
