import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { check } from '../../../../../src/app/cli/commands/check.ts'
import type { Environment } from '../../../../../src/app/settings/setting.ts'
import { openDatabase } from '../../../../../src/platform/state/open-database.ts'

const canMount = process.platform === 'linux' && process.getuid?.() === 0
const mounts = { skip: canMount ? false : 'only root may mount a file system' }

const required = { ACCESS_KEY: 'me', SECRET_KEY: '0123456789abcdef', ALLOWED_BUCKETS: 'test' }

/** What the check says, and its result. */
async function checkWith(environment: Environment, isBeforeStart = false) {
  const lines: string[] = []
  const isThere = await check(
    { environment, buckets: undefined, operands: [], options: { create: isBeforeStart } },
    { say: (line) => lines.push(line), writeLog: () => undefined },
  )
  return { lines, isThere }
}

/** What the check of a drive says. */
async function checkOf(drive: string, dataDir: string): Promise<string> {
  const environment = { ...required, DATA_DIR: dataDir, DRIVE: `file:${drive}` }
  const { lines } = await checkWith(environment, true)
  return lines.at(-1) ?? ''
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-check-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('Where nothing is configured, no settings are called valid, and the file that was looked for is named', async (t) => {
  const folder = temporaryFolder(t)
  const { lines, isThere } = await checkWith({ DATA_DIR: folder })
  assert.equal(isThere, false)
  assert.deepEqual(lines, [
    `settings: none; ${folder}/bucketry.env does not exist, and the environment has no keys and buckets`,
  ])
  assert.equal((await checkWith({ DATA_DIR: folder }, true)).isThere, true)
  assert.deepEqual(readdirSync(folder), [])
})

test('Settings without a database or a drive are not a success', async (t) => {
  const folder = temporaryFolder(t)
  const { lines, isThere } = await checkWith({ ...required, DATA_DIR: folder })
  assert.equal(isThere, false)
  assert.match(
    lines.join('\n'),
    /^database: sqlite:\S+ on \S+ does not exist yet; the first start/m,
  )
  const database = { kind: 'sqlite', path: join(folder, 'bucketry.db') } as const
  await (await openDatabase(database, { migrate: true })).close()
  const withoutDrive = await checkWith({ ...required, DATA_DIR: folder })
  assert.equal(withoutDrive.isThere, false)
  assert.match(withoutDrive.lines.join('\n'), /^drive: \S+ does not exist yet/m)
  mkdirSync(join(folder, 'drive'))
  assert.equal((await checkWith({ ...required, DATA_DIR: folder })).isThere, true)
})

test('The check says which settings file it read, and why it did not read one', async (t) => {
  const DATA_DIR = temporaryFolder(t)
  const fileLine = async (environment: Environment) =>
    (await checkWith({ DATA_DIR, ...environment }, true)).lines.find((line) =>
      line.startsWith('settings file: '),
    )
  const file = join(DATA_DIR, 'bucketry.env')
  assert.equal(
    await fileLine({}),
    `settings file: ${file} does not exist yet; the first start creates it`,
  )
  assert.equal(await fileLine(required), 'settings file: none; the environment has the settings')
  writeFileSync(file, 'ACCESS_KEY=me\nSECRET_KEY=0123456789abcdef\nALLOWED_BUCKETS=test\n')
  assert.equal(await fileLine({}), `settings file: ${file}`)
  assert.match(
    (await fileLine(required)) ?? '',
    /none; \S+ is not read, because the environment has/,
  )
})

test('A missing folder is checked where the first start would create it', mounts, async (t) => {
  const folder = temporaryFolder(t)
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
