import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { DroppedItem } from '../../../../../web/src/files/upload/dropped-items.ts'
import { UploadIntake } from '../../../../../web/src/files/upload/upload-intake.ts'
import type { UploadOrder } from '../../../../../web/src/files/upload/upload-item.ts'

const folder = { bucket: 'b', prefix: '' }

function item(path: string): DroppedItem {
  return { path, file: new File([], path) }
}

/** Waits for `held`, if given, while preparing the item `held`. */
function startIntake(held?: Promise<void>) {
  const queued: UploadOrder[] = []
  const failures: unknown[] = []
  const tooLong: string[] = []
  const intake = new UploadIntake({
    async prepare(items, { bucket }) {
      if (items.some(({ path }) => path === 'held')) await held
      return {
        orders: items.flatMap(({ path, file }) =>
          file === undefined ? [] : [{ bucket, key: path, file, folder: '', replaces: undefined }],
        ),
        tooLong: items.filter(({ path }) => path === 'long').map(({ path }) => path),
      }
    },
    enqueue: (orders) => queued.push(...orders),
    onTooLong: (keys) => tooLong.push(...keys),
    onFailure: (error) => failures.push(error),
  })
  return { intake, queued, failures, tooLong }
}

describe('UploadIntake', () => {
  test('queues one drop after the other', async () => {
    const { intake, queued } = startIntake()
    const first = Promise.withResolvers<readonly DroppedItem[]>()
    intake.take(folder, () => first.promise)
    intake.take(folder, async () => [item('second')])
    await turn()
    assert.deepEqual(queued, [])
    first.resolve([item('first')])
    await turn()
    assert.deepEqual(
      queued.map(({ key }) => key),
      ['first', 'second'],
    )
    assert.equal(intake.snapshot(), 0)
  })

  test('reports its progress', async () => {
    const { intake } = startIntake()
    const held = Promise.withResolvers<readonly DroppedItem[]>()
    intake.take(folder, ({ onFound }) => {
      onFound(3)
      return held.promise
    })
    await turn()
    assert.equal(intake.snapshot(), 3)
    held.resolve([])
    await turn()
    assert.equal(intake.snapshot(), 0)
  })

  test('discards a cancelled drop and continues with the next', async () => {
    const held = Promise.withResolvers<void>()
    const { intake, queued, failures } = startIntake(held.promise)
    intake.take(folder, async () => [item('held')])
    intake.take(folder, async () => [item('next')])
    await turn()
    intake.cancel()
    held.resolve()
    await turn()
    assert.deepEqual(
      queued.map(({ key }) => key),
      ['next'],
    )
    assert.deepEqual(failures, [])
  })

  test('reports names that are too long, and failures', async () => {
    const { intake, tooLong, failures } = startIntake()
    intake.take(folder, async () => [item('long')])
    intake.take(folder, async () => {
      throw new Error('no')
    })
    await turn()
    assert.deepEqual(tooLong, ['long'])
    assert.equal(failures.length, 1)
  })
})
