import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  filtered,
  groupsOf,
  periodOf,
  sumOf,
  sumsAt,
  timesOf,
  type UsageRow,
} from '../../../../web/src/models/usage/usage-sums.ts'

const day = (text: string) => `${text}T00:00:00.000Z`

function row(given: Partial<UsageRow>): UsageRow {
  return {
    ...{ from: day('2026-11-01'), keyId: '', connectionId: 'one', model: 'lab/big' },
    ...{ requests: 1, errors: 0, fallbacks: 0, inputTokens: 0, outputTokens: 0 },
    ...{ dollars: 0, receivedBytes: 0, sentBytes: 0, firstByteMs: 0 },
    ...given,
  }
}

describe('The times of a period', () => {
  test('are days in UTC up to today', () => {
    const times = timesOf(periodOf('7d'), Date.parse('2026-11-26T23:59:59Z'))
    assert.equal(times.length, 7)
    assert.equal(times[0], Date.parse(day('2026-11-20')))
    assert.equal(times.at(-1), Date.parse(day('2026-11-26')))
  })

  test('of an unknown period are 30 days', () => {
    assert.equal(timesOf(periodOf('never'), 0).length, 30)
  })
})

describe('Sums of usage', () => {
  const rows = [
    row({ requests: 1, firstByteMs: 100, inputTokens: 5 }),
    row({ requests: 3, firstByteMs: 500, inputTokens: 7, model: 'lab/small', keyId: 'k' }),
    row({ from: day('2026-11-03'), requests: 9, errors: 2, fallbacks: 1 }),
  ]

  test('weigh the mean time by requests', () => {
    const { firstByteMs, inputTokens, requests } = sumOf(rows.slice(0, 2))
    assert.deepEqual(
      { firstByteMs, inputTokens, requests },
      {
        ...{ firstByteMs: 400, inputTokens: 12, requests: 4 },
      },
    )
    assert.equal(sumOf([]).firstByteMs, null)
  })

  test('have a time for each, also without calls', () => {
    const times = ['2026-11-01', '2026-11-02', '2026-11-03'].map((one) => Date.parse(day(one)))
    assert.deepEqual(
      sumsAt(rows, times).map(({ requests }) => requests),
      [4, 0, 9],
    )
  })

  test('are in order of requests, and times in order of time', () => {
    assert.deepEqual(
      groupsOf(rows, 'model').map(({ of }) => of),
      ['lab/big', 'lab/small'],
    )
    assert.deepEqual(
      groupsOf(rows, 'from').map(({ of }) => of),
      [day('2026-11-03'), day('2026-11-01')],
    )
  })

  test('can be those of the key with an empty id alone', () => {
    const all = { keyId: null, connectionId: null, model: null }
    assert.equal(filtered(rows, all).length, 3)
    assert.equal(filtered(rows, { ...all, keyId: '' }).length, 2)
    assert.equal(filtered(rows, { ...all, keyId: 'k', model: 'lab/big' }).length, 0)
  })
})
