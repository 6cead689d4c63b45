import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ServerCertificate } from '../test/support/certificates.ts'
import type { Credentials } from '../test/support/signed-request.ts'
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
  readonly isWithoutTls?: boolean
  /** Whether it can't serve the files of a folder as they are. */
  readonly hasOwnFormat?: boolean
  /** Whether the bucket gets versions at the start. */
  readonly keepsVersions?: true
  readonly command: (options: CommandOptions) => readonly string[]
  readonly environment?: (options: CommandOptions) => Record<string, string>
}

export interface CommandOptions {
  readonly folder: string
  readonly port: number
  /** Serve over TLS. */
  readonly certificate?: ServerCertificate | undefined
}

/** The server with versions in the bucket. */
export function versioned(
  kind: ServerKind,
  environment: (options: CommandOptions) => Record<string, string>,
): ServerKind {
  return {
    ...kind,
    name: `${kind.name} with versions`,
    keepsVersions: true,
    environment: (options) => ({ ...kind.environment?.(options), ...environment(options) }),
  }
}

export const bucket = 'bench'
const credentials = {
  accessKey: 'BENCHKEY000000000000',
  secretKey: 'bench-secret',
  region: 'us-east-1',
}

export const bucketry: ServerKind = {
  name: 'bucketry',
  note: 'fsyncs file and folder, verifies signatures',
  credentials,
  command: () => [process.execPath, ...startArguments()],
  environment: ({ folder, port, certificate }) => ({
    DRIVE: `file:${folder}`,
    DATABASE_URL: `sqlite:${folder}.db`,
    ACCESS_KEY: credentials.accessKey,
    SECRET_KEY: credentials.secretKey,
    ALLOWED_BUCKETS: bucket,
    PORT: String(port),
    LOG_LEVEL: 'warn',
    ...(certificate && { TLS_CERT: certificate.certFile, TLS_KEY: certificate.keyFile }),
  }),
}

export const bucketryRelaxed: ServerKind = {
  ...bucketry,
  name: 'bucketry relaxed',
  note: 'with DURABILITY=relaxed: syncs a second after the reply, as versitygw never does',
  environment: (options) => ({ ...bucketry.environment?.(options), DURABILITY: 'relaxed' }),
}

export const raw: ServerKind = {
  name: 'raw',
  note: 'node:http, the same reads and writes, no S3, no MD5, no fsync',
  ...rawCommand(),
}

export const rawDurable: ServerKind = {
  name: 'raw-durable',
  note: 'the same with the MD5 and the fsyncs of the gateway',
  ...rawCommand('--durable'),
}

function rawCommand(...flags: string[]): Omit<ServerKind, 'name' | 'note'> {
  return {
    credentials,
    command: ({ folder, port, certificate }) => [
      ...[process.execPath, fromRoot('bench/raw-server.ts'), ...flags],
      ...certificateFlags(certificate),
      ...[join(folder, bucket), String(port)],
    ],
    // As the gateway has: with the default of 4, waiting fsyncs would limit the result.
    environment: () => ({ UV_THREADPOOL_SIZE: '16' }),
  }
}

const s3rver: ServerKind = {
  name: 's3rver',
  note: 'npm; no fsync',
  hasOwnFormat: true,
  isWithoutTls: true,
  credentials: { accessKey: 'S3RVER', secretKey: 'S3RVER', region: 'us-east-1' },
  doesMakeBucket: true,
  command: ({ folder, port }) => [
    process.execPath,
    fromRoot('node_modules/s3rver/bin/s3rver.js'),
    ...['--directory', folder, '--port', String(port), '--address', '127.0.0.1', '--silent'],
  ],
}

export const versitygw: ServerKind = {
  name: 'versitygw',
  note: 'Go, posix backend; no fsync by default',
  absence: absenceOf('versitygw'),
  credentials,
  doesMakeBucket: true,
  command: ({ folder, port, certificate }) => [
    ...['versitygw', '--keep-alive', '--port', `127.0.0.1:${port}`],
    ...certificateFlags(certificate),
    ...['posix', folder],
  ],
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
  command: ({ folder, port, certificate }) => [
    ...['rclone', 'serve', 's3', '--addr', `127.0.0.1:${port}`, ...certificateFlags(certificate)],
    ...['--auth-key', `${credentials.accessKey},${credentials.secretKey}`, folder],
  ],
}

const minio: ServerKind = {
  name: 'minio',
  note: 'MinIO, one drive; its own format on disk',
  hasOwnFormat: true,
  absence: absenceOf('minio'),
  credentials,
  doesMakeBucket: true,
  // It takes a folder of certificates with names of its own.
  isWithoutTls: true,
  command: ({ folder, port }) => ['minio', 'server', '--address', `127.0.0.1:${port}`, folder],
  environment: () => ({
    MINIO_ROOT_USER: credentials.accessKey,
    MINIO_ROOT_PASSWORD: credentials.secretKey,
  }),
}

export const serverKinds: readonly ServerKind[] = [
  bucketry,
  raw,
  rawDurable,
  s3rver,
  versitygw,
  rclone,
  minio,
]

function certificateFlags(certificate: ServerCertificate | undefined): string[] {
  return certificate === undefined
    ? []
    : ['--cert', certificate.certFile, '--key', certificate.keyFile]
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
