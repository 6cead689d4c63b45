import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ClashAnswer, ClashAnswers } from '../../../../../web/src/files/change/clash-names.ts'
import type { DroppedItem } from '../../../../../web/src/files/upload/dropped-items.ts'
import { prepareUploads } from '../../../../../web/src/files/upload/prepare-uploads.ts'

const existing = ['in/a.txt', 'in/folder/', 'in/z.txt']

function item(path: string): DroppedItem {
  return { path, file: new File([path], path) }
}

const fileOf = (key: string) =>
  ({ kind: 'file', key, name: key.slice(3), size: 1, modifiedAtMs: 0, etag: `of ${key}` }) as const

async function prepare(
  items: readonly DroppedItem[],
  answer?: ClashAnswer | ClashAnswers,
  underWay = '',
) {
  const asked: (readonly string[])[] = []
  const preparation = await prepareUploads(
    items,
    { bucket: 'b', prefix: 'in/' },
    {
      listKeysAfter: async (startAfter) => ({
        keys: existing.filter((key) => key > startAfter),
        entries: existing.filter((key) => !key.endsWith('/')).map(fileOf),
        isLast: true,
      }),
      underWay: new Set([underWay]),
      ask: async (clashes) => {
        asked.push(clashes.map(({ key }) => key))
        return typeof answer === 'string' ? () => answer : answer
      },
    },
  )
  const orders = preparation.orders.map(({ key, replaces }) => [key, replaces])
  return { asked, orders, tooLong: preparation.tooLong }
}

describe('prepareUploads', () => {
  test('asks no question if no name exists', async () => {
    const { asked, orders } = await prepare([item('x.txt'), item('d/y.txt')])
    assert.deepEqual(asked, [])
    assert.deepEqual(orders, [
      ['in/x.txt', undefined],
      ['in/d/y.txt', undefined],
    ])
  })

  test('asks once about all existing names', async () => {
    const items = [item('a.txt'), item('new.txt'), item('z.txt')]
    const skipped = await prepare(items, 'skip')
    assert.deepEqual(skipped.asked, [['in/a.txt', 'in/z.txt']])
    assert.deepEqual(skipped.orders, [['in/new.txt', undefined]])
    const replaced = await prepare(items, 'replace')
    assert.deepEqual(replaced.orders, [
      ['in/a.txt', 'of in/a.txt'],
      ['in/new.txt', undefined],
      ['in/z.txt', 'of in/z.txt'],
    ])
    const kept = await prepare(items, 'keep-both')
    assert.deepEqual(kept.orders, [
      ['in/a (2).txt', undefined],
      ['in/new.txt', undefined],
      ['in/z (2).txt', undefined],
    ])
  })

  test('applies one answer to each name', async () => {
    const { orders } = await prepare([item('a.txt'), item('z.txt')], (key) =>
      key === 'in/a.txt' ? 'replace' : 'keep-both',
    )
    assert.deepEqual(orders, [
      ['in/a.txt', 'of in/a.txt'],
      ['in/z (2).txt', undefined],
    ])
  })

  test('uploads nothing when the question is closed', async () => {
    assert.deepEqual((await prepare([item('a.txt'), item('new.txt')])).orders, [])
  })

  test('asks about names that are being uploaded', async () => {
    const { asked } = await prepare([item('x.txt')], 'skip', 'in/x.txt')
    assert.deepEqual(asked, [['in/x.txt']])
    const { orders } = await prepare([item('x.txt')], 'replace', 'in/x.txt')
    assert.deepEqual(orders, [['in/x.txt', '*']])
  })

  test('creates empty folders and keeps existing ones', async () => {
    const folder = { path: 'folder/', file: undefined }
    const { asked, orders } = await prepare([folder, { path: 'other/', file: undefined }])
    assert.deepEqual(asked, [])
    assert.deepEqual(orders, [['in/other/', undefined]])
  })

  test('returns the paths that are too long', async () => {
    const long = 'é'.repeat(512)
    const { orders, tooLong } = await prepare([item(long), item('x')])
    assert.deepEqual(tooLong, [`in/${long}`])
    assert.deepEqual(orders, [['in/x', undefined]])
  })
})
