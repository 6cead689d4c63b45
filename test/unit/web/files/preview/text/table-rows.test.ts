import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  maxColumns,
  maxRows,
  tableRows,
} from '../../../../../../web/src/files/preview/text/table-rows.ts'
import { cpuMsOf } from '../../../../../support/cpu-time.ts'

const rowsOf = (text: string, isPart = false) => tableRows(text, isPart).rows

describe('tableRows', () => {
  for (const [text, rows] of [
    ['', []],
    ['a', [['a']]],
    [
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a;b;c\n1,5;2;3',
      [
        ['a', 'b', 'c'],
        ['1,5', '2', '3'],
      ],
    ],
    [
      'a\tb\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      '"a,b","c ""d"""\n"e\nf",g',
      [
        ['a,b', 'c "d"'],
        ['e\nf', 'g'],
      ],
    ],
    [
      'a,b,\n,,',
      [
        ['a', 'b', ''],
        ['', '', ''],
      ],
    ],
    ['a"b,"c"d\n', [['a"b', 'cd']]],
    ['a,"open\nto the end', [['a', 'open\nto the end']]],
    ['a\n\nb', [['a'], [''], ['b']]],
  ] as const) {
    test(JSON.stringify(text), () => assert.deepEqual(rowsOf(text), rows))
  }

  test('leaves out the last row of a part, which may be cut', () => {
    assert.deepEqual(rowsOf('a,b\nc,d\ne', true), [
      ['a', 'b'],
      ['c', 'd'],
    ])
  })

  test('has no more columns than a page can show', () => {
    const { rows, hasMoreColumns } = tableRows(`${',x'.repeat(5_000)}\ny`, false)
    assert.deepEqual(
      rows.map(({ length }) => length),
      [maxColumns, 1],
    )
    assert.equal(hasMoreColumns, true)
  })

  test('has no more rows than that', () => {
    const { rows, hasMoreRows } = tableRows('x\n'.repeat(maxRows + 1), false)
    assert.equal(rows.length, maxRows)
    assert.equal(hasMoreRows, true)
    assert.equal(tableRows('x\n'.repeat(maxRows), false).hasMoreRows, false)
  })

  for (const piece of ['"', '""', '",', ',', '"\n', '\n"']) {
    test(`reads long repetitions of ${JSON.stringify(piece)} in linear time`, () => {
      const tookMs = cpuMsOf(() => rowsOf(piece.repeat(2 ** 19)))
      assert.ok(tookMs < 3_000, `${tookMs} ms`)
    })
  }
})
