import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

const startTimeoutMs = 60_000
const pollMs = 10

/** For how long something runs: a test's context is one, `suiteScope` gives one of many tests. */
export interface Scope {
  after(end: () => unknown): void
  skip(reason: string): void
}

/** A WebDAV server for a test, on the loopback and a new folder. */
export interface WebdavServer {
  /** As in DRIVE: `webdav+http://user:password@127.0.0.1:PORT/path`. */
  readonly url: string
  /** The same place without credentials: `http://127.0.0.1:PORT/path`. */
  readonly httpUrl: string
  readonly user: string
  readonly password: string
  /** Value of the Authorization header. */
  readonly authorization: string
  /** The folder on disk that `url` shows. */
  readonly root: string
  /** Only if the server caches folders: makes it read them again, after a change of `root` by hand. */
  forgetFolders?(): Promise<void>
  /** What the server has written to its error log so far. */
  errors(): string
  /** Ends it at once; the folder stays until the test ends. Idempotent. */
  stop(): Promise<void>
}

export interface WebdavServerOptions {
  /** The root becomes a file system in memory of that size. Only root may make one. */
  readonly capacityBytes?: number
}

/** How to run one sort of server. */
export interface ServerKind {
  /** Its name, or its path where it is in none of PATH's folders. */
  readonly program: string
  /** Where it comes from: Debian's packages that hold it. */
  readonly packages: string
  /** Path of the root on the server, without a slash at the end. */
  readonly path: string
  /** Writes what it needs into `place.folder` and gives its arguments. */
  prepare(place: ServerPlace): readonly string[]
}

export interface ServerPlace {
  /** Its own folder: configuration, locks. */
  readonly folder: string
  /** File of its error log. */
  readonly log: string
  readonly root: string
  readonly port: number
  readonly user: string
  readonly password: string
}

// Every character of the password has a meaning in a URL.
const credentials = { user: 'bucketry', password: 'p@ss/w?rd#%:+' }

/** Why a program can't be started here, or false: for the `skip` of a test. */
export function absenceOf(program: string, packages: string): string | false {
  if (findProgram(program) === undefined) return `needs ${program} (Debian: ${packages})`
  return findProgram('setpriv') === undefined ? 'needs setpriv (Debian: util-linux)' : false
}

/**
 * Starts a server that ends with `scope`. Undefined, and the scope skipped, where the program is
 * missing.
 */
export async function startServer(
  scope: Scope,
  kind: ServerKind,
  { capacityBytes }: WebdavServerOptions = {},
): Promise<WebdavServer | undefined> {
  const absence = absenceOf(kind.program, kind.packages)
  if (absence !== false) {
    scope.skip(absence)
    return undefined
  }
  const folder = mkdtempSync(join(tmpdir(), `bucketry-${basename(kind.program)}-`))
  const root = join(folder, 'root')
  const log = join(folder, 'log')
  mkdirSync(root)
  if (capacityBytes !== undefined) mountMemory(root, capacityBytes)
  const place = { folder, root, log, port: await freePort(), ...credentials }
  const server = spawnServer(kind, place)
  scope.after(async () => {
    await end(server)
    if (capacityBytes !== undefined) execFileSync('umount', ['--lazy', root])
    rmSync(folder, { recursive: true, force: true })
  })
  await untilAnswering(server, place)
  return serverAt(kind, place, () => end(server))
}

function spawnServer(kind: ServerKind, place: ServerPlace): ChildProcess {
  const [command = '', ...prefix] = confinement
  const args = [...prefix, findProgram(kind.program) ?? kind.program, ...kind.prepare(place)]
  const log = openSync(place.log, 'a')
  try {
    return spawn(command, args, { cwd: place.folder, stdio: ['ignore', 'ignore', log] })
  } finally {
    closeSync(log)
  }
}

function serverAt(kind: ServerKind, place: ServerPlace, stop: () => Promise<void>): WebdavServer {
  const { user, password, root } = place
  const authority = `127.0.0.1:${place.port}`
  return {
    url: `webdav+http://${user}:${encodeURIComponent(password)}@${authority}${kind.path}`,
    httpUrl: `http://${authority}${kind.path}`,
    user,
    password,
    authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    root,
    errors: () => readFileSync(place.log, 'utf8'),
    stop,
  }
}

/**
 * Runs a server so that it dies with the test's process, whatever ends that. Where the test is
 * root, the server is not (Apache refuses), but may do with files what root may: the test puts
 * files into its folder by hand.
 */
const confinement: readonly string[] =
  process.getuid?.() === 0
    ? [
        ...[
          'setpriv',
          '--pdeathsig=TERM',
          '--reuid=www-data',
          '--regid=www-data',
          '--clear-groups',
        ],
        ...['--inh-caps=+dac_override,+fowner', '--ambient-caps=+dac_override,+fowner'],
      ]
    : ['setpriv', '--pdeathsig=TERM']

function findProgram(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  // Debian keeps servers where only root's PATH leads.
  for (const folder of [...folders, '/usr/sbin']) {
    const path = resolve(folder, name)
    try {
      accessSync(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

function mountMemory(folder: string, sizeBytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', folder])
}

async function untilAnswering(server: ChildProcess, { port, log }: ServerPlace): Promise<void> {
  const giveUpAt = Date.now() + startTimeoutMs
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'OPTIONS' })
      await response.arrayBuffer()
      return
    } catch (error) {
      if (hasEnded(server) || Date.now() > giveUpAt) {
        const reason = readFileSync(log, 'utf8')
        throw new Error(`the server does not start: ${reason}`, { cause: error })
      }
    }
    await wait(pollMs)
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
