import type { HttpReply, HttpRequest, StreamBody } from '../../http/message.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { BegunAnswer, ErrorAnswer } from './attempt.ts'
import type { CallBody } from './call-body.ts'
import { headersForClient } from './call-headers.ts'
import type { ObservedCall } from './call-record.ts'
import { UsageReader } from './reported-usage.ts'

interface AnswerContext {
  readonly call: { readonly request: HttpRequest; readonly body: CallBody }
  readonly target: CallTarget
  readonly attempts: number
  readonly observed: ObservedCall
}

/** The answer of an upstream broke off after it had begun. The client's ends with it, and not cleanly. */
class BrokenAnswerError extends Error {
  constructor(options?: ErrorOptions) {
    super('the answer of an upstream broke off, or nothing arrived for too long', options)
    this.name = 'BrokenAnswerError'
  }
}

/** Passes on an answer that has begun, as it arrives. */
export function passedAnswer(answer: BegunAnswer, context: AnswerContext): HttpReply {
  const { call, target, attempts } = context
  // What has been answered is not sent again.
  call.body.release()
  return {
    status: answer.status,
    headers: [
      ...headersForClient(answer.headers, keysOf([target])),
      ['x-bucketry-attempts', String(attempts)],
    ],
    body: bodyOf(answer, context),
    logFields: { model: call.body.model, connection: target.connection.id, attempts },
  }
}

function bodyOf(answer: BegunAnswer, { call, observed }: AnswerContext): StreamBody {
  const { held, body, isStream, end, headers } = answer
  const { signal } = call.request
  const usage = new UsageReader(isStream)
  const isPlain = headers['content-encoding'] === undefined
  const declared = Number(headers['content-length'] ?? Number.NaN)
  let bytes = 0
  let isWhole = false
  return {
    length: Number.isSafeInteger(declared) ? declared : undefined,
    async lend(borrow) {
      const pass = async (piece: Buffer) => {
        bytes += piece.length
        if (isPlain) usage.take(piece)
        await borrow(piece)
      }
      try {
        for (const piece of held) await pass(piece)
        for (let next = await body.next(); next.done !== true; next = await body.next()) {
          await pass(next.value)
        }
        isWhole = true
      } catch (cause) {
        // Also if the client has ended its side: it may still read, and must not take this for the end.
        throw new BrokenAnswerError({ cause })
      }
    },
    async close() {
      end()
      observed.end({ tokens: usage.result(), bytes, isBroken: !isWhole && !signal.aborted })
    },
  }
}

/** Passes on an error of an upstream, without the keys of its connections. */
export function passedError(
  { status, headers, body }: ErrorAnswer,
  given: {
    readonly model: string
    readonly headers: Readonly<Record<string, string>>
    readonly keys: readonly string[]
  },
): HttpReply {
  const own = new Set(Object.keys(given.headers))
  const fields = headersForClient(headers, given.keys).filter(([name]) => !own.has(name))
  return {
    status,
    headers: [...fields, ...Object.entries(given.headers)],
    body: withoutKeys(body, given.keys),
    logFields: { model: given.model, reason: 'The upstream answered with an error.' },
  }
}

/** The keys of these targets, which no answer may show. */
export function keysOf(targets: readonly CallTarget[]): readonly string[] {
  const keys = targets.flatMap(({ connection: { apiKey } }) => apiKey?.trim() || [])
  return [...new Set(keys)]
}

/** Also as JSON may write them. */
function withoutKeys(body: Buffer, keys: readonly string[]): Buffer {
  const written = keys.flatMap((key) => [key, key.replaceAll('/', '\\/')])
  const quoting = written.filter((key) => body.includes(key))
  if (quoting.length === 0) return body
  return Buffer.from(quoting.reduce((text, key) => text.replaceAll(key, '***'), body.toString()))
}
