import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, chownSync, constants, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { serverUser } from './start-postgres.ts'

const program = '/usr/sbin/pgbouncer'
const startTimeoutMs = 60_000

/** The reason to skip tests with PgBouncer, or false. */
export function absenceOfPgBouncer(): string | false {
  try {
    accessSync(program, constants.X_OK)
    return false
  } catch {
    return 'pgbouncer is not installed (.ci/run installs it)'
  }
}

export interface PgBouncer {
  /** The URL of a database through the pooler. */
  urlOf(databaseUrl: string): string
  stop(): Promise<void>
}

/**
 * PgBouncer in transaction mode in front of this server, with its other settings at their defaults: it refuses
 * settings of a connection, and gives every transaction another connection to the server.
 */
export async function startPgBouncer(databaseUrl: string, poolSize: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'bucketry-pgbouncer-'))
  const { hostname, port, username } = new URL(databaseUrl)
  const ownPort = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const databases = `[databases]\n* = host=${hostname} port=${port || 5432} user=${username}\n`
  const settings = {
    ...{ listen_addr: '127.0.0.1', listen_port: ownPort, unix_socket_dir: '' },
    ...{ auth_type: 'any', pool_mode: 'transaction', default_pool_size: poolSize },
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}\n`)
  writeFileSync(file, `${databases}[pgbouncer]\n${lines.join('')}`)
  const user = await serverUser()
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  const child = spawn('setpriv', ['--pdeathsig=INT', program, '-q', file], {
    ...user,
    cwd: folder,
    stdio: 'ignore',
  })
  const exit = once(child, 'exit')
  const urlOf = (url: string) => {
    const pooled = new URL(url)
    pooled.host = `127.0.0.1:${ownPort}`
    return pooled.href
  }
  await untilAnswering(urlOf(databaseUrl))
  return {
    urlOf,
    async stop() {
      // Ends without waiting for its clients.
      child.kill('SIGTERM')
      await exit
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilAnswering(url: string): Promise<void> {
  const giveUpAtMs = Date.now() + startTimeoutMs
  for (;;) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (Date.now() > giveUpAtMs) throw error
    }
    await wait(20)
  }
}
