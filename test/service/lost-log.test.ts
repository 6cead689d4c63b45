import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { startArguments } from '../support/start-command.ts'

/** Starts with the first line of the banner read, which has the address. */
async function start(t: TestContext, stdout: 'pipe' | number) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-log-'))
  const child = spawn(process.execPath, startArguments(), {
    cwd: folder,
    stdio: ['ignore', stdout, 'pipe'],
    env: { PATH: process.env.PATH, PORT: '0', WORKERS: '2' },
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  let banner = ''
  for await (const text of child.stderr ?? []) {
    banner += text
    if (banner.includes('rclone ls')) break
  }
  const url = /http:\S+/.exec(banner)?.[0] ?? ''
  return { child, ended, url }
}

test('A log on a full disk neither ends the gateway nor holds up its stop', async (t) => {
  const { child, ended, url } = await start(t, openSync('/dev/full', 'w'))
  // Several times what the log gathers before it writes.
  for (let count = 0; count < 50; count += 1) {
    assert.equal((await fetch(`${url}/-/healthz`)).status, 200)
  }
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('A log reader that disconnects neither ends the gateway nor delays its stop', async (t) => {
  const { child, ended, url } = await start(t, 'pipe')
  child.stdout?.destroy()
  for (let count = 0; count < 50; count += 1) {
    assert.equal((await fetch(`${url}/-/healthz`)).status, 200)
  }
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('Standard error on a full disk does not keep the gateway from serving', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-log-'))
  const child = spawn(process.execPath, startArguments(), {
    cwd: folder,
    stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
    env: { PATH: process.env.PATH, PORT: '0', WORKERS: '1' },
  })
  const ended = once(child, 'exit')
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  })
  assert.ok(child.stdout)
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  assert.equal((await fetch(`${JSON.parse(line).url}/-/healthz`)).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})
