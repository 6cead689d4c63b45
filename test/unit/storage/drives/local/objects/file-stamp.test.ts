import assert from 'node:assert/strict'
import fs from 'node:fs'
import { test } from 'node:test'
import type { LocalRoot } from '../../../../../../src/storage/drives/local/local-root.ts'
import { describe } from '../../../../../../src/storage/drives/local/objects/file-identity.ts'

const root = { hasBirthtime: false } as LocalRoot

function modified(atMs: number): string {
  const stats = Object.assign(fs.statSync(import.meta.filename), { mtimeMs: atMs })
  return new Date(describe(stats, root).modifiedAtMs).toISOString()
}

test('describe limits modification times to years of four digits', () => {
  assert.equal(modified(1_700_000_000_123.9), '2023-11-14T22:13:20.123Z')
  assert.equal(modified(-1.5), '1969-12-31T23:59:59.999Z')
  for (const atMs of [253_402_300_800_000, 1e17, Number.POSITIVE_INFINITY]) {
    assert.equal(modified(atMs), '9999-12-31T23:59:59.999Z')
  }
  assert.equal(modified(-1e17), '0001-01-01T00:00:00.000Z')
})
