import { ApiError } from '../../api/api-error.ts'
import { requestStream } from '../../api/client.ts'
import { modelsTexts } from '../../texts/models.ts'
import { answerPiece } from './answer-piece.ts'
import { EventReader } from './event-reader.ts'

/** An answer of a model, as far as it has arrived. */
export interface Answer {
  readonly text: string
  readonly isThinking: boolean
  readonly firstTokenMs: number | undefined
  readonly totalMs: number
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** The number of connections tried. */
  readonly attempts: number
}

interface Question {
  readonly model: string
  readonly prompt: string
  readonly signal: AbortSignal
  readonly onChange: (answer: Answer) => void
}

/** Maximum characters shown. An endless answer is cut off here. */
const maxText = 500_000
/** Anthropic requires a limit. */
const maxTokens = 4_096

const calls = '/-/api/calls'

/**
 * Asks a model with the dashboard session. The service passes the call on like one of a client.
 *
 * @throws ApiError, the signal's reason, or an error if the answer breaks off
 */
export async function streamAnswer({ model, prompt, signal, onChange }: Question): Promise<void> {
  const startedAtMs = performance.now()
  const reply = await ask(model, prompt, signal)
  let answer: Answer = {
    ...{ text: '', isThinking: false, firstTokenMs: undefined, totalMs: 0 },
    ...{ inputTokens: undefined, outputTokens: undefined },
    attempts: Number(reply.headers.get('x-bucketry-attempts') ?? 1),
  }
  for await (const data of dataOf(reply)) {
    const { text, isThinking, error, inputTokens, outputTokens } = answerPiece(data)
    if (error !== undefined) throw new Error(error)
    const totalMs = performance.now() - startedAtMs
    const isFirst = answer.firstTokenMs === undefined && (text !== '' || isThinking)
    answer = {
      ...answer,
      ...{ text: answer.text + text, isThinking: isThinking && text === '', totalMs },
      firstTokenMs: isFirst ? totalMs : answer.firstTokenMs,
      inputTokens: inputTokens ?? answer.inputTokens,
      outputTokens: outputTokens ?? answer.outputTokens,
    }
    onChange(answer)
    if (answer.text.length > maxText) throw new Error(modelsTexts.try.answerTooLong)
  }
}

async function ask(model: string, prompt: string, signal: AbortSignal): Promise<Response> {
  const body = { model, messages: [{ role: 'user', content: prompt }], stream: true }
  const send = (path: string, more: object) =>
    requestStream(calls + path, { method: 'POST', body: { ...body, ...more }, signal })
  try {
    return await send('/chat/completions', { stream_options: { include_usage: true } })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // A model that only Anthropic's API has, of a connection that does not translate.
    if (error.code === 'wrong_path') return await send('/messages', { max_tokens: maxTokens })
    // Some upstreams refuse fields that they do not know.
    if (error.message.includes('stream_options')) return await send('/chat/completions', {})
    throw error
  }
}

/** The data of the events of a stream, or the whole body of a reply that is not a stream. */
async function* dataOf(reply: Response): AsyncGenerator<string> {
  if (!/^text\/event-stream/i.test(reply.headers.get('content-type') ?? '')) {
    yield await reply.text()
    return
  }
  const events = new EventReader()
  const reader = reply.body?.getReader()
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      yield* events.take(next.value)
    }
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}
