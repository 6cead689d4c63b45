import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerCertificate } from './certificates.ts'
import { freePort } from './free-port.ts'
import type { Credentials } from './signed-request.ts'
import { startArguments } from './start-command.ts'

/**
 * A gateway as an operator runs it: as `npm start` does, with every setting at its default but those
 * that tests must have. It leads a new process group, so that a crash test can kill all of
 * its processes at one moment.
 */
export interface GatewayProcess {
  readonly url: string
  readonly host: string
  readonly port: number
  /** The drive's root: buckets are folders in it. */
  readonly driveFolder: string
  readonly credentials: Credentials
  /** Its settings, for a command that is run beside it. */
  readonly environment: Readonly<Record<string, string>>
  readonly pid: number
  /** The last of what it has logged. */
  logs(): string
  /** Stops it as an operator does; resolves with its exit status. */
  stop(): Promise<number | null>
  /** SIGKILL to the whole group; resolves when none of its processes is left. */
  kill(): Promise<void>
}

export interface GatewayProcessOptions {
  /** Holds drive and database; the same folder again is a restart. */
  readonly folder: string
  readonly certificate?: ServerCertificate
  /** Default: a free one. */
  readonly port?: number
  readonly settings?: Readonly<Record<string, string>>
  /** A program and its arguments that runs the gateway, such as strace(1). */
  readonly under?: readonly string[]
}

export const testCredentials: Credentials = {
  accessKey: 'TESTACCESSKEY0000000',
  secretKey: 'test/secret+key0000000000000000000000000',
  region: 'us-east-1',
}
export const testBucket = 'photos'

/** Only against a gateway that hangs. */
const startDeadlineMs = 60_000
const keptLogLength = 100_000

export async function startGatewayProcess(options: GatewayProcessOptions): Promise<GatewayProcess> {
  const { folder, certificate, settings } = options
  const port = options.port ?? (await freePort())
  const driveFolder = join(folder, 'drive')
  const environment = {
    DRIVE: `file:${driveFolder}`,
    DATABASE_URL: `sqlite:${join(folder, 'state.db')}`,
    ACCESS_KEY: testCredentials.accessKey,
    SECRET_KEY: testCredentials.secretKey,
    ALLOWED_BUCKETS: testBucket,
    PORT: String(port),
    ...(certificate && { TLS_CERT: certificate.certFile, TLS_KEY: certificate.keyFile }),
    ...settings,
  }
  const [program = '', ...args] = [...(options.under ?? []), process.execPath, ...startArguments()]
  const child = spawn(program, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...environment },
  })
  // All processes of the group hold the pipes: once they close, none of them runs.
  const exit = once(child, 'close')
  let log = ''
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8')
    output.on('data', (text: string) => {
      log = (log + text).slice(-keptLogLength)
    })
  }
  const logs = (): string => log
  await waitForListening(child, { port, logs })
  const pid = child.pid ?? 0
  const host = `127.0.0.1:${port}`
  return {
    ...{ host, port, driveFolder, pid, logs, environment },
    url: `${certificate === undefined ? 'http' : 'https'}://${host}`,
    credentials: testCredentials,
    async stop() {
      child.kill('SIGTERM')
      const [status] = await exit
      return status
    },
    async kill() {
      killGroup(pid)
      await exit
    },
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // ESRCH: the group has already ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

interface Start {
  readonly port: number
  logs(): string
}

async function waitForListening(child: ChildProcess, { port, logs }: Start): Promise<void> {
  const deadlineMs = Date.now() + startDeadlineMs
  while (!(await doesAccept(port))) {
    if (child.exitCode !== null) {
      throw new Error(`the gateway ended with status ${child.exitCode}:\n${logs()}`)
    }
    if (Date.now() > deadlineMs) {
      killGroup(child.pid ?? 0)
      throw new Error(`the gateway does not listen after ${startDeadlineMs} ms:\n${logs()}`)
    }
    await delay(20)
  }
}

async function doesAccept(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false // Refused: not yet.
  } finally {
    socket.destroy()
  }
}

/** Files of unfinished writes and held locks, for tests that expect none. */
export function unfinishedFiles(driveFolder: string): string[] {
  const files = ['tmp', 'locks'].flatMap((name) => filesBelow(join(driveFolder, '.bucketry', name)))
  return files.filter((path) => !isOfLivingProcess(path))
}

/** Each process has a file with its name and a journal of folders, empty while nothing is under way. */
function isOfLivingProcess(path: string): boolean {
  if (path.endsWith('/holder')) return true
  return path.endsWith('.folders') && statSync(path, { throwIfNoEntry: false })?.size === 0
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
