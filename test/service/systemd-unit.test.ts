import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { signedFetch } from '../support/signed-fetch.ts'
import { startArguments } from '../support/start-command.ts'

const root = join(import.meta.dirname, '../..')
const deploy = join(root, 'deploy/systemd')
const unitName = 'bucketry.service'
const skip = absenceOf('systemd-analyze') || absenceOf('strace')

function absenceOf(program: string): string | false {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return false
  } catch {
    return `${program} is not installed (.ci/run installs it)`
  }
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-systemd-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** The unit with its drop-ins, as an administrator installs them, for a program that exists here. */
function installedUnit(folder: string): string {
  const unit = join(folder, unitName)
  const text = readFileSync(join(deploy, unitName), 'utf8')
  writeFileSync(unit, text.replace('ExecStart=bucketry', 'ExecStart=/bin/true'))
  mkdirSync(`${unit}.d`)
  for (const name of ['credentials.conf', 'drive.conf']) {
    copyFileSync(join(deploy, name), join(`${unit}.d`, name))
  }
  return unit
}

test('systemd accepts the unit and its drop-ins without a warning', { skip }, (t) => {
  const unit = installedUnit(temporaryFolder(t))
  const { stderr } = runAnalyze('verify', '--man=no', unit)
  assert.equal(stderr, '')
})

test('systemd accepts the backup and its timer, with the drop-ins of the service', {
  skip,
}, (t) => {
  const folder = temporaryFolder(t)
  // As docs/backup.md installs them. systemd does not look into a symbolic link to a folder of drop-ins.
  renameSync(`${installedUnit(folder)}.d`, join(folder, 'bucketry-backup.service.d'))
  const units = ['bucketry-backup.service', 'bucketry-backup.timer'].map((name) => {
    copyFileSync(join(deploy, name), join(folder, name))
    return join(folder, name)
  })
  const { stderr } = runAnalyze('verify', '--man=no', ...units)
  assert.equal(stderr, '')
})

test('the backup has the settings of the service', () => {
  const linesOf = (name: string, pattern: RegExp) =>
    readFileSync(join(deploy, name), 'utf8').match(pattern) ?? []
  const settings = /^(?:Environment|EnvironmentFile|User|Group|UMask)=.*$/gm
  const own = linesOf('bucketry-backup.service', settings)
  assert.equal(own.length, 6)
  assert.deepEqual(own, linesOf(unitName, settings))
})

test('the backup writes one file for the day of the week', (t) => {
  const folder = temporaryFolder(t)
  const unit = readFileSync(join(deploy, 'bucketry-backup.service'), 'utf8')
  const [, command = ''] = /^ExecStart=\/bin\/sh -c '(.*)'$/m.exec(unit) ?? []
  const expanded = command.replace('%S', folder).replace('%%', '%').replace('exec bucketry', 'echo')
  const said = execFileSync('/bin/sh', ['-c', expanded], { encoding: 'utf8' })
  assert.match(said, new RegExp(`^backup ${folder}/bucketry-backup/[1-7]\\.backup\\n$`))
})

test('the exposure level of the unit is the one that docs/install.md shows', { skip }, (t) => {
  const unit = installedUnit(temporaryFolder(t))
  const { stdout } = runAnalyze('security', '--offline=true', '--no-pager', unit)
  const [, level = ''] = /Overall exposure level for bucketry\.service: ([\d.]+)/.exec(stdout) ?? []
  assert.notEqual(level, '', stdout)
  const [, documented] =
    /exposure level\s+of ([\d.]+)/.exec(readFileSync(join(root, 'docs/install.md'), 'utf8')) ?? []
  assert.equal(documented, level)
})

