import { createHmac } from 'node:crypto'
import type { TargetName } from '../buckets/notification-rules.ts'

/** A receiver of events. */
export interface EventTarget {
  readonly name: TargetName
  /**
   * Resolves when the receiver has accepted the message.
   *
   * @throws RefusedEvent, or an error that would also affect other messages. The message is user-facing, without addresses
   *   and passwords.
   */
  send(message: string, signal: AbortSignal): Promise<void>
  close(): void
}

/** The receiver refuses this message. It may accept others. */
export class RefusedEvent extends Error {}

/** Older entries are dropped by Redis, whether or not anyone has read them. */
const maxEntries = 100_000

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
        await redis.xadd(stream, 'MAXLEN', '~', maxEntries, '*', 'event', message)
      } catch (error) {
        const code = error instanceof ReplyError ? codeOf(String(error)) : undefined
        // A former primary. Its address may already lead to the new one.
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

/** Without the rest, which may contain addresses, as in `MOVED 866 10.0.0.7:6379`. */
function codeOf(text: string): string {
  return /^ReplyError: ([A-Z]+)/.exec(text)?.[1] ?? 'an error'
}

/** The time limit of a receiver. A slower one gets the message again. */
const defaultAnswerMs = 10_000

/** The maximum size of a reply. A larger one closes the connection. */
const maxReplyBytes = 64 * 1024

/** `sha256=` and the HMAC-SHA256 of the body by the secret, in hexadecimal. */
const signatureHeader = 'X-Bucketry-Signature-256'

export interface WebhookOptions {
  /** For the signature of each message. Absent: they have none. */
  readonly secret?: string | undefined
  /** For the Authorization header, in place of user and password of the address. */
  readonly token?: string | undefined
  readonly answerMs?: number
}

/**
 * Sends each message as a POST. Only 2xx is success.
 *
 * @param url may have user and password, which become the Authorization header
 */
export function webhookTarget(
  url: string,
  { secret, token, answerMs = defaultAnswerMs }: WebhookOptions = {},
): EventTarget {
  const { address, authorization = token && withScheme(token) } = withoutUser(url)
  return {
    name: 'webhook',
    async send(message, signal) {
      const signature =
        secret && `sha256=${createHmac('sha256', secret).update(message).digest('hex')}`
      const response = await fetch(address, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'User-Agent': 'bucketry',
          ...(authorization && { Authorization: authorization }),
          ...(signature && { [signatureHeader]: signature }),
        },
        body: message,
        // A redirect could take events, and the password, to where nobody meant them to go.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      }).catch((error: unknown) => {
        throw new Error(reasonOf(error, answerMs))
      })
      await readReply(response).catch(() => undefined)
      const { ok, status } = response
      if (ok) return
      const reason = `it answered ${status}`
      throw isRefusal(status) ? new RefusedEvent(reason) : new Error(reason)
    },
    close: () => undefined,
  }
}

/** A token without a scheme is a bearer token (RFC 6750 section 2.1), as for MinIO's webhooks. */
function withScheme(token: string): string {
  return token.includes(' ') ? token : `Bearer ${token}`
}

/** RFC 9110 section 15.5: the fault is in the request. Those two say that it may come again. */
function isRefusal(status: number): boolean {
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** Fetch refuses an address with a user (Fetch standard, "Request class"). */
function withoutUser(text: string) {
  const url = new URL(text)
  const user = decodeURIComponent(url.username)
  const password = decodeURIComponent(url.password)
  const isGiven = user !== '' || password !== ''
  url.username = ''
  url.password = ''
  const credentials = Buffer.from(`${user}:${password}`).toString('base64')
  return { address: url.href, ...(isGiven && { authorization: `Basic ${credentials}` }) }
}

/** So that the connection can be used again. */
async function readReply({ body }: Response): Promise<void> {
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > maxReplyBytes) return
  }
}

/** Fetch puts the system's error into the cause of its own, whose message may have the address. */
function reasonOf(error: unknown, answerMs: number): string {
  if (!(error instanceof Error)) return 'it could not be reached'
  if (error.name === 'TimeoutError') return `it did not answer within ${answerMs / 1000} s`
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? ` (${String(cause.code)})` : ''
  return `it could not be reached${code}`
}
