/**
 * A separate process with a drive, for tests of races and crashes: its first argument names the work,
 * below `root`, with records in `root/records.db`.
 */

import { openDatabase } from '../../../../../src/platform/state/open-database.ts'
import { openLocalDrive } from '../../../../../src/storage/drives/local/local-drive.ts'
import { DatabaseFileRecords } from '../../../../../src/storage/drives/local/objects/file-record-table.ts'
import { bucket, get, log, put } from './open-drive.ts'

const [task = '', root = '', name = '', seconds = '1'] = process.argv.slice(2)
const database = await openDatabase(
  { kind: 'sqlite', path: `${root}/records.db` },
  { migrate: false },
)
const records = new DatabaseFileRecords(database)
const drive = await openLocalDrive({ root: `${root}/drive`, records, log })
await drive.prepare([bucket])
const endsAt = Date.now() + Number(seconds) * 1000

/** Increments a number in an object with If-Match until the time is over. */
async function count(): Promise<number> {
  let added = 0
  while (Date.now() < endsAt) {
    const before = await get(drive, 'counter')
    const text = `${Number(before?.text) + 1}`
    try {
      // The text differs in length and content, so that no two versions have the same ETag.
      await put(drive, 'counter', text, { ifMatch: [before?.etag ?? ''] })
      added++
    } catch (error) {
      if ((error as { kind?: string }).kind !== 'condition') throw error
    }
  }
  return added
}

/** Takes a key with If-None-Match and removes it: no other process may have it meanwhile. */
async function take(): Promise<number> {
  let taken = 0
  while (Date.now() < endsAt) {
    try {
      await put(drive, 'taken', name, { ifNoneMatch: '*' })
    } catch (error) {
      if ((error as { kind?: string }).kind === 'condition') continue
      throw error
    }
    if ((await get(drive, 'taken'))?.text !== name) throw new Error('somebody else has it too')
    if (!(await drive.remove(bucket, 'taken'))) throw new Error('somebody else removed it')
    taken++
  }
  return taken
}

/** Writes and removes keys with conflicting folders; it must always find its own. */
async function churn(): Promise<number> {
  const keys = ['f', 'f/g', 'f/g/', `f/g/${name}`, `f/${name}`, `f/${name}/x`]
  let rounds = 0
  for (; Date.now() < endsAt; rounds++) {
    const own = keys.filter((key) => key.includes(name))
    for (const key of keys) await put(drive, key, `${key} ${name} ${rounds}`)
    for (const key of own) {
      const found = await get(drive, key)
      if (found?.text !== `${key} ${name} ${rounds}`) throw new Error(`lost ${key}: ${found?.text}`)
    }
    for (const key of keys) await drive.remove(bucket, key)
    for (const key of own) {
      if (await drive.head(bucket, key)) throw new Error(`${key} came back`)
    }
  }
  return rounds
}

/** Overwrites objects until it is killed, and prints the acknowledged versions. */
async function write(): Promise<number> {
  for (let version = 1; ; version++) {
    for (const key of ['a', 'a/b', `deep/${version % 7}/er/k`, 'large']) {
      const size = key === 'large' ? 200_000 : 10
      await put(drive, key, `${name} ${version} ${'x'.repeat(size)}`)
      process.stdout.write(`put ${key} ${version}\n`)
    }
    await drive.remove(bucket, `deep/${version % 7}/er/k`)
    process.stdout.write(`removed deep/${version % 7}/er/k ${version}\n`)
  }
}

const tasks: Record<string, () => Promise<number>> = { count, take, churn, write }
process.stdout.write(`result ${await tasks[task]?.()}\n`)
await drive.close()
await records.close()
await database.close()
