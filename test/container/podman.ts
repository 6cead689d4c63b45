import {
  type ExecFileSyncOptionsWithStringEncoding,
  execFileSync,
  spawnSync,
} from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { extraCertificates, makeBaseRoots, npmCache } from './base-images.ts'

const project = join(import.meta.dirname, '../..')
export const image = 'localhost/bucketry:test'
/** Podman's defaults are more than a test machine may allow. */
export const limits = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1024:1024']
const startTimeoutMs = 30_000
/** Of a failed test, the last characters are shown. */
const longestLog = 20_000

const processOptions: ExecFileSyncOptionsWithStringEncoding = {
  cwd: project,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'pipe'],
}

/** Podman with its storage in one folder. */
export class Podman {
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

  /** What the container has written: its log, and its standard error after it. */
  logs(name: string): string {
    const { stdout, stderr } = spawnSync(
      'podman',
      [...this.#options(), 'logs', name],
      processOptions,
    )
    return `${stdout}${stderr}`
  }

  /** Removes a container at the end of the test. If the test has failed, shows what may explain it. */
  removeAfter(t: TestContext, name: string): void {
    t.after(() => {
      // Node.js has it since 21.7 ("context.passed"), its types do not.
      if (!(t as TestContext & { readonly passed: boolean }).passed) {
        t.diagnostic(`${name} has written:\n${this.logs(name).slice(-longestLog)}`)
        // The system itself resets connections when the memory for them is used up, which no log shows.
        t.diagnostic(spawnSync('nstat', ['-az', 'TcpExtTCPAbort*'], processOptions).stdout ?? '')
      }
      this.run('rm', '--force', '--time', '0', name)
    })
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

  /** Builds the image, as the Dockerfile says. */
  build(): void {
    const roots = makeBaseRoots(join(this.folder, 'roots'))
    const path = 'PATH=/usr/local/bin:/usr/bin:/bin'
    const certificates = `NODE_EXTRA_CA_CERTS=${extraCertificates}`
    this.import(roots.node, 'localhost/node:test', [path, certificates])
    this.import(roots.base, 'localhost/base:test', [path])
    this.import(roots.shell, 'localhost/shell:test', [path])
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
    this.run('build', ...options, ...values, '--tag', image, '.')
  }

  remove(): void {
    this.run('rm', '--all', '--force', '--time', '0')
    this.run('system', 'reset', '--force')
    for (const path of [this.folder, this.#runFolder])
      rmSync(path, { recursive: true, force: true })
  }
}

export async function untilHealthy(host: string, logs: () => string): Promise<void> {
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

export function absenceOfPodman(): string | false {
  if (process.getuid?.() !== 0) return 'needs root'
  try {
    execFileSync('podman', ['--version'], { stdio: 'ignore' })
    return false
  } catch {
    return 'podman is not installed (.ci/run installs it)'
  }
}
