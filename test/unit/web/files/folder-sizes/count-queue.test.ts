import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CountQueue,
  type WantedCount,
} from '../../../../../web/src/files/folder-sizes/count-queue.ts'
import { until } from '../../../dashboard/management/management-fixture.ts'

function open(start: (wanted: WantedCount) => Promise<void>) {
  const failures: unknown[] = []
  const pauses: PromiseWithResolvers<void>[] = []
  const queue = new CountQueue({
    start,
    isFull: (error) => error instanceof RangeError,
    pause() {
      const pause = Promise.withResolvers<void>()
      pauses.push(pause)
      return pause.promise
    },
    onFailure: (error) => failures.push(error),
  })
  const waiting = () => queue.snapshot().map(({ prefix }) => prefix)
  return { queue, failures, pauses, waiting }
}

test('folders are counted one after the other, each once, and wait while the service is full', async () => {
  const started: string[] = []
  let isFull = false
  const { queue, pauses, waiting } = open(async ({ prefix }) => {
    if (isFull) throw new RangeError('full')
    started.push(prefix)
    isFull = started.length === 1
  })
  queue.add('b', ['1/', '2/'])
  queue.add('b', ['2/', '3/'])
  assert.deepEqual(waiting(), ['1/', '2/', '3/'])
  await until(() => pauses.length === 1)
  assert.deepEqual([started, waiting()], [['1/'], ['2/', '3/']])
  isFull = false
  pauses[0]?.resolve()
  await until(() => waiting().length === 0)
  assert.deepEqual(started, ['1/', '2/', '3/'])
  queue.add('b', ['1/'])
  await until(() => started.length === 4)
})

test('a folder that does not wait any more is not counted', async () => {
  const started: string[] = []
  const first = Promise.withResolvers<void>()
  const { queue, waiting } = open(async ({ prefix }) => {
    started.push(prefix)
    await first.promise
  })
  queue.add('b', ['1/', '2/', '3/'])
  queue.drop(({ prefix }) => prefix !== '3/')
  first.resolve()
  await until(() => waiting().length === 0)
  assert.deepEqual(started, ['1/', '3/'])
})

test('a failure is told once, and ends what waits', async () => {
  const { queue, failures, waiting } = open(async () => {
    throw new Error('away')
  })
  queue.add('b', ['1/', '2/'])
  await until(() => waiting().length === 0)
  assert.deepEqual(failures, [new Error('away')])
})
