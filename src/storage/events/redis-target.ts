import type { EventTarget } from './event-target.ts'

/** Older entries are dropped by Redis, whether or not anyone has read them. */
const mostEntries = 100_000

const commandMs = 5_000

/** Adds each message to a stream, as the field `event`. */
export function redisTarget(url: string, stream: string): EventTarget {
  let connecting: ReturnType<typeof connect> | undefined
  return {
    name: 'redis',
    async send(message) {
      connecting ??= connect(url).catch((error: unknown) => {
        // The next message tries again.
        connecting = undefined
        throw error
      })
      const { redis, ReplyError } = await connecting
      try {
        await redis.xadd(stream, 'MAXLEN', '~', mostEntries, '*', 'event', message)
      } catch (error) {
        const code = error instanceof ReplyError ? codeOf(String(error)) : undefined
        // It is no longer the primary. Its address may lead to the new one already.
        if (code === 'READONLY') redis.disconnect(true)
        throw new Error(code === undefined ? 'it could not be reached' : `it answered ${code}`)
      }
    },
    close: () => connecting?.then(({ redis }) => redis.disconnect()).catch(() => undefined),
  }
}

/** Imports the client on demand: it takes a tenth of a start, and few gateways need it. */
async function connect(url: string) {
  const [{ ReplyError }, { connectRedis }] = await Promise.all([
    import('ioredis'),
    import('../../platform/state/key-value/redis-connection.ts'),
  ])
  const redis = connectRedis(url, commandMs)
  // Without a listener, an error would end the process; each command reports its own.
  redis.on('error', () => undefined)
  return { redis, ReplyError }
}

/** What is behind it may have addresses, as in `MOVED 866 10.0.0.7:6379`. */
function codeOf(text: string): string {
  return /^ReplyError: ([A-Z]+)/.exec(text)?.[1] ?? 'an error'
}
