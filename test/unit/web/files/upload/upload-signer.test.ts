import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mostPresigned } from '../../../../../src/dashboard/management/replies.ts'
import { ApiError } from '../../../../../web/src/api/api-error.ts'
import type { UploadOrder } from '../../../../../web/src/files/upload/upload-item.ts'
import { batchSize, UploadSigner } from '../../../../../web/src/files/upload/upload-signer.ts'

const orderOf = (key: string): UploadOrder => ({
  ...{ bucket: 'b', folder: '', key, file: new File([], key), replaces: undefined },
})

function startSigner(waiting: UploadOrder[]) {
  const asked: string[][] = []
  const state = { now: 0, refused: '' }
  const signer = new UploadSigner({
    async sign(orders) {
      const keys = orders.map(({ key }) => key)
      asked.push(keys)
      if (keys.includes(state.refused)) throw new ApiError('no', { status: 400 })
      return keys.map((key) => `url of ${key}, ${asked.length}`)
    },
    upcoming: (count) => waiting.slice(0, count),
    now: () => state.now,
  })
  return { signer, asked, state }
}

describe('UploadSigner', () => {
  const many = Array.from({ length: 250 }, (_, index) => orderOf(`k${index}`))

  test('asks for as many signatures as the service gives at once', () => {
    assert.equal(batchSize, mostPresigned)
  })

  test('signs in batches ahead of the uploads, each once', async () => {
    const waiting = [...many]
    const { signer, asked } = startSigner(waiting)
    while (waiting.length > 0) {
      const order = waiting.shift() as UploadOrder
      assert.match(await signer.urlOf(order), new RegExp(`^url of ${order.key}, `))
    }
    assert.deepEqual(
      asked.flat(),
      many.map(({ key }) => key),
    )
    assert.ok(asked.length <= 5, `${asked.length} requests`)
  })

  test('signs again for another attempt', async () => {
    const { signer, asked } = startSigner([])
    assert.equal(await signer.urlOf(orderOf('a')), 'url of a, 1')
    assert.equal(await signer.urlOf(orderOf('a')), 'url of a, 2')
    assert.deepEqual(asked, [['a'], ['a']])
  })

  test('a refused name fails alone', async () => {
    const { signer, state } = startSigner([orderOf('bad'), orderOf('good')])
    state.refused = 'bad'
    assert.match(await signer.urlOf(orderOf('first')), /^url of first/)
    await assert.rejects(signer.urlOf(orderOf('bad')), ApiError)
    assert.match(await signer.urlOf(orderOf('good')), /^url of good/)
  })

  test('uses no signature that has waited long', async () => {
    const waiting = [orderOf('later')]
    const { signer, state, asked } = startSigner(waiting)
    await signer.urlOf(orderOf('first'))
    waiting.pop()
    state.now = 11 * 60_000
    assert.equal(await signer.urlOf(orderOf('later')), `url of later, ${asked.length}`)
    assert.deepEqual(asked.at(-1), ['later'])
  })
})
