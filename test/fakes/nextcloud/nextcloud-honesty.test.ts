/** Checks the Nextcloud emulator with other programs. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { absenceOfRclone } from '../../support/webdav/rclone-serve.ts'
import { absenceOf } from '../../support/webdav/server-process.ts'
import { type Nextcloud, startNextcloud } from './start-nextcloud.ts'

const run = promisify(execFile)

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-honesty-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('litmus finds that it is a WebDAV server', {
  skip: absenceOf('litmus', 'litmus'),
}, async (t) => {
  const { httpUrl, user, password } = await startNextcloud(t)
  const cwd = folderFor(t)
  const env = { ...process.env, TESTS: 'basic copymove props http' }
  // Rejects when one of its tests fails.
  const { stdout } = await run('litmus', [`${httpUrl}/`, user, password], { cwd, env })
  assert.equal(stdout.match(/ 0 failed. 100.0%/g)?.length, 4)
})

/** rclone over the emulator, as the remote `nc`. */
async function rcloneOn(t: TestContext, { httpUrl, user, password }: Nextcloud) {
  const folder = folderFor(t)
  const configuration = join(folder, 'rclone.conf')
  const { stdout } = await run('rclone', ['obscure', password])
  const remote = { type: 'webdav', url: httpUrl, vendor: 'nextcloud', user, pass: stdout.trim() }
  const lines = Object.entries(remote).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(configuration, `[nc]\n${lines.join('\n')}\n`)
  return (...args: string[]) =>
    run('rclone', ['--config', configuration, '--retries', '1', ...args])
}

test('rclone recognizes it as a Nextcloud', { skip: absenceOfRclone() }, async (t) => {
  const nextcloud = await startNextcloud(t)
  const rclone = await rcloneOn(t, nextcloud)
  const source = folderFor(t)
  const names = ['a', 'b/ü ö.txt', 'b/c/100%.bin', "b/it's & co", 'b/#?', 'empty', 'd/[x]+y']
  for (const [index, name] of names.entries()) {
    mkdirSync(dirname(join(source, name)), { recursive: true })
    writeFileSync(join(source, name), Buffer.alloc(name === 'empty' ? 0 : 100_000 + index, index))
  }
  await rclone('copy', source, 'nc:s')
  await rclone('check', '--download', source, 'nc:s')
  // It declares the SHA-1 of the bytes it sends, and compares the one that the server stored.
  await rclone('check', source, 'nc:s')
  await rclone('moveto', 'nc:s/b', 'nc:s/e')
  await rclone('deletefile', 'nc:s/a')
  await rclone('purge', 'nc:s/d')
  assert.deepEqual(nextcloud.otherClient.list('s'), [
    ...['e/', 'e/#?', 'e/c/', 'e/c/100%.bin', "e/it's & co", 'e/ü ö.txt', 'empty'],
  ])
  const back = folderFor(t)
  await rclone('copy', 'nc:s', back)
  await rclone('check', '--download', back, 'nc:s')
})
