import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import {
  barsPath,
  highestOf,
  linePath,
  movedSlot,
  plotTop,
  stacked,
} from '../../../../web/src/plots/plot-shape.ts'

describe('The top of a plot', () => {
  const cases = [
    [0, 1],
    [0.3, 0.4],
    [3, 4],
    [11, 20],
    [41, 60],
    [99, 100],
    [100, 100],
    [101, 200],
    [7_500, 8_000],
  ] as const
  for (const [highest, top] of cases) {
    test(`of ${highest} is ${top}`, () => assert.equal(Number(plotTop(highest).toFixed(9)), top))
  }

  test('of bytes is round in their unit', () => {
    assert.equal(plotTop(3 * 1024, 1024), 4 * 1024)
    assert.equal(plotTop(1000 * 1024, 1024), 1000 * 1024)
    assert.equal(plotTop(1, 1024), 1)
  })

  test('of counts has a whole half', () => {
    assert.equal(plotTop(1, 1000, 2), 2)
    assert.equal(plotTop(0, 1000, 2), 2)
  })

  test('is never below a value, nor far above', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1e-6, max: 1e15, noNaN: true }),
        fc.constantFrom(1000 as const, 1024 as const),
        (highest, base) => {
          const top = plotTop(highest, base)
          return top >= highest * (1 - 1e-9) && top <= highest * 2.01
        },
      ),
    )
  })
})

describe('Bars', () => {
  test('stand on each other', () => {
    assert.deepEqual(
      stacked([
        [1, 2],
        [3, null],
      ]),
      [
        [1, 2],
        [4, 2],
      ],
    )
    assert.equal(
      highestOf(
        [
          [1, 2],
          [3, null],
        ],
        true,
      ),
      4,
    )
    assert.equal(
      highestOf(
        [
          [1, 2],
          [3, null],
        ],
        false,
      ),
      3,
    )
  })

  test('of no height are not drawn', () => {
    assert.equal(barsPath(undefined, [0, 5], 10), 'M1.125 100V50h0.75V100Z')
    assert.equal(barsPath([4, 5], [4, 10], 10), 'M1.125 50V0h0.75V50Z')
  })
})

describe('A line', () => {
  test('has gaps where a value is not known, and dots between gaps', () => {
    assert.equal(linePath([0, 10, null, 5, null], 10), 'M0.5 100L1.5 0M3.5 50h0')
    assert.equal(linePath([null, null], 10), '')
  })
})

describe('The keys of a plot', () => {
  test('move within its times', () => {
    assert.equal(movedSlot('ArrowLeft', 0, 30), 0)
    assert.equal(movedSlot('ArrowLeft', 5, 30), 4)
    assert.equal(movedSlot('ArrowRight', 29, 30), 29)
    assert.equal(movedSlot('PageUp', 5, 30), 8)
    assert.equal(movedSlot('Home', 5, 30), 0)
    assert.equal(movedSlot('End', 5, 30), 29)
  })

  test('other keys do nothing', () => assert.equal(movedSlot('Tab', 5, 30), undefined))
})
