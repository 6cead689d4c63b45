import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { mock, type TestContext, test } from 'node:test'
import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { LocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { tempFolder } from '../temp-folder.ts'

type Done = (error: Error | null) => void

/** The flushes in progress. The functions are mocked before the module that uses them is loaded. */
const flushes: Done[] = []
mock.method(fs, 'fdatasync', (_: number, done: Done) => flushes.push(done))
const { OutputFile } = await import(
  '../../../../../../src/storage/drives/local/objects/output-file.ts'
)
const { PacedFiles } = await import(
  '../../../../../../src/storage/drives/local/objects/paced-files.ts'
)

const mebibyte = Buffer.alloc(1024 * 1024, 1)

/** Writes a file in mebibytes. */
class Upload {
  readonly file: InstanceType<typeof OutputFile>
  #written = 0

  constructor(t: TestContext) {
    flushes.length = 0
    const path = join(tempFolder(t), 'file')
    const root = { files: new PacedFiles(false) } as LocalRoot
    this.file = new OutputFile(root, path, fs.openSync(path, 'wx'))
    t.after(() => this.file.close())
  }

  async write(mebibytes: number): Promise<void> {
    for (let count = 0; count < mebibytes; count++) {
      await this.file.write(mebibyte, this.#written)
      this.#written += mebibyte.length
    }
  }
}

test('a file is flushed every 8 MiB, one flush at a time, and the next one covers what arrived meanwhile', async (t) => {
  const upload = new Upload(t)
  await upload.write(7)
  assert.equal(flushes.length, 0)
  await upload.write(1)
  assert.equal(flushes.length, 1)
  await upload.write(20)
  assert.equal(flushes.length, 1)
  flushes.pop()?.(null)
  await turnOfTheLoop()
  await upload.write(1)
  assert.equal(flushes.length, 1)
  flushes.pop()?.(null)
  await turnOfTheLoop()
  await upload.write(7)
  assert.equal(flushes.length, 0)
})

test('a write waits for the disk when 32 MiB are not flushed', async (t) => {
  const upload = new Upload(t)
  await upload.write(8 + 31)
  let isWritten = false
  const writing = upload.write(1).then(() => {
    isWritten = true
  })
  while (fs.statSync(upload.file.path).size < 40 * mebibyte.length) await turnOfTheLoop()
  for (let turn = 0; turn < 10; turn++) await turnOfTheLoop()
  assert.equal(isWritten, false)
  flushes.pop()?.(null)
  await writing
  assert.equal(flushes.length, 1)
  flushes.pop()?.(null)
})

test('an error of a flush is reported by the next step and by the last flush', async (t) => {
  const upload = new Upload(t)
  await upload.write(8)
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  flushes.pop()?.(full)
  await turnOfTheLoop()
  await assert.rejects(upload.write(8), full)
  await assert.rejects(upload.file.flush(), full)
})
