import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { FileIds } from '../../../../../../src/storage/drives/google/api/google-context.ts'

function countedIds(): { readonly ids: FileIds; readonly batches: () => number } {
  let batches = 0
  const ids = new FileIds(async (count) => {
    batches += 1
    return Array.from({ length: count }, (_, index) => `${batches}-${index}`)
  })
  return { ids, batches: () => batches }
}

describe('FileIds', () => {
  test('returns every id once, from few batches', async () => {
    const { ids, batches } = countedIds()
    const given = await Promise.all(Array.from({ length: 600 }, () => ids.next()))
    assert.equal(new Set(given).size, 600)
    assert.equal(batches(), 2)
  })

  test('reuses ids that were given back', async () => {
    const { ids, batches } = countedIds()
    for (let write = 0; write < 2_000; write++) ids.giveBack(await ids.next())
    assert.equal(batches(), 1)
  })

  test('keeps ids that are given back while a batch is being fetched', async () => {
    const { ids, batches } = countedIds()
    const first = ids.next()
    ids.giveBack('back')
    const given = [
      await first,
      ...(await Promise.all(Array.from({ length: 500 }, () => ids.next()))),
    ]
    assert.ok(given.includes('back'))
    assert.equal(batches(), 1)
  })
})
