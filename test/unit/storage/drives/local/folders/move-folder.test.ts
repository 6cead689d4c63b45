import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { test } from 'node:test'
import { attributesOf, bucket, openDrive, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'

const moving = { beforeMove: async () => undefined, assertMayGoOn: () => undefined }
const place = (key: string) => ({ bucket, key })

test('attributes stay with a folder that is moved on a copy of the drive, and copied again', async (t) => {
  const { drive, root, records } = await openDrive(t)
  const text = 'x'.repeat(10)
  for (const key of ['f/1', 'f/in/2']) await put(drive, key, text)
  const copyOf = async (from: string) => {
    const to = tempFolder(t)
    fs.rmSync(to, { recursive: true })
    execFileSync('cp', ['-a', from, to])
    // The note of the process and its locks are of the other drive.
    fs.rmSync(`${to}/.bucketry`, { recursive: true })
    return await openDrive(t, to, records)
  }
  const copied = await copyOf(root)
  assert.equal(await copied.drive.moveFolder?.(place('f/'), place('g/'), moving), 2)
  const again = await copyOf(copied.root)
  for (const { drive } of [copied, again]) {
    for (const key of ['g/1', 'g/in/2']) {
      assert.deepEqual((await drive.head(bucket, key))?.attributes, attributesOf(text))
    }
  }
})
