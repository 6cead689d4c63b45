import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openLocalRoot } from '../../../../src/drives/local/local-root.ts'
import { identityOf } from '../../../../src/drives/local/objects/file-identity.ts'
import { RecordSweep } from '../../../../src/drives/local/record-sweep.ts'
import { MemoryRecords } from './memory-records.ts'
import { tempFolder } from './temp-folder.ts'

const minuteMs = 60_000

async function scene(t: TestContext) {
  const path = tempFolder(t)
  const root = await openLocalRoot(path)
  const records = new MemoryRecords()
  const clock = { ms: 0 }
  const sweep = new RecordSweep(root, records, () => clock.ms)
  const save = (identity: string, name: string) =>
    records.save({ identity, path: name, size: 1, modifiedAtMs: 1, json: '{}' }, [])
  /** Creates a file with a record for the path `saved`. */
  const write = async (name: string, saved = name) => {
    const file = join(path, name)
    fs.mkdirSync(join(file, '..'), { recursive: true })
    fs.writeFileSync(file, name)
    const identity = identityOf(fs.lstatSync(file), root.hasBirthtime)
    await save(identity, saved)
    return identity
  }
  const left = () => [...records.records.keys()]
  return { path, root, records, clock, sweep, save, write, left }
}

test('Records of replaced files go, a quarter of an hour after a process was killed', async (t) => {
  const { sweep, clock, save, write, left } = await scene(t)
  await save('old-1', 'photos/a')
  await save('old-2', 'photos/a')
  const living = await write('photos/a')
  await sweep.run()
  sweep.noteDeath()
  await sweep.run()
  clock.ms = 15 * minuteMs - 1
  await sweep.run()
  assert.equal(left().length, 3)
  clock.ms += 1
  await sweep.run()
  assert.deepEqual(left(), [living])
})

test('Records of files that were moved by hand stay, wherever on the drive they are', async (t) => {
  const { sweep, clock, write, left, root } = await scene(t)
  const kept = [
    await write('photos/a'),
    await write('other folder/moved', 'photos/a'),
    await write('photos/deep/er/moved', 'photos/a'),
    await write(`.bucketry/uploads/u/data`, 'photos/a'),
    await write(`.bucketry/tmp/far~1~1/draft`, 'photos/a'),
  ]
  const odd = Buffer.concat([Buffer.from(`${root.path}/photos/`), Buffer.from([0xff])])
  fs.writeFileSync(odd, 'x')
  sweep.noteDeath()
  clock.ms = 15 * minuteMs
  await sweep.run()
  assert.deepEqual(left(), kept)
})

test('A record without another one for its path stays, even without a file', async (t) => {
  const { sweep, clock, save, left } = await scene(t)
  await save('away', 'photos/a')
  sweep.noteDeath()
  clock.ms = 15 * minuteMs
  await sweep.run()
  assert.deepEqual(left(), ['away'])
})

test('A record stays if no file has any record of its path', async (t) => {
  const { sweep, clock, save, left } = await scene(t)
  await save('away-1', 'photos/a')
  await save('away-2', 'photos/a')
  sweep.noteDeath()
  clock.ms = 15 * minuteMs
  await sweep.run()
  assert.deepEqual(left(), ['away-1', 'away-2'])
})

test('Nothing goes while a folder of the drive cannot be read', async (t) => {
  const { sweep, clock, save, write, left, path, root } = await scene(t)
  await save('old', 'photos/a')
  await write('photos/a')
  fs.rmSync(root.ownPath, { recursive: true })
  sweep.noteDeath()
  clock.ms = 15 * minuteMs
  await assert.rejects(sweep.run())
  assert.equal(left().length, 2)
  fs.rmSync(path, { recursive: true })
  await assert.rejects(sweep.run())
  assert.equal(left().length, 2)
})

test('Deaths that follow one another put the sweep off for half an hour at most', async (t) => {
  const { sweep, clock, save, write, left } = await scene(t)
  await save('old', 'photos/a')
  await write('photos/a')
  for (clock.ms = 0; clock.ms < 30 * minuteMs; clock.ms += 5 * minuteMs) {
    sweep.noteDeath()
    await sweep.run()
    assert.equal(left().length, 2)
  }
  await sweep.run()
  assert.equal(left().length, 1)
  // The last death was a moment ago: what it left is swept later.
  await save('old-2', 'photos/a')
  clock.ms += 15 * minuteMs
  await sweep.run()
  assert.equal(left().length, 1)
  await save('old-3', 'photos/a')
  clock.ms += 60 * minuteMs
  await sweep.run()
  assert.equal(left().length, 2)
})
