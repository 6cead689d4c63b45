import { connectRedis } from '../state/key-value/redis-connection.ts'
import type { EventTarget } from './event-target.ts'

/** Older entries are dropped by Redis, whether or not anyone has read them. */
const mostEntries = 100_000

const commandMs = 5_000

/** Adds each message to a stream, as the field `event`. */
export function redisTarget(url: string, stream: string): EventTarget {
  const redis = connectRedis(url, commandMs)
  // Without a listener, an error would end the process; each command reports its own.
  redis.on('error', () => undefined)
  return {
    name: 'redis',
    async send(message) {
      await redis.xadd(stream, 'MAXLEN', '~', mostEntries, '*', 'event', message)
    },
    close: () => redis.disconnect(),
  }
}
