import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectionsWithin } from '../../../../src/app/start/serving.ts'
import { openFileLimit } from '../../../../src/platform/process/process-limits.ts'

for (const [openFiles, connections] of [
  [256, 42],
  [1_024, 298],
  [20_000, 6_624],
  [1_048_576, 10_000],
  [Number.POSITIVE_INFINITY, 10_000],
] as const) {
  test(`Of ${openFiles} descriptors ${connections} are for connections`, () => {
    assert.equal(connectionsWithin(openFiles), connections)
  })
}

test('The limit of open files is the soft one of the process', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-limits-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'limits')
  for (const [value, limit] of [
    ['1024', 1_024],
    ['unlimited', Number.POSITIVE_INFINITY],
  ] as const) {
    writeFileSync(
      file,
      `Max processes   7   7   processes\nMax open files   ${value}   4096   files\n`,
    )
    assert.equal(openFileLimit(file), limit)
  }
  assert.equal(openFileLimit(join(folder, 'absent')), 4_096)
})
