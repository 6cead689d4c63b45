import type { HttpReply, StreamBody } from '../../platform/http/message.ts'
import type { CallTarget } from '../list/resolve-model.ts'
import type { ActiveConnection } from '../list/stored-rows.ts'
import { minSecretLength, secretsOf } from '../upstream/upstream.ts'
import type { BegunAnswer, ErrorAnswer } from './attempt.ts'
import { headersForClient } from './call-headers.ts'
import type { ObservedCall } from './call-record.ts'
import { UsageReader } from './reported-usage.ts'
import type { AttemptedCall } from './target-attempts.ts'
import type { TranslatedStream } from './translated-stream.ts'

interface AnswerContext {
  readonly call: Pick<AttemptedCall, 'request' | 'path' | 'body' | 'release'>
  readonly target: CallTarget
  readonly attempts: number
  readonly observed: ObservedCall
}

/** The answer of an upstream broke off after it had begun. The reply to the client is cut off. */
class BrokenAnswerError extends Error {
  constructor(options?: ErrorOptions) {
    super('the answer of an upstream broke off, or stalled for too long', options)
    this.name = 'BrokenAnswerError'
  }
}

/** Forwards an answer as it arrives. */
export function passedAnswer(answer: BegunAnswer, context: AnswerContext): HttpReply {
  const { call, target, attempts } = context
  // A call whose answer has begun is not repeated.
  call.body.release()
  return {
    status: answer.status,
    headers: [
      ...headersForClient(answer.headers, new UpstreamKeys([target]).isIn),
      ['x-bucketry-attempts', String(attempts)],
      ...(answer.translated?.fields ?? []),
    ],
    body: bodyOf(answer, context),
    logFields: { model: call.body.model, connection: target.connection.id, attempts },
  }
}

function bodyOf(answer: BegunAnswer, { call, observed }: AnswerContext): StreamBody {
  const { isStream, end, headers } = answer
  const stream = answer.translated?.stream
  const { signal } = call.request
  const usage = new UsageReader(isStream)
  const isPlain = headers['content-encoding'] === undefined
  // A stored response reports what it used when it was made.
  const isCounted = isPlain && call.path.body !== 'none'
  const isRead = isCounted && (isStream || /json/i.test(String(headers['content-type'] ?? '')))
  const declared = Number(headers['content-length'] ?? Number.NaN)
  // The streams of language models have a last event.
  const isEnding = isRead && isStream && call.path.kinds.has('llm')
  let bytes = 0
  let isWhole = false
  return {
    length: stream === undefined && Number.isSafeInteger(declared) ? declared : undefined,
    async lend(borrow) {
      const pass = async (piece: Buffer) => {
        bytes += piece.length
        if (isRead) usage.take(piece)
        const passed = stream === undefined ? piece : Buffer.from(stream.take(piece))
        if (passed.length > 0) await borrow(passed)
      }
      try {
        await passAll(answer, pass)
        if (stream !== undefined) await borrow(endOf(stream))
        isWhole = stream?.state !== 'failed'
      } catch (cause) {
        // The client has disconnected, which is not a failure of the upstream.
        if (signal.aborted) return
        throw new BrokenAnswerError({ cause })
      }
    },
    async close() {
      end()
      const tokens = (answer.translated?.usage ?? usage).result()
      // An upstream may close its connection as usual after it has failed.
      const isDone = isWhole && (!isEnding || usage.hasEnded)
      const isBroken = !isDone && !signal.aborted
      // Events of an unknown form count as a whole.
      const contentBytes = usage.contentBytes > 0 ? usage.contentBytes : bytes
      const { status } = answer
      observed.end({ status, tokens, bytes, contentBytes, isBroken, isWhole: isDone })
      call.release()
    },
  }
}

async function passAll(
  { held, body, translated }: BegunAnswer,
  pass: (piece: Buffer) => Promise<void>,
): Promise<void> {
  for (const piece of held) await pass(piece)
  // Freed, because the rest may take hours.
  held.length = 0
  while (translated?.stream?.state !== 'failed') {
    const next = await body.next()
    if (next.done === true) return
    await pass(next.value)
  }
}

/** The last bytes of a translated stream. @throws if the upstream wrote no end: the client must not get one either */
function endOf(stream: TranslatedStream): Buffer {
  const last = Buffer.from(stream.end())
  if (stream.state === 'open') throw new Error('the upstream wrote no end')
  return last
}

/** Forwards an error of an upstream without the keys of the connections. */
export function passedError(
  { status, headers, body }: ErrorAnswer,
  given: {
    readonly model: string
    readonly headers: Readonly<Record<string, string>>
    readonly keys: UpstreamKeys
  },
): HttpReply {
  // How long a client waits is ours to say, because another target may be free before.
  const own = new Set([...Object.keys(given.headers), 'retry-after', 'retry-after-ms'])
  const fields = headersForClient(headers, given.keys.isIn).filter(([name]) => !own.has(name))
  return {
    status,
    headers: [...fields, ...Object.entries(given.headers)],
    body: given.keys.removedFrom(body),
    logFields: { model: given.model, reason: 'The upstream answered with an error.' },
  }
}

/** Finds the keys of upstreams, which no answer may contain. */
export class UpstreamKeys {
  readonly #patterns: readonly RegExp[]

  constructor(targets: readonly CallTarget[]) {
    const connections = new Set(targets.map(({ connection }) => connection))
    this.#patterns = [...connections].flatMap(patternsOf)
  }

  readonly isIn = (text: string): boolean => this.#patterns.some((one) => text.search(one) >= 0)

  /** Returns the same bytes if they contain no key. */
  removedFrom(body: Buffer): Buffer {
    // latin1 has one character per byte, so that invalid UTF-8 is kept.
    const text = body.toString('latin1')
    if (!this.isIn(text)) return body
    return Buffer.from(
      this.#patterns.reduce((rest, one) => rest.replaceAll(one, '***'), text),
      'latin1',
    )
  }
}

/** Compiled once: each answer needs them. */
const knownPatterns = new WeakMap<ActiveConnection, readonly RegExp[]>()

function patternsOf(connection: ActiveConnection): readonly RegExp[] {
  const known = knownPatterns.get(connection)
  if (known !== undefined) return known
  const values = (connection.headers ?? []).map(([, value]) => value)
  const secrets = secretsOf(connection.apiKey, values)
  const patterns = [...new Set(secrets.flatMap(formsOf))].map(patternOf)
  knownPatterns.set(connection, patterns)
  return patterns
}

/** As JSON may write it: the slash may be escaped, the quotation mark is. UTF-8 is searched byte by byte. */
function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const forms = [secret, json, json.replaceAll('/', '\\/')]
  return [...forms, ...forms.map((form) => Buffer.from(form).toString('latin1'))]
}

function patternOf(key: string): RegExp {
  const escaped = key.replaceAll(/[^\w]/g, '\\$&')
  const isSecret = key.length >= minSecretLength
  return new RegExp(isSecret ? escaped : `(?<![\\w-])${escaped}(?![\\w-])`, 'g')
}
