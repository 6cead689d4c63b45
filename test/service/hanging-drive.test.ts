/** A drive on a network or FUSE file system whose server does not answer (docs/decisions/0006). */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MainProcess } from '../support/main-process.ts'
import { until } from '../support/management-client.ts'
import { dashboardPassword, passwordHash } from '../support/models-gateway.ts'
import { signedFetch } from '../support/signed-fetch.ts'

const isRoot = process.getuid?.() === 0 && process.platform === 'linux'
const absence = existsSync('/usr/bin/bindfs') ? false : "needs Debian's bindfs"
const skip = isRoot ? absence : 'only root may mount a file system'

const credentials = {
  accessKey: 'AKEXAMPLE',
  secretKey: 'hunter2hunter2hunter2',
  region: 'us-east-1',
}
/** Within this time, everything but the drive must answer. */
const answerMs = 2_000
/** More requests than the thread pool has threads. */
const manyRequests = 48

/** A FUSE file system with its server process, which `stop` suspends. */
class Mount {
  readonly path: string
  readonly #server: ChildProcess

  constructor(folder: string) {
    this.path = join(folder, 'mount')
    for (const one of [this.path, join(folder, 'behind')]) mkdirSync(one)
    this.#server = spawn('bindfs', ['-f', join(folder, 'behind'), this.path], { stdio: 'ignore' })
  }

  async end(): Promise<void> {
    this.#server.kill('SIGKILL')
    await once(this.#server, 'exit')
    spawnSync('umount', ['--lazy', this.path])
  }

  async ready(): Promise<void> {
    await until(() => readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${this.path} `))
  }

  stop(): void {
    this.#server.kill('SIGSTOP')
  }

  continue(): void {
    this.#server.kill('SIGCONT')
  }
}

/** A gateway with the bucket `here` on a disk and `there` on a mount. */
async function scene(t: TestContext, hangs: 'the named drive' | 'the default drive') {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-hanging-'))
  const mount = new Mount(folder)
  const gateways: MainProcess[] = []
  t.after(async () => {
    // Before the mount ends: a process can't end while its call hangs.
    mount.continue()
    await Promise.all(gateways.map((main) => main.kill()))
    await mount.end()
    rmSync(folder, { recursive: true, force: true })
  })
  await mount.ready()
  const [own, named] =
    hangs === 'the named drive'
      ? [join(folder, 'disk'), mount.path]
      : [mount.path, join(folder, 'disk')]
  const buckets = hangs === 'the named drive' ? 'here,there@NAS' : 'there,here@NAS'
  const start = async () => {
    const main = new MainProcess(folder, {
      ACCESS_KEY: credentials.accessKey,
      SECRET_KEY: credentials.secretKey,
      DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
      DASHBOARD_PASSWORD: dashboardPassword,
      ALLOWED_BUCKETS: buckets,
      DRIVE: `file:${own}`,
      DRIVE_NAS: `file:${named}`,
      WORKERS: '1',
    })
    gateways.push(main)
    const url = await main.url()
    const { host } = new URL(url)
    const send = (method: string, target: string, body?: string) =>
      signedFetch({ host, credentials }, { method, target, ...(body !== undefined && { body }) })
    await until(async () => (await send('PUT', '/here/kept', 'kept')).status === 200)
    return { url, send }
  }
  return { mount, start }
}

type Gateway = Awaited<ReturnType<Awaited<ReturnType<typeof scene>>['start']>>

/** Fails if anything but the hanging drive takes too long. */
async function requireOthers({ url, send }: Gateway): Promise<void> {
  const body = JSON.stringify({ passwordHash: passwordHash(dashboardPassword) })
  const asked: Readonly<Record<string, () => Promise<Response>>> = {
    healthz: () => fetch(`${url}/-/healthz`),
    readyz: () => fetch(`${url}/-/readyz`),
    models: () => fetch(`${url}/v1/models`),
    login: () => fetch(`${url}/auth/login`, { method: 'POST', body }),
    put: () => send('PUT', '/here/other', 'other'),
    get: () => send('GET', '/here/kept'),
    list: () => send('GET', '/here?list-type=2'),
    // Last, because it waits for what the process has to do for the others, and for nothing else.
    livez: () => fetch(`${url}/-/livez`),
  }
  const answers = await Promise.all(
    Object.entries(asked).map(async ([name, ask]) => {
      const startedAtMs = performance.now()
      const reply = await Promise.race([
        ask().then(async (one) => ({ status: one.status, text: await one.text() })),
        sleep(2 * answerMs, undefined, { ref: false }),
      ])
      return { name, status: reply?.status, tookMs: performance.now() - startedAtMs }
    }),
  )
  // This is what a busy machine adds.
  const busyMs = answers.find(({ name }) => name === 'livez')?.tookMs ?? 0
  const late = answers.filter(({ name, status = 0, tookMs }) => {
    const isFine = (status > 0 && status < 300) || (status >= 300 && /^(health|ready)z$/.test(name))
    return !isFine || tookMs > answerMs + Math.min(busyMs, answerMs / 2)
  })
  assert.deepEqual(late, [])
}

suite('While a drive hangs', { skip, timeout: 240_000 }, () => {
  for (const hangs of ['the named drive', 'the default drive'] as const) {
    test(`everything else answers, and nothing acknowledged is lost: ${hangs}`, async (t) => {
      const { mount, start } = await scene(t, hangs)
      const gateway = await start()
      const { send } = gateway
      await until(async () => (await send('PUT', '/there/0', 'text 0')).status === 200)
      await requireOthers(gateway)
      for (let turn = 0; turn < 3; turn += 1)
        assert.equal((await send('GET', '/there/0')).status, 200)

      const stored: string[] = ['0']
      const write = async (key: string) => {
        const reply = await send('PUT', `/there/${key}`, `text ${key}`)
        if (reply.status === 200) stored.push(key)
        else assert.equal(reply.status, 503, await reply.text())
      }
      const requests = Array.from({ length: manyRequests }, (_, index) => [
        write(`first/${index}`),
        send('GET', '/there/0'),
        send('GET', `/there?list-type=2&prefix=${index}`),
      ]).flat()
      await until(() => stored.length > 3)
      mount.stop()
      const later = Array.from({ length: manyRequests }, (_, index) => [
        write(`second/${index}`),
        send('HEAD', '/there/0'),
        send('DELETE', `/there/none/${index}`),
      ]).flat()
      await requireOthers(gateway)
      // Requests of the drive are refused as soon as it is known to hang.
      const isRefused = async () => {
        const reply = await Promise.race([
          send('GET', '/there/0'),
          sleep(answerMs, undefined, { ref: false }),
        ])
        return reply?.status === 503
      }
      await until(async () => {
        await requireOthers(gateway)
        return await isRefused()
      })
      await requireOthers(gateway)
      assert.ok(await isRefused())

      mount.continue()
      await Promise.all([...requests, ...later])
      await until(async () => (await send('GET', '/there/0')).status === 200)
      await write('last')
      assert.equal(stored.at(-1), 'last')
      for (const key of stored) {
        const reply = await send('GET', `/there/${key}`)
        assert.deepEqual([reply.status, await reply.text()], [200, `text ${key}`])
      }
    })
  }

  test('the gateway starts, and opens the drive when it answers', async (t) => {
    const { mount, start } = await scene(t, 'the named drive')
    mount.stop()
    const gateway = await start()
    await requireOthers(gateway)
    assert.equal((await gateway.send('GET', '/there/0')).status, 503)
    mount.continue()
    await until(async () => (await gateway.send('PUT', '/there/0', 'text')).status === 200)
  })
})
