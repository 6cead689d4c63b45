import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync } from 'node:fs'
import { request } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServerCertificate } from '../test/support/certificates.ts'
import { freePort } from '../test/support/free-port.ts'
import { signedFetch } from '../test/support/signed-fetch.ts'
import { signHeaders } from '../test/support/signed-request.ts'
import { bucket, type ServerKind } from './server-kinds.ts'

export interface RunningServer {
  readonly kind: ServerKind
  readonly port: number
  readonly pid: number
  readonly isTls: boolean
  /** From the start of its process to its first reply. */
  readonly startMs: number
  stop(): Promise<void>
}

export interface StartOptions {
  readonly folder: string
  /** What goes before its command (`MachineProfile`). */
  readonly prefix?: readonly string[] | undefined
  readonly environment?: Readonly<Record<string, string>>
  readonly certificate?: ServerCertificate | undefined
}

const startDeadlineMs = 20_000
/** Between two attempts to reach a server that starts. */
const attemptEveryMs = 5

/** Starts the server over `options.folder` and waits until it answers. */
export async function startServer(kind: ServerKind, options: StartOptions): Promise<RunningServer> {
  if (kind.doesMakeBucket === true) mkdirSync(options.folder, { recursive: true })
  else mkdirSync(join(options.folder, bucket), { recursive: true })
  if (kind.keepsVersions === true) mkdirSync(versionsFolder(options.folder), { recursive: true })
  const port = await freePort()
  const { folder, certificate } = options
  const commandOptions = { folder, port, certificate }
  const { prefix = [] } = options
  const [program = '', ...parameters] = [...prefix, ...kind.command(commandOptions)]
  const startedAtMs = performance.now()
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
  const isTls = certificate !== undefined
  try {
    await waitForAnswer(kind, port, isTls)
    const startMs = performance.now() - startedAtMs
    if (kind.keepsVersions === true) await enableVersions(kind, port)
    return { kind, port, pid, isTls, startMs, stop }
  } catch (error) {
    await stop()
    throw new Error(`${kind.name} did not start: see ${options.folder}.log`, { cause: error })
  }
}

async function enableVersions({ name, credentials }: ServerKind, port: number): Promise<void> {
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  const target = `/${bucket}?versioning`
  const server = { host: `127.0.0.1:${port}`, credentials }
  const reply = await signedFetch(server, { method: 'PUT', target, body })
  if (!reply.ok) throw new Error(`${name}: ${reply.status} ${await reply.text()}`)
}

/** Beside the folder, for servers that need one of their own for former versions. */
export function versionsFolder(folder: string): string {
  return `${folder}.versions`
}

async function waitForAnswer(kind: ServerKind, port: number, isTls: boolean): Promise<void> {
  const path = `/${bucket}`
  const host = `127.0.0.1:${port}`
  const method = kind.doesMakeBucket === true ? 'PUT' : 'HEAD'
  const headers = signHeaders({ method, target: path, host }, kind.credentials)
  const options = { host: '127.0.0.1', port, method, path, headers, agent: false } as const
  const deadlineMs = performance.now() + startDeadlineMs
  for (;;) {
    try {
      const sent = isTls
        ? requestOverTls({ ...options, rejectUnauthorized: false })
        : request(options)
      const [reply] = await once(sent.end(), 'response')
      reply.resume()
      // MinIO answers 503 until it has read its drives.
      if (reply.statusCode === 503) throw new Error(`${kind.name} answers 503`)
      return
    } catch (error) {
      if (performance.now() > deadlineMs) throw error
      await sleep(attemptEveryMs)
    }
  }
}
