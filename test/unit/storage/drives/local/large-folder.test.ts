import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { bucket, openDrive } from './open-drive.ts'

const fileCount = 100_000
/** On a busy machine the same work takes up to twice the CPU time. Reading the folder takes five times this. */
const longestSliceMs = 50

/** The longest CPU time of this thread between two runs of a timer during `work`. */
async function longestSliceOf(work: () => Promise<void>): Promise<number> {
  let longestMs = 0
  let before = process.threadCpuUsage()
  const clock = setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
    before = process.threadCpuUsage()
  }, 1)
  try {
    await work()
  } finally {
    clearInterval(clock)
  }
  return longestMs
}

test(`the first listing of a folder with ${fileCount} files keeps other requests waiting for less than ${longestSliceMs} ms`, async (t) => {
  const { drive, folder } = await openDrive(t)
  const large = join(folder, 'large')
  fs.mkdirSync(large)
  for (let number = 0; number < fileCount; number++) {
    fs.closeSync(fs.openSync(join(large, `${1_000_000 + number}`), 'w'))
  }
  const keys: string[] = []
  const list = async () => {
    const cursor = drive.list(bucket, { prefix: 'large/', after: '', delimiter: '/' })
    for (const { key } of await cursor.next(1_000)) keys.push(key)
  }
  const sliceMs = await longestSliceOf(list)
  t.diagnostic(`longest time without a turn: ${sliceMs.toFixed(1)} ms of CPU`)
  assert.deepEqual([keys[0], keys.length, keys.at(-1)], ['large/1000000', 1_000, 'large/1000999'])
  assert.ok(sliceMs < longestSliceMs, `${sliceMs} ms of CPU without a turn`)
})
