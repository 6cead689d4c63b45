import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ConnectError } from '../../../../../../src/app/cli/command.ts'
import {
  parseRcloneConfig,
  readRcloneRemote,
} from '../../../../../../src/app/cli/connect/rclone/google-remote.ts'

async function folderFor(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-rclone-'))
  t.after(() => rm(folder, { recursive: true }))
  return folder
}

test('parseRcloneConfig reads sections, values with = in them, and no comments', () => {
  const text =
    '# note\r\n[gd]\r\ntype = drive\r\ntoken = {"a":"b=c"}\r\nempty =\r\n; no = 1\r\n\r\n[two words]\r\nx=1\r\n'
  assert.deepEqual(Object.fromEntries(parseRcloneConfig(text)), {
    gd: { type: 'drive', token: '{"a":"b=c"}', empty: '' },
    'two words': { x: '1' },
  })
})

test('readRcloneRemote finds the configuration where rclone has it', async (t) => {
  const folder = await folderFor(t)
  await mkdir(join(folder, 'rclone'))
  await writeFile(join(folder, 'rclone', 'rclone.conf'), '[gd]\ntype = drive\n')
  const environment = { XDG_CONFIG_HOME: folder, RCLONE_CONFIG: join(folder, 'absent') }
  assert.deepEqual(await readRcloneRemote('gd', undefined, environment), { type: 'drive' })
})

const mistakes: readonly (readonly [string, string, RegExp])[] = [
  [
    'encrypted',
    '# Encrypted rclone configuration File\n\nRCLONE_ENCRYPT_V0:\nabcd\n',
    /is encrypted: run `rclone config show gd/,
  ],
  ['without the remote', '[other]\ntype = s3\n', /has no remote gd\. It has: other\./],
  ['empty', '', /It has: none\./],
]
for (const [name, text, message] of mistakes) {
  test(`readRcloneRemote says what to do about a configuration that is ${name}`, async (t) => {
    const path = join(await folderFor(t), 'rclone.conf')
    await writeFile(path, text)
    await assert.rejects(readRcloneRemote('gd', path, {}), (error) => {
      assert.ok(error instanceof ConnectError)
      assert.match(error.message, message)
      return true
    })
  })
}

test('readRcloneRemote names the place where it looked in vain', async (t) => {
  const path = join(await folderFor(t), 'absent.conf')
  await assert.rejects(readRcloneRemote('gd', path, {}), /absent\.conf: name it with --config/)
})
