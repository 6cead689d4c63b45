import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const project = fileURLToPath(new URL('../../', import.meta.url))

/** `npm start` in a separate process group, serving a new folder. */
function npmStart(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-npm-'))
  const npm = spawn('npm', ['start'], {
    cwd: project,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      PORT: '0',
      WORKERS: '2',
      ACCESS_KEY: 'AKEXAMPLE',
      SECRET_KEY: 'hunter2hunter2hunter2',
      ALLOWED_BUCKETS: 'photos',
      DRIVE: `file:${folder}/drive`,
      DATABASE_URL: `sqlite:${folder}/bucketry.db`,
    },
  })
  const closed = once(npm, 'close')
  const group = -(npm.pid ?? Number.NaN)
  t.after(async () => {
    if (isAlive(group)) process.kill(group, 'SIGKILL')
    await closed
    rmSync(folder, { recursive: true, force: true })
  })
  return { npm, closed, group, folder }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

test('SIGTERM to npm start ends the gateway gracefully and leaves no process', async (t) => {
  const { npm, closed, group, folder } = npmStart(t)
  let output = ''
  const listening = new Promise<void>((resolve) => {
    npm.stdout.on('data', (text: Buffer) => {
      output += text
      if (output.includes('"msg":"listening"')) resolve()
    })
  })
  npm.stderr.resume()
  await Promise.race([listening, closed])
  assert.match(output, /"msg":"listening"/)
  assert.ok(statSync(join(folder, 'drive/photos')).isDirectory())
  npm.kill('SIGTERM')
  // Every process of the group holds the pipes: this is the end of the last one.
  await closed
  assert.match(output, /"msg":"stopped"/)
  assert.equal(isAlive(group), false)
})
