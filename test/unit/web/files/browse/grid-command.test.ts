import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gridCommand, movedIndex } from '../../../../../web/src/files/browse/grid-command.ts'

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
      assert.deepEqual(gridCommand({ ...bare, key }), { type })
    })
  }

  test('extends with shift', () => {
    const command = gridCommand({ ...bare, key: 'ArrowDown', shiftKey: true })
    assert.deepEqual(command, { type: 'move', to: 'next', extends: true })
  })

  test('selects all with ctrl and with the command key', () => {
    assert.deepEqual(gridCommand({ ...bare, key: 'a', ctrlKey: true }), { type: 'all' })
    assert.deepEqual(gridCommand({ ...bare, key: 'A', metaKey: true }), { type: 'all' })
  })

  test('cuts and copies, and takes letters for a name', () => {
    assert.deepEqual(gridCommand({ ...bare, key: 'x', ctrlKey: true }), { type: 'cut' })
    assert.deepEqual(gridCommand({ ...bare, key: 'c', metaKey: true }), { type: 'copy' })
    assert.deepEqual(gridCommand({ ...bare, key: 'Ä', shiftKey: true }), {
      ...{ type: 'type', letter: 'Ä' },
    })
    assert.deepEqual(gridCommand({ ...bare, key: '😀' }), { type: 'type', letter: '😀' })
  })

  test('ignores the keys of the browser', () => {
    for (const pressed of [
      { ...bare, key: 'p', ctrlKey: true },
      { ...bare, key: 'c', ctrlKey: true, shiftKey: true },
      { ...bare, key: '/' },
      { ...bare, key: '?', shiftKey: true },
      { ...bare, key: 'ArrowLeft', altKey: true },
      { ...bare, key: 'Tab' },
      { ...bare, key: 'F5' },
      { ...bare, key: 'Delete', shiftKey: true },
      { ...bare, key: 'toString' },
    ]) {
      assert.equal(gridCommand(pressed), undefined, pressed.key)
    }
  })
})

describe('movedIndex', () => {
  const bounds = { index: 5, count: 100, page: 10 }
  for (const [to, expected] of [
    ['previous', 4],
    ['next', 6],
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
    assert.equal(movedIndex('next', { index: -1, count: 0, page: 10 }), -1)
  })
})
