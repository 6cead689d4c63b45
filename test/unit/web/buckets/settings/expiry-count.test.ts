import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ExpiryDryRunReply } from '../../../../../src/dashboard/management/management-schemas.ts'
import {
  countExpired,
  deletesObjects,
  type ExpiryCount,
  expiryText,
} from '../../../../../web/src/buckets/settings/expiry-count.ts'

const rule = {
  ...{ id: 'a', prefix: '', days: null, date: null, abortUploadsDays: null },
  isEnabled: true,
}

describe('deletesObjects', () => {
  for (const [name, change, expected] of [
    ['days', { days: 1 }, true],
    ['a date', { date: '2030-01-31' }, true],
    ['days of former versions', { noncurrentDays: 1 }, true],
    ['delete markers', { expiresMarkers: true }, true],
    ['delete markers that stay', { expiresMarkers: false }, false],
    ['only days of uploads', { abortUploadsDays: 1 }, false],
    ['days, but is disabled', { days: 1, isEnabled: false }, false],
  ] as const) {
    test(`is ${expected} for a rule that has ${name}`, () => {
      assert.equal(deletesObjects([{ ...rule, ...change }]), expected)
    })
  }
})

const none = { count: 0, bytes: 0 }

describe('countExpired', () => {
  test('adds up all parts of the bucket, and reports each sum', async () => {
    const parts: ExpiryDryRunReply[] = [
      { objects: 0, bytes: 0, oldest: null, formerVersions: none, next: 'b' },
      {
        ...{ objects: 2, bytes: 20, oldest: '2024-02-01T00:00:00.000Z', next: 'c' },
        formerVersions: { count: 1, bytes: 7 },
      },
      {
        ...{ objects: 1, bytes: 5, oldest: '2023-02-01T00:00:00.000Z', next: 'd' },
        formerVersions: { count: 2, bytes: 3 },
      },
      { objects: 0, bytes: 0, oldest: null, formerVersions: none, next: null },
    ]
    const asked: string[] = []
    const sums: ExpiryCount[] = []
    const ask = async (after: string): Promise<ExpiryDryRunReply> => {
      const part = parts[asked.push(after) - 1]
      assert.ok(part)
      return part
    }
    const count = await countExpired(ask, (sum) => sums.push(sum))
    assert.deepEqual(asked, ['', 'b', 'c', 'd'])
    const oldest = '2023-02-01T00:00:00.000Z'
    const formerVersions = { count: 3, bytes: 10 }
    assert.deepEqual(count, { objects: 3, bytes: 25, oldest, formerVersions, isComplete: true })
    assert.deepEqual(
      sums.map(({ objects, isComplete }) => [objects, isComplete]),
      [
        [0, false],
        [2, false],
        [3, false],
        [3, true],
      ],
    )
  })

  test('fails with the part that fails', async () => {
    const ask = () => Promise.reject(new Error('no drive'))
    await assert.rejects(
      countExpired(ask, () => undefined),
      /no drive/,
    )
  })
})

describe('expiryText', () => {
  const nowMs = Date.parse('2026-03-02T00:00:00Z')
  const count = {
    ...{ objects: 1_234, bytes: 2_048, oldest: '2024-03-01T12:00:00.000Z' },
    formerVersions: none,
  }

  test('says how many former versions', () => {
    const formerVersions = { count: 2, bytes: 1_024 }
    const both = expiryText({ ...count, formerVersions, isComplete: true }, nowMs)
    assert.match(both, /deletes 1,234 objects, 2.00 KiB in total, and 2 former versions, 1.00 KiB /)
    const sum = { ...count, objects: 0, oldest: null, formerVersions, isComplete: true }
    assert.match(expiryText(sum, nowMs), /^Saving deletes 2 former versions, 1.00 KiB in total, /)
  })

  test('says how many objects, how much and how old', () => {
    const text = expiryText({ ...count, isComplete: true }, nowMs)
    assert.match(text, /^Saving deletes 1,234 objects, 2.00 KiB in total, within seconds\. /)
    assert.match(text, /The oldest was last changed 2 years ago, on Mar 1, 2024/)
  })

  test('says that more may follow while it counts', () => {
    const sum = { ...count, objects: 1, isComplete: false }
    assert.match(expiryText(sum, nowMs), /^Saving deletes at least 1 object, /)
    assert.equal(expiryText({ ...sum, objects: 0 }, nowMs), 'Nothing found so far.')
    assert.equal(expiryText(undefined, nowMs), 'Nothing found so far.')
  })
})
