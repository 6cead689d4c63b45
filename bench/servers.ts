import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../test/support/free-port.ts'
import { type Credentials, signHeaders } from '../test/support/signed-request.ts'
import { startArguments } from '../test/support/start-command.ts'

/** A server to measure. Servers that are not installed have a reason instead of a command. */
export interface ServerKind {
  readonly name: string
  /** What a reader of the table must know. */
  readonly note: string
  /** Why it can't run here; undefined when it can. */
  readonly absence?: string | undefined
  readonly credentials: Credentials
  /** Whether the bucket is made by `PUT /bench`; else it is a folder made before the start. */
  readonly doesMakeBucket?: boolean
  readonly command: (options: CommandOptions) => readonly string[]
  readonly environment?: (options: CommandOptions) => Record<string, string>
}

export interface CommandOptions {
  readonly folder: string
  readonly port: number
}

export interface RunningServer {
  readonly kind: ServerKind
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

export interface StartOptions {
  readonly folder: string
  /** The core that the server may use; undefined: all. */
  readonly core?: number | undefined
  readonly environment?: Readonly<Record<string, string>>
}

export const bucket = 'bench'
const credentials = {
  accessKey: 'BENCHKEY000000000000',
  secretKey: 'bench-secret',
  region: 'us-east-1',
}
const startDeadlineMs = 20_000

export const bucketry: ServerKind = {
  name: 'bucketry',
  note: 'fsyncs file and folder, verifies signatures',
  credentials,
  command: () => [process.execPath, ...startArguments()],
  environment: ({ folder, port }) => ({
    DRIVE: `file:${folder}`,
    DATABASE_URL: `sqlite:${folder}.db`,
    ACCESS_KEY: credentials.accessKey,
    SECRET_KEY: credentials.secretKey,
    ALLOWED_BUCKETS: bucket,
    PORT: String(port),
    LOG_LEVEL: 'warn',
  }),
}

export const rawServer: ServerKind = {
  name: 'raw',
  note: 'node:http, same reads, writes, MD5 and fsyncs, no S3: the floor',
  credentials,
  command: ({ folder, port }) => [
    process.execPath,
    fromRoot('bench/raw-server.ts'),
    join(folder, bucket),
    String(port),
  ],
  // As the gateway has: with the default of 4, waiting fsyncs would limit the result.
  environment: () => ({ UV_THREADPOOL_SIZE: '16' }),
}

const s3rver: ServerKind = {
  name: 's3rver',
  note: 'npm; no fsync',
  credentials: { accessKey: 'S3RVER', secretKey: 'S3RVER', region: 'us-east-1' },
  doesMakeBucket: true,
  command: ({ folder, port }) => [
    process.execPath,
    fromRoot('node_modules/s3rver/bin/s3rver.js'),
    ...['--directory', folder, '--port', String(port), '--address', '127.0.0.1', '--silent'],
  ],
}

const versitygw: ServerKind = {
  name: 'versitygw',
  note: 'Go, posix backend; no fsync by default',
  absence: absenceOf('versitygw'),
  credentials,
  doesMakeBucket: true,
  command: ({ folder, port }) => ['versitygw', '--port', `127.0.0.1:${port}`, 'posix', folder],
  environment: () => ({
    ROOT_ACCESS_KEY: credentials.accessKey,
    ROOT_SECRET_KEY: credentials.secretKey,
  }),
}

const rclone: ServerKind = {
  name: 'rclone',
  note: 'rclone serve s3; no fsync',
  absence: absenceOfRclone(),
  credentials,
  doesMakeBucket: true,
  command: ({ folder, port }) => [
    ...['rclone', 'serve', 's3', '--addr', `127.0.0.1:${port}`],
    ...['--auth-key', `${credentials.accessKey},${credentials.secretKey}`, folder],
  ],
}

const minio: ServerKind = {
  name: 'minio',
  note: 'MinIO, one drive; its own format on disk',
  absence: absenceOf('minio'),
  credentials,
  doesMakeBucket: true,
  command: ({ folder, port }) => ['minio', 'server', '--address', `127.0.0.1:${port}`, folder],
  environment: () => ({
    MINIO_ROOT_USER: credentials.accessKey,
    MINIO_ROOT_PASSWORD: credentials.secretKey,
  }),
}

export const serverKinds: readonly ServerKind[] = [
  bucketry,
  rawServer,
  s3rver,
  versitygw,
  rclone,
  minio,
]

/** Starts the server over `options.folder` and waits until it answers. */
export async function startServer(kind: ServerKind, options: StartOptions): Promise<RunningServer> {
  if (kind.doesMakeBucket === true) mkdirSync(options.folder, { recursive: true })
  else mkdirSync(join(options.folder, bucket), { recursive: true })
  const port = await freePort()
  const commandOptions = { folder: options.folder, port }
  const pinned = options.core === undefined ? [] : ['taskset', '-c', String(options.core)]
  const [program = '', ...parameters] = [...pinned, ...kind.command(commandOptions)]
  const log = openSync(`${options.folder}.log`, 'a')
  const child = spawn(program, parameters, {
    stdio: ['ignore', log, log],
    env: { ...process.env, ...kind.environment?.(commandOptions), ...options.environment },
  })
  const ended = once(child, 'exit')
  const pid = child.pid
  if (pid === undefined) throw new Error(`${kind.name} did not start: see ${options.folder}.log`)
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  try {
    await waitForAnswer(kind, port)
  } catch (error) {
    await stop()
    throw new Error(`${kind.name} did not start: see ${options.folder}.log`, { cause: error })
  }
  return { kind, port, pid, stop }
}

async function waitForAnswer(kind: ServerKind, port: number): Promise<void> {
  const target = `/${bucket}`
  const host = `127.0.0.1:${port}`
  const method = kind.doesMakeBucket === true ? 'PUT' : 'HEAD'
  const { host: _, ...headers } = signHeaders({ method, target, host }, kind.credentials)
  const deadlineMs = Date.now() + startDeadlineMs
  for (;;) {
    try {
      const reply = await fetch(`http://${host}${target}`, { method, headers })
      await reply.arrayBuffer()
      return
    } catch (error) {
      if (Date.now() > deadlineMs) throw error
      await sleep(50)
    }
  }
}

function absenceOf(program: string): string | undefined {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'not on PATH'
  }
}

/** `rclone serve s3` came with 1.65. */
function absenceOfRclone(): string | undefined {
  const absence = absenceOf('rclone')
  if (absence !== undefined) return absence
  const version = execFileSync('rclone', ['version'], { encoding: 'utf8' }).split('\n')[0] ?? ''
  const [major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(version) ?? []).slice(1).map(Number)
  return major > 1 || minor >= 65 ? undefined : `${version}: serve s3 needs 1.65`
}

function fromRoot(path: string): string {
  return join(fileURLToPath(new URL('..', import.meta.url)), path)
}
