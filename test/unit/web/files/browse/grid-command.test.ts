import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gridCommand, movedIndex } from '../../../../../web/src/files/browse/grid-command.ts'

const list = { columns: 1 }
const bare = { ctrlKey: false, metaKey: false, shiftKey: false, altKey: false }

describe('gridCommand', () => {
  for (const [key, type] of [
    ['Enter', 'open'],
    ['Backspace', 'up'],
    [' ', 'toggle'],
    ['Escape', 'none'],
    ['Delete', 'delete'],
    ['F2', 'rename'],
  ] as const) {
    test(`takes ${JSON.stringify(key)} for ${type}`, () => {
      assert.deepEqual(gridCommand({ ...bare, key }, list), { type })
    })
  }

  test('extends with shift', () => {
    const command = gridCommand({ ...bare, key: 'ArrowDown', shiftKey: true }, list)
    assert.deepEqual(command, { type: 'move', to: 'row-down', extends: true })
  })

  test('takes the arrows to the sides where something is beside', () => {
    const pressed = { ...bare, key: 'ArrowLeft' }
    const command = gridCommand(pressed, { columns: 2 })
    assert.deepEqual(command, { type: 'move', to: 'previous', extends: false })
  })

  test('selects all with ctrl and with the command key', () => {
    assert.deepEqual(gridCommand({ ...bare, key: 'a', ctrlKey: true }, list), { type: 'all' })
    assert.deepEqual(gridCommand({ ...bare, key: 'A', metaKey: true }, list), { type: 'all' })
  })

  test('cuts and copies, and takes letters for a name', () => {
    assert.deepEqual(gridCommand({ ...bare, key: 'x', ctrlKey: true }, list), { type: 'cut' })
    assert.deepEqual(gridCommand({ ...bare, key: 'c', metaKey: true }, list), { type: 'copy' })
    assert.deepEqual(gridCommand({ ...bare, key: 'Ä', shiftKey: true }, list), {
      ...{ type: 'type', letter: 'Ä' },
    })
    assert.deepEqual(gridCommand({ ...bare, key: '😀' }, list), { type: 'type', letter: '😀' })
  })

  test('ignores the keys of the browser', () => {
    for (const pressed of [
      { ...bare, key: 'p', ctrlKey: true },
      { ...bare, key: 'c', ctrlKey: true, shiftKey: true },
      { ...bare, key: '/' },
      { ...bare, key: '?', shiftKey: true },
      { ...bare, key: 'ArrowLeft', altKey: true },
      { ...bare, key: 'Tab' },
      { ...bare, key: 'ArrowRight' },
      { ...bare, key: 'F5' },
      { ...bare, key: 'F2', shiftKey: true },
      { ...bare, key: 'toString' },
    ]) {
      assert.equal(gridCommand(pressed, list), undefined, pressed.key)
    }
  })
})

describe('movedIndex', () => {
  const bounds = { index: 5, count: 100, columns: 1, page: 10 }
  for (const [to, expected] of [
    ['previous', 4],
    ['next', 6],
    ['row-up', 4],
    ['row-down', 6],
    ['page-up', 0],
    ['page-down', 15],
    ['first', 0],
    ['last', 99],
  ] as const) {
    test(`${to} of row 5 is row ${expected}`, () => assert.equal(movedIndex(to, bounds), expected))
  }

  test('stays within the list and starts at one of its ends', () => {
    assert.equal(movedIndex('next', { ...bounds, index: 99 }), 99)
    assert.equal(movedIndex('next', { ...bounds, index: -1 }), 0)
    assert.equal(movedIndex('previous', { ...bounds, index: -1 }), 99)
    assert.equal(movedIndex('next', { ...bounds, index: -1, count: 0 }), -1)
    assert.equal(movedIndex('row-down', { ...bounds, index: -1, count: 0 }), -1)
    assert.equal(movedIndex('row-up', { ...bounds, index: -1 }), 99)
    assert.equal(movedIndex('row-down', { ...bounds, index: -1 }), 0)
  })

  test('moves by rows of tiles, and stays where no row follows', () => {
    const tiles = { count: 10, columns: 4, page: 8 }
    const down = (index: number) => movedIndex('row-down', { ...tiles, index })
    const up = (index: number) => movedIndex('row-up', { ...tiles, index })
    assert.deepEqual([0, 3, 5, 6, 7, 8, 9].map(down), [4, 7, 9, 9, 9, 8, 9])
    assert.deepEqual([9, 8, 4, 3, 0].map(up), [5, 4, 0, 3, 0])
    assert.equal(movedIndex('page-down', { ...tiles, index: 1 }), 9)
  })
})
