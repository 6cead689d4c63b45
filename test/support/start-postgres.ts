import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { appendFile, chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { freePort } from './free-port.ts'
import { signalAll, treeOf } from './process-tree.ts'

const run = promisify(execFile)
const debianFolder = '/usr/lib/postgresql'
const startTimeoutMs = 60_000

export interface TestPostgres {
  /** A new, empty database each time. */
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

/**
 * A PostgreSQL server for tests: the one of POSTGRES_URL, whose user may create databases, or one
 * of our own from Debian's package, in a temporary folder. Undefined when there is neither.
 */
export async function startPostgres(): Promise<TestPostgres | undefined> {
  const given = process.env.POSTGRES_URL
  if (given !== undefined) return serverAt(given, async () => undefined)
  return startOwnPostgres()
}

/** A server that a test may limit, end and start again. */
export interface OwnPostgres extends TestPostgres {
  readonly pid: number
  /** Stops all of its processes where they are: connections stay open and nothing answers. */
  freeze(): void
  thaw(): void
  /** Ends every connection and the server, as an operator does. */
  goAway(): Promise<void>
  /** Ends it without a checkpoint, as a machine that loses power. It recovers when it comes back. */
  crash(): Promise<void>
  /** Starts it again, on the same port. */
  comeBack(): Promise<void>
}

/** Where a server listens besides the loopback, and the addresses of the clients that may connect there. */
export interface PostgresNetwork {
  readonly address: string
  readonly clients: readonly string[]
}

/**
 * Starts a server of our own.
 *
 * @param settings such as `max_connections=20`
 * @returns undefined without Debian's package
 */
export async function startOwnPostgres(
  settings: readonly string[] = [],
  network?: PostgresNetwork,
): Promise<OwnPostgres | undefined> {
  const binaries = await findBinaries()
  return binaries === undefined ? undefined : startOwn(binaries, settings, network)
}

async function startOwn(
  binaries: string,
  settings: readonly string[],
  network: PostgresNetwork | undefined,
): Promise<OwnPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-postgres-'))
  const user = await serverUser()
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  const data = join(folder, 'data')
  const port = await freePort()
  const owner = { ...user, cwd: folder }
  await run(
    join(binaries, 'initdb'),
    ['-D', data, '-U', 'bucketry', '-A', 'trust', '-E', 'UTF8', '--no-locale'],
    owner,
  )
  const { address, clients = [] } = network ?? {}
  const rules = clients.map((client) => `host all all ${client}/32 trust\n`)
  await appendFile(join(data, 'pg_hba.conf'), rules.join(''))
  const hosts = ['127.0.0.1', ...(address === undefined ? [] : [address])].join()
  const place = ['-D', data, '-h', hosts, '-p', String(port), '-k', folder]
  const options = settings.flatMap((setting) => ['-c', setting])
  const start = () =>
    spawn(join(binaries, 'postgres'), [...place, ...options], { ...owner, stdio: 'ignore' })
  let server = start()
  const stop = async () => {
    // A frozen one takes SIGINT when it goes on.
    signalAll(treeOf(server.pid ?? 0), 'SIGCONT')
    await end(server)
    await rm(folder, { recursive: true, force: true })
  }
  const url = `postgres://bucketry@127.0.0.1:${port}/postgres`
  try {
    await untilAnswering(url)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    ...serverAt(url, stop),
    get pid() {
      return server.pid ?? 0
    },
    freeze: () => signalAll(treeOf(server.pid ?? 0), 'SIGSTOP'),
    thaw: () => signalAll(treeOf(server.pid ?? 0), 'SIGCONT'),
    goAway: () => end(server),
    crash: () => end(server, 'SIGQUIT'),
    async comeBack() {
      server = start()
      await untilAnswering(url)
    },
  }
}

function serverAt(url: string, stop: () => Promise<void>): TestPostgres {
  const created: string[] = []
  return {
    async createDatabase() {
      const name = `bucketry_test_${process.pid}_${Date.now()}_${created.length}`
      created.push(name)
      await runAt(url, `CREATE DATABASE ${name}`)
      const database = new URL(url)
      database.pathname = `/${name}`
      return database.href
    },
    async stop() {
      try {
        for (const name of created) await runAt(url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      } finally {
        await stop()
      }
    },
  }
}

async function runAt(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Connects until the server refuses. */
export async function takeAllConnections(url: string): Promise<Client[]> {
  const taken: Client[] = []
  for (;;) {
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      taken.push(client)
    } catch {
      return taken
    }
  }
}

async function findBinaries(): Promise<string | undefined> {
  try {
    const versions = (await readdir(debianFolder)).map(Number).filter(Number.isFinite)
    if (versions.length === 0) return undefined
    return join(debianFolder, String(Math.max(...versions)), 'bin')
  } catch {
    // The package is not installed.
    return undefined
  }
}

/** PostgreSQL refuses to run as root: then it runs as the user that its package made. */
export async function serverUser(): Promise<
  { readonly uid: number; readonly gid: number } | undefined
> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all([idOf('-u'), idOf('-g')])
  return { uid, gid }
}

async function idOf(option: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [option, 'postgres'])
  return Number(stdout)
}

async function untilAnswering(url: string): Promise<void> {
  const giveUpAt = Date.now() + startTimeoutMs
  for (;;) {
    try {
      await runAt(url, 'SELECT 1')
      return
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
    }
    await wait(50)
  }
}

/** SIGINT is PostgreSQL's fast shutdown, SIGQUIT its immediate one. */
async function end(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const hasEnded = new Promise((resolve) => server.once('exit', resolve))
  server.kill(signal)
  await hasEnded
}
