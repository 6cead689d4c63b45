import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempFolder } from './temp-folder.ts'

const advice = "Permission denied; check the drive's permissions."
const script = join(import.meta.dirname, 'stranger-process.ts')

test('unreadable files are denied, not absent; those that may be replaced are replaced', {
  skip: process.getuid?.() === 0 ? false : 'only root can switch to another user',
}, (t) => {
  const folder = tempFolder(t)
  fs.chmodSync(folder, 0o755)
  const output = execFileSync(process.execPath, [script, join(folder, 'drive')], {
    encoding: 'utf8',
  })
  assert.deepEqual(JSON.parse(output), {
    head: 'denied',
    open: 'denied',
    inFolder: 'denied',
    putInFolder: 'denied',
    conditional: 'denied',
    overwrite: 6,
    remove: {},
    // If they were omitted, the objects in the unreadable folder would seem deleted.
    list: 'denied',
    reason: `Could not list alpha, because alpha/closed can't be read (EACCES). ${advice}`,
    named: `Could not list alpha, because alpha/named/k can't be read (EACCES). ${advice}`,
    beside: ['closed/', 'named/', 'overwritten', 'readable', 'secret'],
    rest: 1,
  })
})
