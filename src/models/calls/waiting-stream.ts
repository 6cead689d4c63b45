import type { HttpReply, StreamBody } from '../../platform/http/message.ts'
import { ApiError, errorFormatOf } from '../../platform/json-api/api-error.ts'
import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import { modelsErrorFormats } from '../list/models-error-format.ts'
import type { CallPath } from './call-paths.ts'

interface Waiting {
  readonly path: CallPath
  /** The request target, whose form of errors is used. */
  readonly target: string
  readonly model: string
  /** Default for calls: 15 seconds. */
  readonly patienceMs: number
}

/** How long a client hears nothing: proxies end connections that are silent for a minute. */
export const patienceMs = 15_000

/** Comments are no events. Anthropic's SDKs know `ping`, which Anthropic sends in the same place. */
const signs = {
  openai: ': wait\n\n',
  anthropic: 'event: ping\ndata: {"type": "ping"}\n\n',
} as const

/**
 * The reply to a client that asked for a stream. If it is not known after `patienceMs`, a stream begins without it: proxies
 * end connections on which nothing comes for a minute. Other targets are still tried meanwhile. What the status and the body
 * of an error would have said is then an event.
 */
export async function waitingStream(
  coming: Promise<HttpReply>,
  waiting: Waiting,
): Promise<HttpReply> {
  return (await within(coming, waiting.patienceMs)) ?? begunStream(coming, waiting)
}

function begunStream(coming: Promise<HttpReply>, waiting: Waiting): HttpReply {
  const { path, model, patienceMs } = waiting
  const sign = Buffer.from(signs[path.flavour])
  // Its reader comes later.
  coming.catch(() => undefined)
  return {
    status: 200,
    headers: [['content-type', 'text/event-stream; charset=utf-8']],
    logFields: { model, waited: true },
    body: {
      length: undefined,
      async lend(borrow) {
        try {
          let reply: HttpReply | undefined
          do {
            await borrow(sign)
            reply = await within(coming, patienceMs)
          } while (reply === undefined)
          const body = streamIn(reply)
          if (body === undefined) await borrow(eventOf(reply.body, path))
          else await body.lend(borrow)
        } catch (error) {
          if (!(error instanceof ApiError)) throw error
          const { errorBody } = errorFormatOf(modelsErrorFormats, waiting.target)
          await borrow(eventOf(JSON.stringify(errorBody(error)), path))
        }
      },
      async close() {
        // If its client has left, the call ends as well.
        await coming.then(closeBody, () => undefined)
      },
    },
  }
}

async function closeBody({ body }: HttpReply): Promise<void> {
  if (isStreamBody(body)) await body.close()
}

function isStreamBody(body: HttpReply['body']): body is StreamBody {
  return typeof body === 'object' && 'lend' in body
}

/** The events of a reply; undefined if it is an error, or no stream. */
function streamIn({ body, headers, status }: HttpReply): StreamBody | undefined {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  return status === 200 && isStreamBody(body) && /^text\/event-stream/i.test(type)
    ? body
    : undefined
}

const notAStream = { message: 'The upstream answered without streaming.', type: 'server_error' }

/** An error as the event that the SDKs of its API raise. */
function eventOf(body: HttpReply['body'], { flavour, path }: CallPath): Buffer {
  const json = isStreamBody(body) ? undefined : parsedJson(Buffer.from(body ?? '').toString())
  const found = fieldOf(json, 'error') ?? json
  const error =
    typeof found === 'object' && found !== null
      ? found
      : { ...notAStream, ...(typeof found === 'string' && { message: found }) }
  if (flavour === 'anthropic') return written('error', { type: 'error', error })
  if (path !== '/responses') return Buffer.from(`data: ${JSON.stringify({ error })}\n\n`)
  const [code = null, message = ''] = ['code', 'message'].map((name) => fieldOf(error, name))
  const fields = { code, message, param: fieldOf(error, 'param') ?? null, sequence_number: 0 }
  return written('error', { type: 'error', ...fields, error })
}

function written(name: string, event: object): Buffer {
  return Buffer.from(`event: ${name}\ndata: ${JSON.stringify(event)}\n\n`)
}

/** Undefined if the time is over first. @throws what the promise rejects with */
async function within<Value>(coming: Promise<Value>, ms: number): Promise<Value | undefined> {
  const over = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => over.resolve(undefined), ms)
  try {
    return await Promise.race([coming, over.promise])
  } finally {
    clearTimeout(timer)
  }
}
