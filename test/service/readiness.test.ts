import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { MainProcess } from '../support/main-process.ts'

const canMount = process.getuid?.() === 0
const notRoot = 'only root may mount a file system'

function start(t: TestContext, folder: string, settings: Record<string, string>): MainProcess {
  const main = new MainProcess(folder, {
    ACCESS_KEY: 'AKEXAMPLE',
    SECRET_KEY: 'hunter2hunter2hunter2',
    ALLOWED_BUCKETS: 'photos',
    ...settings,
  })
  t.after(() => main.kill())
  return main
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-ready-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function ask(url: string): Promise<{ status: number; body: unknown }> {
  const reply = await fetch(url)
  return { status: reply.status, body: await reply.json() }
}

/** Resolves when the reply has this status, which a check may notice only after a moment. */
async function untilStatus(url: string, status: number): Promise<unknown> {
  for (;;) {
    const reply = await ask(url)
    if (reply.status === status) return reply.body
    await delay(50)
  }
}

for (const workers of ['1', '2']) {
  test(`SIGTERM makes ${workers} workers not ready first, and a second one ends at once`, {
    timeout: 60_000,
  }, async (t) => {
    const settings = { WORKERS: workers, SHUTDOWN_DELAY_SECONDS: '3600' }
    const main = start(t, temporaryFolder(t), settings)
    const url = await main.url()
    assert.equal((await ask(`${url}/-/readyz`)).status, 200)
    main.signal('SIGTERM')
    await main.line(({ msg }) => msg === 'not ready; requests are still served')
    // Of any worker: each connection goes to the next.
    for (let round = 0; round < Number(workers); round++) {
      assert.deepEqual(await untilStatus(`${url}/-/readyz`, 503), { status: 'stopping' })
    }
    assert.equal((await ask(`${url}/-/livez`)).status, 200)
    assert.equal((await ask(`${url}/-/healthz`)).status, 200)
    assert.equal((await fetch(`${url}/photos/absent`)).status, 403)
    main.signal('SIGTERM')
    assert.equal(await main.ended(), 1)
  })
}

test('A worker that is started during the delay is not ready', { timeout: 60_000 }, async (t) => {
  const settings = { WORKERS: '2', SHUTDOWN_DELAY_SECONDS: '3600' }
  const main = start(t, temporaryFolder(t), settings)
  const url = await main.url()
  main.signal('SIGTERM')
  await main.line(({ msg }) => msg === 'not ready; requests are still served')
  for (const pid of main.workers()) process.kill(pid, 'SIGKILL')
  await main.line(({ msg }) => msg === 'a worker died; restarting it')
  for (;;) {
    const body = await ask(`${url}/-/readyz`).catch(() => undefined)
    if (body === undefined) continue
    assert.deepEqual(body, { status: 503, body: { status: 'stopping' } })
    return
  }
})

test('The process ends by itself after the delay, and Ctrl+C does not wait for it', async (t) => {
  const one = start(t, temporaryFolder(t), { SHUTDOWN_DELAY_SECONDS: '1' })
  const other = start(t, temporaryFolder(t), { SHUTDOWN_DELAY_SECONDS: '3600' })
  await Promise.all([one.url(), other.url()])
  one.signal('SIGTERM')
  other.signal('SIGINT')
  assert.deepEqual(await Promise.all([one.ended(), other.ended()]), [0, 0])
  assert.equal(other.lines.filter(({ msg }) => msg.startsWith('not ready')).length, 0)
})

test('Writes are not ready while the drive is full, and reads are', {
  skip: canMount ? false : notRoot,
  timeout: 60_000,
}, async (t) => {
  const { url, drive } = await startOnTmpfs(t)
  assert.equal((await ask(`${url}/-/readyz`)).status, 200)
  const fill = () => appendFileSync(join(drive, 'filler'), Buffer.alloc(8 * 2 ** 20))
  const writes = { ready: false, failing: ['drive'] }
  let reply: Awaited<ReturnType<typeof ask>>
  do {
    // Again: a file that the gateway removes meanwhile leaves room for its next one.
    assert.throws(fill, { code: 'ENOSPC' })
    reply = await ask(`${url}/-/readyz`)
  } while (reply.status === 200)
  assert.deepEqual(reply, {
    status: 503,
    body: { status: 'unavailable', reads: { ready: true }, writes },
  })
  assert.equal((await ask(`${url}/-/readyz/reads`)).status, 200)
  rmSync(join(drive, 'filler'))
  await untilStatus(`${url}/-/readyz`, 200)
})

test('Writes are not ready while the drive is read-only, and reads are', {
  skip: canMount ? false : notRoot,
  timeout: 60_000,
}, async (t) => {
  const { url, drive } = await startOnTmpfs(t)
  // As a disk with errors does.
  await remount(drive, 'ro')
  await untilStatus(`${url}/-/readyz/writes`, 503)
  assert.equal((await ask(`${url}/-/readyz/reads`)).status, 200)
  await remount(drive, 'rw')
  await untilStatus(`${url}/-/readyz`, 200)
})

/** Again while it is busy: the gateway may have a file open for writing at this moment (mount(2), EBUSY). */
async function remount(drive: string, mode: 'ro' | 'rw'): Promise<void> {
  for (;;) {
    const args = ['-o', `remount,bind,${mode}`, drive]
    const { status, stderr } = spawnSync('mount', args, { encoding: 'utf8' })
    if (status === 0) return
    assert.match(stderr, /busy/)
    await delay(20)
  }
}

async function startOnTmpfs(t: TestContext) {
  const folder = temporaryFolder(t)
  const drive = mkdtempSync(join(tmpdir(), 'bucketry-ready-drive-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', drive])
  t.after(() => {
    execFileSync('umount', ['--lazy', drive])
    rmSync(drive, { recursive: true })
  })
  const main = start(t, folder, { DRIVE: `file:${drive}` })
  return { url: await main.url(), drive }
}
