import { Cluster, type Redis, ReplyError } from 'ioredis'
import {
  type Counter,
  familyOf,
  type IncrementOptions,
  KeyValueError,
  type KeyValueStore,
  type SetOptions,
} from './key-value.ts'
import { connectRedis, pauseMs, redisOptions } from './redis-connection.ts'

export interface RedisOptions {
  /** `redis://…` or `rediss://…`, with user, password and database number if needed. */
  readonly url: string
  /** Called with the reason when the server stops responding, and with undefined when it responds again. */
  readonly onState?: (problem: KeyValueError | undefined) => void
  /** Time limit for a command, including the connection, milliseconds. Default: 2,000. */
  readonly commandMs?: number
}

/** The prefix of all keys: a Redis server is often shared with other programs. */
const prefix = 'bucketry:'

const defaultCommandMs = 2_000

/** The names of keys in Redis. */
interface Names {
  keyOf(key: string): string
  /** The sorted set of a key's family. */
  familyOf(key: string): string
}

const plainNames: Names = {
  keyOf: (key) => prefix + key,
  familyOf: (key) => `${prefix}family:${familyOf(key)}`,
}

/**
 * A cluster keeps keys with the same text in braces on one node, so that a script can use all of them
 * (https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags).
 */
const clusterNames: Names = {
  keyOf(key) {
    const family = familyOf(key)
    return `${prefix}{${family}}${key.slice(family.length)}`
  },
  familyOf: (key) => `${prefix}family:{${familyOf(key)}}`,
}

/**
 * A sorted set has the keys of each family by expiry time, to limit their number. The commands are one
 * script, because Redis runs nothing between its commands (https://redis.io/docs/latest/develop/programmability/).
 */
const setScript = `
redis.call('ZREM', KEYS[2], KEYS[1])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
local surplus = redis.call('ZCARD', KEYS[2]) + 1 - tonumber(ARGV[5])
if surplus > 0 then
  local popped = redis.call('ZPOPMIN', KEYS[2], surplus)
  for i = 1, #popped, 2 do redis.call('DEL', popped[i]) end
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], KEYS[1])
redis.call('PEXPIRE', KEYS[2], ARGV[2])`

const deleteScript = `
redis.call('DEL', KEYS[1])
redis.call('ZREM', KEYS[2], KEYS[1])`

const incrementScript = `
local count = redis.call('INCR', KEYS[1])
if count <= tonumber(ARGV[2]) or redis.call('PTTL', KEYS[1]) < 0 then
  redis.call('PEXPIRE', KEYS[1], ARGV[1])
end
return {count, redis.call('PTTL', KEYS[1])}`

/** AUTH_KV in Redis or Valkey, on one server or a cluster. Keeps reconnecting; without a server, all calls reject. */
export class RedisKeyValueStore implements KeyValueStore {
  readonly #url: string
  readonly #commandMs: number
  readonly #onState: RedisOptions['onState']
  #client: Redis | Cluster
  #names = plainNames
  /** Whether the check for a cluster has been made or is running. */
  #looking: Promise<void> | undefined
  /** The reason why the server cannot be reached; undefined while it can. */
  #problem: KeyValueError | undefined
  #isClosed = false

  constructor({ url, onState, commandMs = defaultCommandMs }: RedisOptions) {
    this.#url = url
    this.#commandMs = commandMs
    this.#onState = onState
    this.#client = connectRedis(url, commandMs)
    this.#watch(this.#client)
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#ask((client, names) => client.get(names.keyOf(key)))
    return value ?? undefined
  }

  async set(key: string, value: string, { ttlMs, maxFamily }: SetOptions): Promise<void> {
    const now = Date.now()
    const args = [value, ttlMs, now + ttlMs, now, maxFamily]
    await this.#ask((client, { keyOf, familyOf }) =>
      client.eval(setScript, 2, keyOf(key), familyOf(key), ...args),
    )
  }

  async delete(key: string): Promise<void> {
    await this.#ask((client, { keyOf, familyOf }) =>
      client.eval(deleteScript, 2, keyOf(key), familyOf(key)),
    )
  }

  async increment(key: string, { ttlMs, renewUpTo }: IncrementOptions): Promise<Counter> {
    const reply = await this.#ask((client, names) =>
      client.eval(incrementScript, 1, names.keyOf(key), ttlMs, renewUpTo),
    )
    const [count, leftMs] = reply as readonly [number, number]
    return { count, ttlMs: Math.max(1, leftMs) }
  }

  /** Redis deletes expired keys by itself. */
  sweep(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#isClosed = true
    this.#client.disconnect()
    return Promise.resolve()
  }

  async #ask<Result>(
    send: (client: Redis | Cluster, names: Names) => Promise<Result>,
  ): Promise<Result> {
    // While there is no connection, calls fail without waiting for the next attempt.
    if (this.#problem !== undefined) throw this.#problem
    try {
      this.#looking ??= this.#lookForCluster()
      await this.#looking
      return await send(this.#client, this.#names)
    } catch (cause) {
      throw toKeyValueError(cause)
    }
  }

  /** Switches to the cluster if the server belongs to one, because it then refuses keys of other nodes. */
  async #lookForCluster(): Promise<void> {
    try {
      const info = await this.#client.info('cluster')
      if (!/^cluster_enabled:1/m.test(info)) return
      const cluster = await connectCluster(this.#url, this.#commandMs)
      this.#client.disconnect()
      this.#client = cluster
      this.#names = clusterNames
      this.#watch(cluster)
      if (this.#isClosed) cluster.disconnect()
    } catch (error) {
      // A proxy may refuse the command. The servers behind it then look like one server.
      if (error instanceof ReplyError) return
      this.#looking = undefined
      throw error
    }
  }

  #watch(client: Redis | Cluster): void {
    client.on('error', (cause: unknown) => {
      if (this.#problem !== undefined) return
      this.#problem = toKeyValueError(cause)
      this.#onState?.(this.#problem)
    })
    client.on('ready', () => {
      if (this.#problem === undefined) return
      this.#problem = undefined
      this.#onState?.(undefined)
    })
  }
}

function toKeyValueError(cause: unknown): KeyValueError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new KeyValueError(`the AUTH_KV server is not responding (${detail})`, { cause })
}

/**
 * The cluster that a server belongs to. The server's address is enough, because it knows the other nodes.
 *
 * @throws when no node responds, or the cluster is not ready
 */
async function connectCluster(url: string, commandMs: number): Promise<Cluster> {
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

/** Limits the time: connecting to a cluster in state `fail` never settles, even when the cluster recovers. */
async function inTime(connecting: Promise<void>, limitMs: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('the cluster is not ready')), limitMs)
  await Promise.race([connecting, late]).finally(() => clearTimeout(timer))
}
