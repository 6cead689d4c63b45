import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeletionReply } from '../../../../../src/dashboard/management/management-schemas.ts'
import { deleteTree } from '../../../../../web/src/files/change/delete-tree.ts'

function reply(state: DeletionReply['state'], deleted: number, message?: string): DeletionReply {
  return {
    ...{
      id: 'd1',
      bucket: 'b',
      prefix: 'p/',
      onlyEmptyFolders: false,
      kind: 'delete',
      trashId: '',
      skipped: 0,
      state,
      deleted,
      message: message ?? null,
    },
    ...{ startedAt: '2026-01-01T00:00:00.000Z', endedAt: null },
  }
}

/** A gateway that answers `replies` one after the other. */
async function run(replies: readonly DeletionReply[], onPause: () => void = () => undefined) {
  const rest = [...replies]
  const calls: string[] = []
  const seen: number[] = []
  const stop = new AbortController()
  const answer = async (call: string) => {
    calls.push(call)
    const next = rest.shift()
    assert.ok(next, `${call} was not expected`)
    return next
  }
  const deleted = deleteTree({
    deletions: {
      start: () => answer('start'),
      find: (id) => answer(`find ${id}`),
      cancel: (id) => answer(`cancel ${id}`),
    },
    report: { signal: stop.signal, progress: (done) => seen.push(done) },
    pause: async () => {
      onPause()
      if (calls.length === 2) stop.abort()
    },
  })
  return { deleted, calls, seen }
}

describe('deleteTree', () => {
  test('polls the progress until the deletion ends', async () => {
    const { deleted, calls, seen } = await run([reply('running', 0), reply('done', 7)])
    assert.deepEqual(await deleted, { deleted: 7, leftOver: undefined })
    assert.deepEqual(calls, ['start', 'find d1'])
    assert.deepEqual(seen, [0, 7])
  })

  test('cancels once, and waits until it has stopped', async () => {
    const { deleted, calls } = await run([
      reply('running', 0),
      reply('running', 3),
      reply('running', 4),
      reply('running', 5),
      reply('cancelled', 6),
    ])
    assert.equal((await deleted).deleted, 6)
    assert.deepEqual(calls, ['start', 'find d1', 'find d1', 'cancel d1', 'find d1'])
  })

  test('returns what remains and why', async () => {
    const { deleted } = await run([reply('done', 2, 'The folder stays.')])
    assert.deepEqual(await deleted, { deleted: 2, leftOver: 'The folder stays.' })
  })

  test('reports the progress of a failed deletion', async () => {
    const { deleted } = await run([reply('failed', 3, 'the drive is gone')])
    await assert.rejects(deleted, /Stopped after deleting 3 objects: the drive is gone/)
    const interrupted = await run([reply('interrupted', 1)])
    await assert.rejects(interrupted.deleted, /the gateway was stopped/)
  })
})
