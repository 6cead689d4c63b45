/** A folder of a bucket is exchanged with a symbolic link, again and again, while the bucket is listed. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { bucket, openDrive } from '../../unit/storage/drives/local/open-drive.ts'
import { tempFolder } from '../../unit/storage/drives/local/temp-folder.ts'

/** Exchanges a folder with a link, and back, as fast as it can. */
const exchanging = `
  const fs = require('node:fs')
  const { parentPort, workerData } = require('node:worker_threads')
  const { path, link, aside, flag } = workerData
  while (Atomics.load(flag, 0) === 0) {
    fs.renameSync(path, aside)
    fs.renameSync(link, path)
    fs.renameSync(path, link)
    fs.renameSync(aside, path)
    // Most listings must see the folder.
    Atomics.wait(flag, 0, 0, 0.2)
  }
  parentPort.postMessage('done')
`
const wantedListings = 1_500
const files = 40

test('a listing shows nothing from behind a link that takes the place of a folder', async (t) => {
  const { drive, root, folder } = await openDrive(t)
  const outside = tempFolder(t)
  for (const [place, bytes] of [
    [join(folder, 'a/b'), 'x'],
    [join(outside, 'b'), 'outside'],
  ] as const) {
    fs.mkdirSync(place, { recursive: true })
    for (let index = 0; index < files; index++) fs.writeFileSync(join(place, `${index}`), bytes)
  }
  fs.writeFileSync(join(outside, 'b/secret'), 'secret')
  fs.symlinkSync(outside, join(root, 'link'))
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const paths = { path: join(folder, 'a'), link: join(root, 'link'), aside: join(root, 'aside') }
  const worker = new Worker(exchanging, { eval: true, workerData: { ...paths, flag } })
  const done = once(worker, 'message')
  try {
    for (let full = 0; full < wantedListings; ) {
      const entries = await drive.list(bucket, { prefix: '', after: '' }).next(1000)
      const foreign = entries.filter((entry) => entry.kind === 'object' && entry.size !== 1)
      assert.deepEqual(foreign, [])
      if (entries.length > 0) full += 1
    }
  } finally {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
    await done
    await worker.terminate()
  }
})
