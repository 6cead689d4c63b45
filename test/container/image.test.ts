import assert from 'node:assert/strict'
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { codeBlocksOf, replaced } from '../support/code-blocks.ts'
import { freePort } from '../support/free-port.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import type { Credentials } from '../support/signed-request.ts'
import { extraCertificates, makeBaseRoots, npmCache } from './base-images.ts'

const project = join(import.meta.dirname, '../..')
const image = 'localhost/bucketry:test'
/** Podman's defaults are more than a test machine may allow. */
const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024']
const startTimeoutMs = 30_000

const processOptions: ExecFileSyncOptionsWithStringEncoding = {
  cwd: project,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'pipe'],
}

/** Podman with its storage in one folder. */
class Podman {
  readonly folder = mkdtempSync(join(tmpdir(), 'bucketry-podman-'))
  /** Podman allows 50 characters, and TMPDIR may be longer. */
  readonly #runFolder = mkdtempSync('/tmp/bucketry-')

  run(...args: readonly string[]): string {
    return execFileSync('podman', [...this.#options(), ...args], { ...processOptions }).trim()
  }

  /** Runs commands for Docker in a shell. */
  shell(commands: string, home: string): string {
    const text = `docker() { podman ${this.#options().join(' ')} "$@"; }\n${commands}`
    const env = { PATH: process.env.PATH, HOME: home }
    return execFileSync('bash', ['-ec', text], { ...processOptions, env })
  }

  #options(): readonly string[] {
    return [
      ...['--root', join(this.folder, 'storage'), '--runroot', this.#runFolder],
      ...['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--events-backend', 'none'],
      // Without systemd, podman reports for each container that it sets no timer for the health check.
      ...['--log-level', 'fatal'],
    ]
  }

  /** Creates an image of a root folder. */
  import(root: string, name: string, environment: readonly string[]): void {
    const archive = join(this.folder, 'root.tar')
    execFileSync('tar', ['--create', '--file', archive, '--directory', root, '.'])
    const changes = environment.flatMap((each) => ['--change', `ENV ${each}`])
    this.run('import', ...changes, archive, name)
  }

  remove(): void {
    this.run('rm', '--all', '--force', '--time', '0')
    this.run('system', 'reset', '--force')
    for (const path of [this.folder, this.#runFolder])
      rmSync(path, { recursive: true, force: true })
  }
}

describe('The image', { skip: absenceOfPodman() }, () => {
  const podman = new Podman()
  before(() => {
    const roots = makeBaseRoots(join(podman.folder, 'roots'))
    const path = 'PATH=/usr/local/bin:/usr/bin:/bin'
    const certificates = `NODE_EXTRA_CA_CERTS=${extraCertificates}`
    podman.import(roots.node, 'localhost/node:test', [path, certificates])
    podman.import(roots.base, 'localhost/base:test', [path])
    podman.import(roots.shell, 'localhost/shell:test', [path])
    const bases = ['node', 'base', 'shell'].map((one) => {
      return `${one.toUpperCase()}_IMAGE=localhost/${one}:test`
    })
    const values = [...bases, 'VERSION=1.2.3', 'REVISION=abc'].flatMap((each) => [
      '--build-arg',
      each,
    ])
    const options = [
      // The format of Docker, because that of OCI has no health checks.
      ...['--format', 'docker'],
      // Needs no control groups, and no network but that of this machine.
      ...['--isolation', 'chroot', '--network', 'host'],
      ...['--volume', `${npmCache()}:/root/.npm:O`],
    ]
    podman.run('build', ...options, ...values, '--tag', image, '.')
  })
  after(() => podman.remove())

  for (const user of ['10001:10001', '12345:54321']) {
    it(`serves a new volume as user ${user}, read-only and without capabilities`, async (t) => {
      const container = await start(t, podman, user)
      const server = container.server()
      const put = await signedFetch(server, { method: 'PUT', target: '/files/a/b', body: 'hello' })
      assert.equal(put.status, 200)
      const got = await signedFetch(server, { method: 'GET', target: '/files/a/b' })
      assert.equal(await got.text(), 'hello')
      const { uid, gid } = statSync(join(container.volume, 'drive/files/a/b'))
      assert.equal(`${uid}:${gid}`, user)
      const written = podman.run('diff', container.name).split('\n').filter(Boolean)
      assert.deepEqual(
        written.filter((line) => !/ \/(data|etc|run|proc|dev|sys)\b/.test(line)),
        [],
      )
    })
  }

  itRunsAsDocumented(podman)
  itIsHealthyWhileItServes(podman)
  itRunsWhatWasWrittenForMinio(podman)
  itHasOnlyWhatItNeeds(podman)
})

function itRunsAsDocumented(podman: Podman): void {
  const blocks = codeBlocksOf('docs/install.md').filter(({ heading }) => heading === 'Docker')
  const run = async (t: TestContext, text: string) => {
    const home = mkdtempSync(join(tmpdir(), 'bucketry-home-'))
    const port = await freePort()
    t.after(() => {
      podman.run('rm', '--force', '--time', '0', 'bucketry')
      rmSync(home, { recursive: true })
    })
    const commands = replaced(text, {
      'ghcr.io/bucketry/bucketry:0': image,
      '--publish 127.0.0.1:9000:9000': [
        ...limits,
        '--network',
        'host',
        '--env',
        `PORT=${port}`,
      ].join(' '),
    })
    const [first = '', then = ''] = commands.split(/^(?=docker exec )/m)
    podman.shell(first, home)
    const host = `127.0.0.1:${port}`
    await untilHealthy(host, () => podman.run('logs', 'bucketry'))
    return { home, host, output: then === '' ? '' : podman.shell(then, home) }
  }

  it('the first commands of docs/install.md serve, and show the keys', async (t) => {
    const { host, output } = await run(t, blocks[0]?.text ?? '')
    const server = { host, credentials: credentialsIn(output) }
    const list = await signedFetch(server, { method: 'GET', target: '/files?list-type=2' })
    assert.equal(list.status, 200)
  })

  it('the commands of docs/install.md serve a folder of the machine', async (t) => {
    const { home, host } = await run(t, blocks[1]?.text ?? '')
    const secretKey = readFileSync(join(home, 'bucketry/secret-key'), 'utf8').trim()
    const server = { host, credentials: { accessKey: 'me', secretKey, region: 'us-east-1' } }
    const put = await signedFetch(server, { method: 'PUT', target: '/photos/a', body: 'hello' })
    assert.equal(put.status, 200)
    assert.equal(readFileSync(join(home, 'files/photos/a'), 'utf8'), 'hello')
  })
}

function itIsHealthyWhileItServes(podman: Podman): void {
  it('is healthy while it serves, and ends by SIGTERM within the grace time', async (t) => {
    const container = await start(t, podman, '10001:10001')
    const [config] = JSON.parse(podman.run('inspect', image)) as {
      readonly Healthcheck?: { readonly Test: readonly string[] }
      readonly Config: { readonly Healthcheck?: { readonly Test: readonly string[] } }
    }[]
    const test = config?.Healthcheck?.Test ?? config?.Config.Healthcheck?.Test ?? []
    assert.equal(test[0], 'CMD')
    podman.run('exec', container.name, ...test.slice(1))
    const unused = String(await freePort())
    const elsewhere = ['exec', '--env', `PORT=${unused}`, container.name, ...test.slice(1)]
    assert.throws(() => podman.run(...elsewhere), /ECONNREFUSED/)
    podman.run('stop', '--time', '40', container.name)
    const status = podman.run('inspect', '--format', '{{.State.ExitCode}}', container.name)
    assert.equal(status, '0')
    assert.match(podman.run('logs', container.name), /"msg":"stopped"/)
  })
}

/** Commands and health checks of compose files (docs/moving-in.md, "From MinIO"). */
function itRunsWhatWasWrittenForMinio(podman: Podman): void {
  it('starts by a shell, and passes the health checks that were written for MinIO', async (t) => {
    const [port, consolePort] = [await freePort(), await freePort()]
    const name = `minio-${port}`
    const environment = {
      ...{ MINIO_ROOT_USER: 'app', MINIO_ROOT_PASSWORD: 'minio-secret', PORT: String(port) },
      MINIO_DEFAULT_BUCKETS: 'uploads:download',
    }
    const settings = Object.entries(environment).flatMap(([key, value]) => [
      ...['--env', `${key}=${value}`],
    ])
    const command = `mkdir -p /data/photos && minio server /data --console-address ":${consolePort}"`
    podman.run(
      ...['run', '--detach', '--name', name, '--network', 'host', '--read-only', ...limits],
      ...['--volume', `${name}:/data`, ...settings, '--entrypoint', 'sh', image, '-c', command],
    )
    t.after(() => podman.run('rm', '--force', '--time', '0', name))
    const host = `127.0.0.1:${port}`
    await untilHealthy(host, () => podman.run('logs', name))
    const live = `http://localhost:${port}/minio/health/live`
    for (const check of [
      ['curl', '-f', live],
      ['/bin/sh', '-c', `curl -sf ${live} || exit 1`],
      ['wget', '--spider', '-q', live],
      ['wget', '--no-verbose', '--tries=1', '--spider', live],
      ['mc', 'ready', 'local'],
      ['bucketry', 'health'],
    ]) {
      podman.run('exec', name, ...check)
    }
    const elsewhere = ['exec', name, 'curl', '-f', `http://localhost:${await freePort()}/`]
    assert.throws(() => podman.run(...elsewhere), /ECONNREFUSED/)
    assert.throws(() => podman.run('exec', name, 'mc', 'mb', 'local/a'), /go install/)
    assert.equal((await fetch(`http://${host}/uploads`)).status, 200)
    const credentials = { accessKey: 'app', secretKey: 'minio-secret', region: 'us-east-1' }
    const made = await signedFetch({ host, credentials }, { method: 'HEAD', target: '/photos' })
    assert.equal(made.status, 200)
    assert.equal((await fetch(`http://127.0.0.1:${consolePort}/-/`)).status, 200)
  })
}

function itHasOnlyWhatItNeeds(podman: Podman): void {
  it('has the command, labels, and no npm', () => {
    const run = ['run', '--rm', '--network', 'none', ...limits]
    assert.match(podman.run(...run, image, 'version'), /^bucketry \d+\.\d+\.\d+ /)
    assert.throws(() => podman.run(...run, '--entrypoint', 'npm', image), /not found/)
    const [inspected] = JSON.parse(podman.run('inspect', image)) as {
      readonly Labels: Readonly<Record<string, string>>
      readonly Config: { readonly User: string }
    }[]
    assert.equal(inspected?.Config.User, '10001:10001')
    assert.equal(inspected.Labels['org.opencontainers.image.version'], '1.2.3')
    assert.equal(inspected.Labels['org.opencontainers.image.revision'], 'abc')
  })

  it('has the runtime packages and no other', () => {
    const script = `console.log(JSON.stringify(fs.readdirSync('/app/node_modules')))`
    const run = ['run', '--rm', '--network', 'none', ...limits]
    const listed = podman.run(...run, '--entrypoint', '/usr/local/bin/node', image, '-e', script)
    const packages = JSON.parse(listed) as string[]
    const { dependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    for (const name of Object.keys(dependencies)) {
      assert.ok(packages.includes(name.split('/')[0] ?? ''), name)
    }
    for (const name of ['typescript', 'rolldown', 'react']) {
      assert.ok(!packages.includes(name), name)
    }
  })
}

interface Container {
  readonly name: string
  /** The folder of its volume on this machine. */
  readonly volume: string
  /** Its address, with the keys that it has generated. */
  server(): Parameters<typeof signedFetch>[0]
}

async function start(t: TestContext, podman: Podman, user: string): Promise<Container> {
  const port = await freePort()
  const name = `gateway-${port}`
  const rights = ['--read-only', '--read-only-tmpfs=false', '--cap-drop', 'ALL', '--user', user]
  const place = ['--network', 'host', '--volume', `${name}:/data`]
  const settings = ['--env', `PORT=${port}`, '--env', 'HOST=127.0.0.1']
  podman.run('run', '--detach', '--name', name, ...limits, ...rights, ...place, ...settings, image)
  t.after(() => podman.run('rm', '--force', '--time', '0', name))
  const host = `127.0.0.1:${port}`
  await untilHealthy(host, () => podman.run('logs', name))
  const volume = podman.run('volume', 'inspect', '--format', '{{.Mountpoint}}', name)
  return {
    ...{ name, volume },
    server: () => ({
      host,
      credentials: credentialsIn(readFileSync(join(volume, 'bucketry.env'), 'utf8')),
    }),
  }
}

/** The generated settings. */
function credentialsIn(settings: string): Credentials {
  const value = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(settings)?.[1] ?? ''
  return { accessKey: value('ACCESS_KEY'), secretKey: value('SECRET_KEY'), region: 'us-east-1' }
}

async function untilHealthy(host: string, logs: () => string): Promise<void> {
  const giveUpAtMs = Date.now() + startTimeoutMs
  for (;;) {
    try {
      const { status } = await fetch(`http://${host}/-/healthz`)
      if (status === 200) return
    } catch {
      // Not yet.
    }
    if (Date.now() > giveUpAtMs) throw new Error(`the container does not serve:\n${logs()}`)
    await wait(50)
  }
}

function absenceOfPodman(): string | false {
  if (process.getuid?.() !== 0) return 'needs root'
  try {
    execFileSync('podman', ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'podman is not installed (.ci/run installs it)'
  }
}
