import { Redis } from 'ioredis'
import {
  type Counter,
  familyOf,
  type IncrementOptions,
  KeyValueError,
  type KeyValueStore,
  type SetOptions,
} from './key-value.ts'

export interface RedisOptions {
  /** `redis://…` or `rediss://…`, with user, password and database number if needed. */
  readonly url: string
  /** Called with the reason when the server is lost, and with nothing when it is back. */
  readonly onState?: (problem: KeyValueError | undefined) => void
  /** How long a command may take, connecting included, milliseconds. Default 2,000. */
  readonly commandMs?: number
}

/** The prefix of all keys: a Redis server is often shared with other programs. */
const prefix = 'bucketry:'

const defaultCommandMs = 2_000
const firstRetryMs = 50
const maxRetryMs = 2_000

/**
 * A sorted set has the keys of each family by expiry time, to limit their number. The commands are one
 * script because Redis runs nothing in between (https://redis.io/docs/latest/develop/programmability/).
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

/** AUTH_KV in Redis or Valkey. Keeps reconnecting; without a server, all calls are refused. */
export class RedisKeyValueStore implements KeyValueStore {
  readonly #client: Redis
  /** Why the server cannot be reached; undefined while it can. */
  #problem: KeyValueError | undefined

  constructor({ url, onState, commandMs = defaultCommandMs }: RedisOptions) {
    this.#client = new Redis(url, {
      connectionName: 'bucketry',
      // Every server and proxy supports it, and nothing newer is needed.
      protocol: 2,
      disableClientInfo: true,
      commandTimeout: commandMs,
      connectTimeout: commandMs,
      // If a server accepts a command and then does not respond, a new connection is opened.
      socketTimeout: 2 * commandMs,
      retryStrategy: (times) => Math.min(firstRetryMs * 2 ** Math.min(times, 10), maxRetryMs),
      // Waiting commands fail as soon as one attempt to connect has failed. No command is sent twice: it
      // may have been executed, and one failed login would count as two.
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
    })
    this.#client.on('error', (cause) => {
      if (this.#problem !== undefined) return
      this.#problem = toKeyValueError(cause)
      onState?.(this.#problem)
    })
    this.#client.on('ready', () => {
      if (this.#problem === undefined) return
      this.#problem = undefined
      onState?.(undefined)
    })
  }

  async get(key: string): Promise<string | undefined> {
    const value = await this.#ask((client) => client.get(prefix + key))
    return value ?? undefined
  }

  async set(key: string, value: string, { ttlMs, maxFamily }: SetOptions): Promise<void> {
    const now = Date.now()
    const args = [value, ttlMs, now + ttlMs, now, maxFamily]
    await this.#ask((client) => client.eval(setScript, 2, prefix + key, familyKey(key), ...args))
  }

  async delete(key: string): Promise<void> {
    await this.#ask((client) => client.eval(deleteScript, 2, prefix + key, familyKey(key)))
  }

  async increment(key: string, { ttlMs, renewUpTo }: IncrementOptions): Promise<Counter> {
    const reply = await this.#ask((client) =>
      client.eval(incrementScript, 1, prefix + key, ttlMs, renewUpTo),
    )
    const [count, leftMs] = reply as readonly [number, number]
    return { count, ttlMs: Math.max(1, leftMs) }
  }

  /** Redis deletes expired keys by itself. */
  sweep(): Promise<void> {
    return Promise.resolve()
  }

  close(): Promise<void> {
    this.#client.disconnect()
    return Promise.resolve()
  }

  async #ask<Result>(send: (client: Redis) => Promise<Result>): Promise<Result> {
    // While the server is lost, calls fail without waiting for the next attempt.
    if (this.#problem !== undefined) throw this.#problem
    try {
      return await send(this.#client)
    } catch (cause) {
      throw toKeyValueError(cause)
    }
  }
}

function familyKey(key: string): string {
  return `${prefix}family:${familyOf(key)}`
}

function toKeyValueError(cause: unknown): KeyValueError {
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new KeyValueError(`the AUTH_KV server is not responding (${detail})`, { cause })
}
