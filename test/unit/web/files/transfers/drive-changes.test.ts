import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type DriveChange,
  DriveChanges,
} from '../../../../../web/src/files/transfers/drive-changes.ts'

function added(key: string): DriveChange {
  return { type: 'added', bucket: 'b', file: { key, size: 1, modifiedAtMs: 0, etag: '' } }
}

function keysOf(changes: readonly DriveChange[]): readonly string[] {
  return changes.map((change) => (change.type === 'added' ? change.file.key : ''))
}

test('lists get the changes of a moment together, in their order', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const changes = new DriveChanges()
  const batches: (readonly string[])[] = []
  const end = changes.subscribeToBatches((batch) => batches.push(keysOf(batch)))
  changes.publish(added('1'))
  changes.publish(added('2'))
  assert.deepEqual(batches, [])
  t.mock.timers.tick(200)
  assert.deepEqual(batches, [['1', '2']])
  t.mock.timers.tick(10_000)
  assert.equal(batches.length, 1)
  changes.publish(added('3'))
  end()
  t.mock.timers.tick(10_000)
  assert.equal(batches.length, 1)
})

test('after many changes, a batch has those of a longer time', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const changes = new DriveChanges()
  const sizes: number[] = []
  changes.subscribeToBatches((batch) => sizes.push(batch.length))
  // One in ten milliseconds.
  for (let index = 0; index < 1_000; index++) {
    changes.publish(added(String(index)))
    t.mock.timers.tick(10)
  }
  assert.ok(sizes.length <= 11, `${sizes.length} updates of a list in 10 s`)
})
