import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  nothingSelected,
  reduceSelection,
  type Selection,
  type SelectionAction,
} from '../../../../../web/src/files/browse/selection.ts'

const order = ['a', 'b', 'c', 'd', 'e']

function after(...actions: readonly SelectionAction[]): Selection {
  return actions.reduce(reduceSelection, nothingSelected)
}

const selected = (selection: Selection) => [...selection.selected].sort()

describe('reduceSelection', () => {
  test('toggle selects and unselects', () => {
    const once = after({ type: 'toggle', key: 'b' })
    assert.deepEqual(selected(once), ['b'])
    assert.equal(once.active, 'b')
    assert.deepEqual(selected(reduceSelection(once, { type: 'toggle', key: 'b' })), [])
  })

  test('range extends from the last chosen row in both directions', () => {
    const down = after({ type: 'only', key: 'b' }, { type: 'range', key: 'd', order })
    assert.deepEqual(selected(down), ['b', 'c', 'd'])
    const up = reduceSelection(down, { type: 'range', key: 'a', order })
    assert.deepEqual(selected(up), ['a', 'b'])
    assert.equal(up.active, 'a')
  })

  test('reveal selects what is added, one after the other, until a person selects', () => {
    const once = after(
      { type: 'activate', key: 'e' },
      { type: 'reveal', keys: ['b'], isMore: false },
    )
    assert.deepEqual([selected(once), once.active], [['b'], 'b'])
    const twice = reduceSelection(once, { type: 'reveal', keys: ['c'], isMore: true })
    assert.deepEqual([selected(twice), twice.active], [['b', 'c'], 'b'])
    const next = reduceSelection(twice, { type: 'reveal', keys: ['d'], isMore: false })
    assert.deepEqual([selected(next), next.active], [['d'], 'd'])
    const own = reduceSelection(twice, { type: 'only', key: 'a' })
    assert.deepEqual(
      selected(reduceSelection(own, { type: 'reveal', keys: ['d'], isMore: true })),
      ['a'],
    )
  })

  test('what an action adds takes the place of what was selected before the action', () => {
    const begun = after({ type: 'only', key: 'a' }, { type: 'release' })
    assert.deepEqual(selected(begun), ['a'])
    const reveal = { type: 'reveal', keys: ['d'], isMore: false } as const
    assert.deepEqual(selected(reduceSelection(begun, reveal)), ['d'])
    const meanwhile = reduceSelection(begun, { type: 'only', key: 'b' })
    assert.deepEqual(selected(reduceSelection(meanwhile, reveal)), ['b'])
  })

  test('what was selected before an action stays after a move to another row, until it adds', () => {
    const moved = after(
      { type: 'only', key: 'a' },
      { type: 'release' },
      { type: 'activate', key: 'c' },
    )
    assert.deepEqual([selected(moved), moved.active], [['a'], 'c'])
    const added = reduceSelection(moved, { type: 'reveal', keys: ['d'], isMore: false })
    assert.deepEqual(selected(added), ['d'])
  })

  test('what was only revealed is not selected after a move to another row', () => {
    const moved = after(
      { type: 'reveal', keys: ['b'], isMore: false },
      { type: 'activate', key: 'c' },
    )
    assert.deepEqual([selected(moved), moved.active], [[], 'c'])
    const own = after({ type: 'only', key: 'b' }, { type: 'activate', key: 'c' })
    assert.deepEqual(selected(own), ['b'])
  })

  test('range restarts when its anchor is not shown', () => {
    const other = after({ type: 'only', key: 'gone' }, { type: 'range', key: 'c', order })
    assert.deepEqual(selected(other), ['c'])
  })

  test('range extends from the active row', () => {
    const moved = after({ type: 'activate', key: 'c' }, { type: 'range', key: 'd', order })
    assert.deepEqual(selected(moved), ['c', 'd'])
  })

  test('all selects the shown rows; none clears the selection and keeps the active row', () => {
    const all = after({ type: 'activate', key: 'c' }, { type: 'all', order })
    assert.deepEqual(selected(all), order)
    const none = reduceSelection(all, { type: 'none' })
    assert.deepEqual(selected(none), [])
    assert.equal(none.active, 'c')
  })

  test('drop moves the active row to the one that replaces it', () => {
    const before = after({ type: 'only', key: 'c' }, { type: 'toggle', key: 'd' })
    const dropped = reduceSelection(before, { type: 'drop', keys: new Set(['c', 'd']), order })
    assert.deepEqual(selected(dropped), [])
    assert.equal(dropped.active, 'e')
  })

  test('drop of the last row activates the one before it; drop of all activates none', () => {
    const before = after({ type: 'only', key: 'e' })
    const keys = new Set(['d', 'e'])
    assert.equal(reduceSelection(before, { type: 'drop', keys, order }).active, 'c')
    const all = new Set(order)
    assert.equal(reduceSelection(before, { type: 'drop', keys: all, order }).active, undefined)
  })

  test('drop of other rows keeps the active row', () => {
    const before = after({ type: 'only', key: 'b' })
    const dropped = reduceSelection(before, { type: 'drop', keys: new Set(['c']), order })
    assert.deepEqual(selected(dropped), ['b'])
    assert.equal(dropped.active, 'b')
  })
})
