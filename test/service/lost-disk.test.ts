/** A disk that goes away under load, twice: a file system in user space whose process is killed. */
import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { MainProcess } from '../support/main-process.ts'
import { until } from '../support/management-client.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const absence = existsSync('/usr/bin/bindfs') ? false : "needs Debian's bindfs"
const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const skip = isRoot ? absence : 'only root may mount a file system'
const credentials = { accessKey: 'AKEXAMPLE', secretKey: 'hunter2hunter2hunter2' }

/** The last is called first. */
type Endings = (() => unknown)[]

/** The folder `path`, which shows the folder `disk` as long as it is plugged in. */
function openDisk(endings: Endings, disk: string, path: string) {
  let process: ChildProcess | undefined
  const unmount = () => {
    if (isMounted(path)) execFileSync('umount', ['--lazy', path])
  }
  endings.push(() => {
    process?.kill('SIGKILL')
    unmount()
  })
  return {
    async plugIn() {
      unmount()
      process = spawn('bindfs', ['-f', disk, path], { stdio: 'ignore' })
      await until(() => isMounted(path))
    },
    /** From now on each call fails with ENOTCONN, as with EIO for a disk. */
    async pullOut() {
      const ended = process && once(process, 'exit')
      process?.kill('SIGKILL')
      await ended
    },
  }
}

function isMounted(path: string): boolean {
  return readFileSync('/proc/self/mounts', 'utf8').includes(` ${path} `)
}

/** Sends requests until it is stopped. Returns how many got each status. */
function putLoad(
  endings: Endings,
  send: (method: string, target: string, body?: string) => Promise<number>,
  bucket: string,
) {
  const counts = new Map<number, number>()
  let isStopped = false
  endings.push(() => {
    isStopped = true
  })
  const work = async (worker: number) => {
    for (let turn = 0; !isStopped; turn += 1) {
      const target = `/${bucket}/folder-${turn % 7}/${worker}`
      for (const status of [
        await send('PUT', target, `${turn}`),
        await send('GET', target),
        await send('GET', `/${bucket}?list-type=2&delimiter=/`),
        await send('DELETE', target),
      ]) {
        counts.set(status, (counts.get(status) ?? 0) + 1)
      }
    }
  }
  const working = Promise.all([1, 2, 3, 4].map(work))
  return {
    counts,
    async stop() {
      isStopped = true
      await working
      return counts
    },
  }
}

for (const workers of ['1', '2']) {
  test(`a disk goes away under load, twice (WORKERS=${workers})`, {
    skip,
    timeout: 120_000,
  }, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'bucketry-lost-disk-'))
    const endings: Endings = [() => rmSync(folder, { recursive: true, force: true })]
    t.after(async () => {
      for (const end of endings.reverse()) await end()
    })
    const [disk, mount] = [join(folder, 'disk'), join(folder, 'mount')]
    mkdirSync(disk)
    mkdirSync(mount)
    const { plugIn, pullOut } = openDisk(endings, disk, mount)
    await plugIn()
    const main = new MainProcess(folder, {
      ACCESS_KEY: credentials.accessKey,
      SECRET_KEY: credentials.secretKey,
      DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
      DRIVE: `file:${join(folder, 'main')}`,
      DRIVE_NAS: `file:${mount}`,
      ALLOWED_BUCKETS: 'photos,music@NAS',
      WORKERS: workers,
    })
    endings.push(() => main.kill())
    const { host } = new URL(await main.url())
    const send = async (method: string, target: string, body?: string) => {
      const request = { method, target, ...(body !== undefined && { body }) }
      const reply = await signedFetch(
        { host, credentials: { ...credentials, region: 'us-east-1' } },
        request,
      )
      await reply.arrayBuffer()
      return reply.status
    }
    assert.equal(await send('PUT', '/music/kept', 'before'), 200)
    const others = putLoad(endings, send, 'photos')
    for (let round = 0; round < 2; round += 1) {
      const lost = putLoad(endings, send, 'music')
      await until(() => (lost.counts.get(204) ?? 0) > 10)
      await pullOut()
      await until(() => (lost.counts.get(503) ?? 0) > 40)
      const before = others.counts.get(204) ?? 0
      await until(() => (others.counts.get(204) ?? 0) > before + 20)
      await plugIn()
      // By itself, in every worker.
      const done = lost.counts.get(204) ?? 0
      await until(() => (lost.counts.get(204) ?? 0) > done + 40)
      const counts = await lost.stop()
      for (const status of counts.keys()) {
        assert.ok([200, 204, 404, 503].includes(status), `${status} ${JSON.stringify([...counts])}`)
      }
      for (let count = 0; count < 8; count += 1) assert.equal(await send('GET', '/music/kept'), 200)
    }
    assert.deepEqual([...(await others.stop()).keys()].sort(), [200, 204])
    const problems = main.lines.filter(({ msg }) => /not handled|died|not caught/.test(msg))
    assert.deepEqual(problems, [])
  })
}
