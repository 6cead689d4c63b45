import { Redis } from 'ioredis'

const firstRetryMs = 50
const maxRetryMs = 2_000

/** Opens a connection that reconnects when it is lost. */
export function connectRedis(url: string, commandMs: number): Redis {
  return new Redis(url, { ...redisOptions(commandMs), retryStrategy: pauseMs })
}

/** The options of all connections. */
export function redisOptions(commandMs: number) {
  return {
    connectionName: 'bucketry',
    // Every server and proxy supports this version, and nothing newer is needed.
    protocol: 2 as const,
    disableClientInfo: true,
    commandTimeout: commandMs,
    connectTimeout: commandMs,
    // If a server accepts a command and then does not respond, a new connection is opened.
    socketTimeout: 2 * commandMs,
    // Waiting commands fail as soon as one attempt to connect has failed. No command is sent twice: the first
    // may have been executed, and one failed login would count as two.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  }
}

/** Pause before an attempt to reconnect. */
export function pauseMs(times: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(times, 10), maxRetryMs)
}