function runAnalyze(...args: string[]): { readonly stdout: string; readonly stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-analyze-'))
  const errors = join(folder, 'stderr')
  try {
    const command = ['-c', 'exec systemd-analyze "$@" 2>"$0"', errors, ...args]
    const stdout = execFileSync('sh', command, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, SYSTEMD_COLORS: '0', COLUMNS: '200' },
    })
    return { stdout, stderr: readFileSync(errors, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const credentials = { accessKey: 'me', secretKey: '0123456789abcdef', region: 'us-east-1' }

/** Not called by the user of the unit: SQLite gives its files to the database's owner if it runs as root. */
const onlyAsRoot: ReadonlySet<string> = new Set(['fchown'])

test('the gateway makes no system call that the unit forbids', { skip }, async (t) => {
  const folder = temporaryFolder(t)
  const trace = join(folder, 'trace')
  const gateway = startTraced(folder, trace)
  t.after(() => gateway.kill())
  const server = { host: await gateway.host, credentials }
  const body = Buffer.alloc(3 * 1024 * 1024)
  for (const target of ['/files/small', '/files/large']) {
    const bytes = target.endsWith('small') ? body.subarray(0, 100) : body
    const put = await signedFetch(server, { method: 'PUT', target, body: bytes })
    assert.equal(put.status, 200)
    assert.equal((await signedFetch(server, { method: 'GET', target })).status, 200)
  }
  const list = await signedFetch(server, { method: 'GET', target: '/files?list-type=2' })
  assert.match(await list.text(), /<Key>large<\/Key>/)
  const login = await fetch(`http://${server.host}/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ passwordHash: 'x'.repeat(64) }),
  })
  assert.notEqual(login.status, 500)
  assert.equal(await gateway.stop(), 0)
  const allowed = allowedCalls()
  assert.ok(allowed.size > 200)
  const made = new Set(
    Array.from(readFileSync(trace, 'utf8').matchAll(/^\d+ +(\w+)\(/gm), ([, name = '']) => name),
  )
  assert.ok(made.has('fsync') && made.has('accept4'), [...made].join(' '))
  const forbidden = [...made].filter((name) => !allowed.has(name) && !onlyAsRoot.has(name))
  assert.deepEqual(forbidden, [])
})

/** The program with all its threads and workers, and the names of its system calls in a file. */
function startTraced(folder: string, trace: string) {
  const tracer = ['--follow-forks', '--quiet=all', `--output=${trace}`, '--string-limit=0']
  const child = spawn('strace', [...tracer, process.execPath, ...startArguments()], {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH,
      ...{ ACCESS_KEY: credentials.accessKey, SECRET_KEY: credentials.secretKey },
      ...{ ALLOWED_BUCKETS: 'files', PORT: '0', WORKERS: '2', DASHBOARD_PASSWORD: 'a password' },
    },
  })
  const group = -(child.pid ?? Number.NaN)
  const exit = once(child, 'close')
  let log = ''
  const host = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (text: Buffer) => {
      log += text
      const [, found] = /"url":"http:\/\/([^"]+)"/.exec(log) ?? []
      if (found !== undefined) resolve(found)
    })
    exit.then(() => reject(new Error(`the gateway ended:\n${log}`)), reject)
  })
  return {
    host,
    async stop() {
      // The group: strace passes the status on.
      process.kill(group, 'SIGTERM')
      const [status] = await exit
      return status as number | null
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      process.kill(group, 'SIGKILL')
      await exit
    },
  }
}

/** The system calls that the lines of the unit allow, in their order. */
function allowedCalls(): ReadonlySet<string> {
  const unit = readFileSync(join(deploy, unitName), 'utf8')
  const allowed = new Set<string>()
  for (const [, line = ''] of unit.matchAll(/^SystemCallFilter=(.*)$/gm)) {
    const isDenied = line.startsWith('~')
    for (const name of line.replace('~', '').split(' ').flatMap(callsOf)) {
      if (isDenied) allowed.delete(name)
      else allowed.add(name)
    }
  }
  return allowed
}

/** The calls of a group of systemd's, or the call itself. */
function callsOf(name: string): string[] {
  if (!name.startsWith('@')) return [name]
  const { stdout } = runAnalyze('syscall-filter', '--no-pager', name)
  const lines = stdout.split('\n').map((line) => line.trim())
  const members = lines.filter((line) => /^@?[a-z0-9_-]+$/.test(line) && line !== name)
  return members.flatMap(callsOf)
}
