import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { check } from '../../../../src/wiring/commands/check.ts'

const canMount = process.platform === 'linux' && process.getuid?.() === 0
const mounts = { skip: canMount ? false : 'only root may mount a file system' }

/** What the check of a drive says. */
async function checkOf(drive: string, dataDir: string): Promise<string> {
  const lines: string[] = []
  await check({
    environment: {
      ...{ ACCESS_KEY: 'me', SECRET_KEY: '0123456789abcdef', ALLOWED_BUCKETS: 'test' },
      ...{ DATA_DIR: dataDir, DRIVE: `file:${drive}` },
    },
    buckets: undefined,
    warnings: [],
    say: (line) => lines.push(line),
    writeLog: () => undefined,
  })
  return lines.at(-1) ?? ''
}

test('A missing folder is checked where the first start would create it', mounts, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const dataDir = join(folder, 'state')
  assert.match(await checkOf(join(folder, 'a/b'), dataDir), /does not exist yet; the first start/)
  assert.deepEqual(readdirSync(folder), [])
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1m', 'tmpfs', folder])
  try {
    await assert.rejects(checkOf(join(folder, 'a/b'), dataDir), {
      name: 'SettingsError',
      message: new RegExp(`DRIVE is ${folder}/a/b, .* cannot write to ${folder} \\(EROFS\\)`),
    })
    await assert.rejects(checkOf(folder, dataDir), /can read and write \(EROFS\)/)
  } finally {
    execFileSync('umount', ['--lazy', folder])
  }
})
