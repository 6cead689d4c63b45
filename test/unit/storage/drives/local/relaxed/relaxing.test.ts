import assert from 'node:assert/strict'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openLocalDrive } from '../../../../../../src/storage/drives/local/local-drive.ts'
import { MemoryRecords } from '../memory-records.ts'
import { bucket, put } from '../open-drive.ts'
import { tempFolder } from '../temp-folder.ts'
import { fileSystems, notesOn } from './torn-drive.ts'

const skip = process.platform !== 'linux'

/** As the `sync` of BusyBox, which has no --version: it succeeds whatever the system reports. */
const busyBox = '#!/bin/sh\n[ "$1" = -f ]\n'

test('a `sync` that does not report a failed disk leaves writes synced', { skip }, async (t) => {
  const programs = tempFolder(t)
  fs.writeFileSync(join(programs, 'sync'), busyBox, { mode: 0o755 })
  const path = process.env.PATH
  t.after(() => Object.assign(process.env, { PATH: path }))
  process.env.PATH = `${programs}:${path}`
  const { statfs } = fs.promises
  const type = fileSystems.ext4
  t.mock.method(fs.promises, 'statfs', async (at: string) => ({ ...(await statfs(at)), type }))
  const reasons: unknown[] = []
  const log = { warn: (fields: object) => void reasons.push(fields) }
  const root = tempFolder(t)
  const drive = await openLocalDrive({ root, records: new MemoryRecords(), log, relaxes: true })
  t.after(() => drive.close())
  await drive.prepare([bucket])
  await put(drive, 'k', 'bytes')
  assert.deepEqual(notesOn(root), [])
  assert.match(JSON.stringify(reasons), /BusyBox/)
})
