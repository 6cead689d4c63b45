import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endingPart } from '../../../../../../src/storage/drives/kit/uploads/upload-rules.ts'

/** A part that records the calls it gets. */
function recorded(commit: () => Promise<string>) {
  const calls: string[] = []
  const part = endingPart({
    write: async () => void calls.push('write'),
    commit: async () => {
      calls.push('commit')
      return await commit()
    },
    discard: async () => void calls.push('discard'),
  })
  return { part, calls }
}

test('a committed part is not discarded and takes no more calls', async () => {
  const { part, calls } = recorded(async () => 'state')
  await part.write(Buffer.from('a'))
  assert.equal(await part.commit(), 'state')
  await part.discard()
  await assert.rejects(part.write(Buffer.from('b')), { kind: 'changed' })
  await assert.rejects(part.commit(), { kind: 'changed' })
  assert.deepEqual(calls, ['write', 'commit'])
})

test('a part whose commit fails is discarded once and takes no more calls', async () => {
  const reason = new Error('no space')
  const { part, calls } = recorded(() => Promise.reject(reason))
  await assert.rejects(part.commit(), reason)
  await part.discard()
  await assert.rejects(part.commit(), { kind: 'changed' })
  assert.deepEqual(calls, ['commit', 'discard'])
})
