import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KnownAttributes } from '../../../../src/drives/local/known-attributes.ts'
import { ListedFiles, type ObjectCandidate } from '../../../../src/drives/local/listed-files.ts'
import { openLocalRoot } from '../../../../src/drives/local/local-root.ts'
import { MemoryRecords } from './memory-records.ts'
import { log } from './open-drive.ts'
import { tempFolder } from './temp-folder.ts'

test('describe on a disk that fails rejects once, and leaves no rejection behind', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  let calls = 0
  const failure = Object.assign(new Error('no disk'), { code: 'EIO' })
  // The first look fails later, in the thread pool; the second one at once.
  t.mock.method(root.files, 'lstat', () => {
    if (++calls > 1) throw failure
    return new Promise((_, reject) => setImmediate(() => reject(failure)))
  })
  const listed = new ListedFiles(root, new KnownAttributes(new MemoryRecords(), log))
  const candidates = ['a', 'b'].map(
    (key): ObjectCandidate => ({ kind: 'object', key, path: `x/${key}`, isAlternative: false }),
  )
  await assert.rejects(listed.describe('x', candidates), failure)
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(unhandled, [])
})
