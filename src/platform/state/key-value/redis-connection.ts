import { Redis } from 'ioredis'

const firstRetryMs = 50
const maxRetryMs = 2_000

/** A connection that is made again when it is lost. */
export function connectRedis(url: string, commandMs: number): Redis {
  return new Redis(url, { ...redisOptions(commandMs), retryStrategy: pauseMs })
}

/** Of every connection. */
export function redisOptions(commandMs: number) {
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

/** Before an attempt to connect again. */
export function pauseMs(times: number): number {
  return Math.min(firstRetryMs * 2 ** Math.min(times, 10), maxRetryMs)
}
