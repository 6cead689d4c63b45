import { Cluster, Redis } from 'ioredis'

const firstRetryMs = 50
const maxRetryMs = 2_000

/** A connection that is made again when it is lost. */
export function connectRedis(url: string, commandMs: number): Redis {
  return new Redis(url, { ...redisOptions(commandMs), retryStrategy: pauseMs })
}

/**
 * The cluster that a server belongs to. The server's address is enough: it knows the others.
 *
 * @throws when no node responds, or the cluster is not ready
 */
export async function connectCluster(url: string, commandMs: number): Promise<Cluster> {
  const { protocol, hostname, port, username, password } = new URL(url)
  const cluster = new Cluster([{ host: hostname, port: Number(port || 6379) }], {
    lazyConnect: true,
    // Nodes announce addresses, but a certificate names a host (ioredis, "Running in TLS mode").
    dnsLookup: (address, callback) => callback(null, address),
    clusterRetryStrategy: pauseMs,
    // Without a cluster, calls fail at once, and no command is sent twice.
    enableOfflineQueue: false,
    retryDelayOnFailover: 0,
    redisOptions: {
      ...redisOptions(commandMs),
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      ...(protocol === 'rediss:' && { tls: { servername: hostname } }),
    },
  })
  // Without a listener, an error would end the process.
  cluster.on('error', () => undefined)
  try {
    await inTime(cluster.connect(), 2 * commandMs)
    return cluster
  } catch (error) {
    cluster.disconnect()
    throw error
  }
}

function redisOptions(commandMs: number) {
  return {
    connectionName: 'bucketry',
    // Every server and proxy supports it, and nothing newer is needed.
    protocol: 2 as const,
    disableClientInfo: true,
    commandTimeout: commandMs,
    connectTimeout: commandMs,
    // If a server accepts a command and then does not respond, a new connection is opened.
    socketTimeout: 2 * commandMs,
    // Waiting commands fail as soon as one attempt to connect has failed. No command is sent twice: it
    // may have been executed, and one failed login would count as two.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  }
}

/** Limits the time: connecting to a cluster in state `fail` never settles, even when the cluster recovers. */
async function inTime(connecting: Promise<void>, limitMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the cluster is not ready')), limitMs)
  await Promise.race([connecting, late]).finally(() => clearTimeout(timer))
}

function pauseMs(times: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(times, 10), maxRetryMs)
}
