import { type ChildProcess, spawn } from 'node:child_process'
import { access, constants, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { freePort } from './free-port.ts'

const startTimeoutMs = 60_000

export interface TestRedis {
  readonly url: string
  /** Stops answering without closing anything (SIGSTOP), until `thaw`. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

export interface RedisOptions {
  readonly port?: number
  /** An address to listen on besides the loopback. All clients that reach it may use the server. */
  readonly address?: string
  readonly password?: string
  /** A node of a cluster, with a port for the other nodes. */
  readonly busPort?: number
  /** Files of a certificate: the server then speaks TLS only. */
  readonly tls?: { readonly certFile: string; readonly keyFile: string }
}

/**
 * A Redis or Valkey server for tests, found on PATH, on a free port, without persistence. Undefined
 * when there is none.
 */
export async function startRedis(options: RedisOptions = {}): Promise<TestRedis | undefined> {
  const program = (await findOnPath('redis-server')) ?? (await findOnPath('valkey-server'))
  return program === undefined ? undefined : startOwn(program, options)
}

async function startOwn(program: string, options: RedisOptions): Promise<TestRedis> {
  const folder = await mkdtemp(join(tmpdir(), 'bucketry-redis-'))
  const port = options.port ?? (await freePort())
  const password = options.password ?? ''
  const server = spawn(program, argumentsOf(port, options), { cwd: folder, stdio: 'ignore' })
  const stop = async () => {
    await end(server)
    await rm(folder, { recursive: true, force: true })
  }
  const scheme = options.tls === undefined ? 'redis' : 'rediss'
  const url = `${scheme}://${password === '' ? '' : `:${password}@`}127.0.0.1:${port}`
  try {
    await untilAnswering(url)
  } catch (error) {
    await stop()
    throw error
  }
  return {
    url,
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    stop,
  }
}

const clusterSlots = 16_384
const clusterNodes = 3

/** A cluster of three servers without copies. `url` is that of one of them. */
export async function startRedisCluster(): Promise<TestRedis | undefined> {
  const program = (await findOnPath('redis-server')) ?? (await findOnPath('valkey-server'))
  if (program === undefined) return undefined
  const ports: (readonly [port: number, busPort: number])[] = []
  for (let node = 0; node < clusterNodes; node += 1)
    ports.push([await freePort(), await freePort()])
  const servers = await Promise.all(
    ports.map(([port, busPort]) => startOwn(program, { port, busPort })),
  )
  const clients = servers.map(({ url }) => new Redis(url))
  const [first] = ports
  for (const [node, client] of clients.entries()) {
    const share = clusterSlots / clusterNodes
    const slots = [Math.ceil(node * share), Math.ceil((node + 1) * share) - 1]
    await client.call('CLUSTER', 'ADDSLOTSRANGE', ...slots)
    await client.call('CLUSTER', 'MEET', '127.0.0.1', ...(first ?? []))
  }
  for (const client of clients) {
    while (!/cluster_state:ok/.test(String(await client.call('CLUSTER', 'INFO')))) await wait(20)
    client.disconnect()
  }
  return {
    url: servers[0]?.url ?? '',
    freeze() {
      for (const server of servers) server.freeze()
    },
    thaw() {
      for (const server of servers) server.thaw()
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()))
    },
  }
}

function argumentsOf(port: number, { password, tls, busPort, address }: RedisOptions): string[] {
  const listen =
    tls === undefined
      ? ['--port', String(port)]
      : [
          ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
          ...['--tls-cert-file', tls.certFile, '--tls-key-file', tls.keyFile],
          ...['--tls-ca-cert-file', tls.certFile],
        ]
  const secret = password === undefined ? [] : ['--requirepass', password]
  // Alone in its cluster, a node would not learn its own address.
  const announced = ['--cluster-announce-ip', '127.0.0.1']
  const node =
    busPort === undefined
      ? []
      : ['--cluster-enabled', 'yes', '--cluster-port', String(busPort), ...announced]
  const open = address === undefined ? [] : [address, '--protected-mode', 'no']
  const bind = ['--bind', '127.0.0.1', ...open]
  return [...node, ...bind, '--save', '', '--appendonly', 'no', ...listen, ...secret]
}

async function findOnPath(name: string): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name)
    try {
      await access(path, constants.X_OK)
      return path
    } catch {
      // Not in this folder.
    }
  }
  return undefined
}

async function untilAnswering(url: string): Promise<void> {
  const giveUpAt = Date.now() + startTimeoutMs
  for (;;) {
    const client = new Redis(url, {
      retryStrategy: () => null,
      lazyConnect: true,
      ...(url.startsWith('rediss:') ? { tls: { rejectUnauthorized: false } } : {}),
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.ping()
      return
    } catch (error) {
      if (Date.now() > giveUpAt) throw error
    } finally {
      client.disconnect()
    }
    await wait(20)
  }
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const hasEnded = new Promise((resolve) => server.once('exit', resolve))
  // One that is frozen takes no other signal.
  server.kill('SIGKILL')
  await hasEnded
}
