import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { TurnTaker } from '../../../../../../src/platform/process/turn-taker.ts'
import {
  describeListed,
  type LocalCandidate,
} from '../../../../../../src/storage/drives/local/folders/listing.ts'
import { openLocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { AttributeCache } from '../../../../../../src/storage/drives/local/objects/attribute-cache.ts'
import { MemoryRecords } from '../memory-records.ts'
import { log } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

test('describe rejects once on a failing disk, without unhandled rejections', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  mkdirSync(`${root.path}/x`)
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  t.after(() => process.off('unhandledRejection', note))
  let calls = 0
  const failure = Object.assign(new Error('no disk'), { code: 'EIO' })
  // The first look-up fails later, in the thread pool; the second one immediately.
  t.mock.method(root.files, 'lstat', () => {
    if (++calls > 1) throw failure
    return new Promise((_, reject) => setImmediate(() => reject(failure)))
  })
  const drive = { root, attributeCache: new AttributeCache(new MemoryRecords(), log) }
  const candidates = ['a', 'b'].map(
    (key): LocalCandidate => ({ kind: 'object', key, path: `x/${key}`, isAlternative: false }),
  )
  await assert.rejects(describeListed(drive, 'x', candidates, new TurnTaker()), failure)
  await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(unhandled, [])
})

test('describe yields to other work while the database answers for a thousand files', async (t) => {
  const root = await openLocalRoot(tempFolder(t))
  mkdirSync(`${root.path}/x`)
  const candidates = Array.from({ length: 1_000 }, (_, number): LocalCandidate => {
    writeFileSync(`${root.path}/x/${number}`, '')
    return { kind: 'object', key: `${number}`, path: `x/${number}`, isAlternative: false }
  })
  const records = new MemoryRecords()
  const asked: { files: number; turn: number }[] = []
  let turn = 0
  t.mock.method(records, 'findMany', async (identities: readonly string[]) => {
    asked.push({ files: identities.length, turn })
    // SQLite runs in this thread.
    const start = performance.now()
    while (performance.now() - start < 6);
    return new Map()
  })
  // Node runs immediates in the order in which they were set, so this one comes first in each turn.
  let immediate = setImmediate(function next() {
    turn++
    immediate = setImmediate(next)
  })
  t.after(() => clearImmediate(immediate))
  const drive = { root, attributeCache: new AttributeCache(records, log) }
  const entries = await describeListed(drive, 'x', candidates, new TurnTaker())
  assert.equal(entries.length, candidates.length)
  assert.deepEqual(
    asked.map(({ files }) => files),
    [...Array.from({ length: 15 }, () => 64), 40],
  )
  for (const [index, { turn }] of asked.entries()) {
    assert.ok(turn > (asked[index - 1]?.turn ?? -1), `no turn before batch ${index}`)
  }
})
