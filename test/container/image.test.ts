import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { codeBlocksOf, replaced } from '../support/code-blocks.ts'
import { freePort } from '../support/free-port.ts'
import { signedFetch } from '../support/signed-fetch.ts'
import type { Credentials } from '../support/signed-request.ts'
import { itServesApplications } from './applications.ts'
import { absenceOfPodman, image, limits, Podman, untilHealthy } from './podman.ts'

const project = join(import.meta.dirname, '../..')
describe('The image', { skip: absenceOfPodman() }, () => {
  const podman = new Podman()
  before(() => podman.build())
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
  itServesApplications(podman)
  itRefusesMounts(podman)
  itHasOnlyWhatItNeeds(podman)
})

function itRunsAsDocumented(podman: Podman): void {
  const blocks = codeBlocksOf('docs/install.md').filter(({ heading }) => heading === 'Docker')
  const run = async (t: TestContext, text: string) => {
    const home = mkdtempSync(join(tmpdir(), 'bucketry-home-'))
    const port = await freePort()
    podman.removeAfter(t, 'bucketry')
    t.after(() => rmSync(home, { recursive: true }))
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
    await untilHealthy(host, () => podman.logs('bucketry'))
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
    assert.match(podman.logs(container.name), /"msg":"stopped"/)
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
    podman.removeAfter(t, name)
    const host = `127.0.0.1:${port}`
    await untilHealthy(host, () => podman.logs(name))
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

/** Each of them stores objects where they are lost, or nothing at all. */
function itRefusesMounts(podman: Podman): void {
  const root = ['--env', 'MINIO_ROOT_USER=app', '--env', 'MINIO_ROOT_PASSWORD=minio-secret']
  const start = (mount: string) =>
    podman.run('run', '--rm', '--network', 'none', ...limits, ...root, '--volume', mount, image)

  it('does not start with the volume of a compose file for the image of Bitnami', () => {
    assert.throws(() => start('bitnami:/bitnami/minio/data'), /mount an empty volume at \/data/)
  })

  it('says which user may not write to a folder of the machine', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'bucketry-mounted-'))
    t.after(() => rmSync(folder, { recursive: true }))
    assert.throws(() => start(`${folder}:/data`), /must be writable for user 10001/)
  })
}

function itHasOnlyWhatItNeeds(podman: Podman): void {
  it('has the command, labels, and no npm', () => {
    const run = ['run', '--rm', '--network', 'none', ...limits]
    assert.match(podman.run(...run, image, 'version'), /^bucketry \d+\.\d+\.\d+ /)
    assert.throws(() => podman.run(...run, '--entrypoint', 'npm', image), /not found/)
    // Not that of busybox (docs/durability.md).
    assert.match(podman.run(...run, '--entrypoint', 'sync', image, '--version'), /coreutils/)
    podman.run(...run, '--entrypoint', 'sync', image, '-f', '/data')
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
  podman.removeAfter(t, name)
  const host = `127.0.0.1:${port}`
  await untilHealthy(host, () => podman.logs(name))
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
