import { fieldOf, parsedJson } from '../../platform/text/json-text.ts'
import type { ModelApi, ModelError } from './conversation.ts'

/** A text field of an answer; empty if there is none. */
export function textAt(value: unknown, name: string): string {
  const found = fieldOf(value, name)
  return typeof found === 'string' ? found : ''
}

export function arrayAt(value: unknown, name: string): readonly unknown[] {
  const found = fieldOf(value, name)
  return Array.isArray(found) ? found : []
}

export function numberAt(value: unknown, name: string, known = 0): number {
  const found = fieldOf(value, name)
  return typeof found === 'number' && Number.isFinite(found) ? found : known
}

/**
 * The error in a body or an event. Forms: `{"error":{…}}` of OpenAI and Anthropic, `{"error":"…"}`, `{"object":"error"}`
 * of vLLM, `{"detail":…}` of FastAPI.
 */
export function readError(body: unknown): ModelError | undefined {
  const given = fieldOf(body, 'error') ?? undefined
  const detail = fieldOf(body, 'detail')
  const isError = fieldOf(body, 'object') === 'error' || fieldOf(body, 'type') === 'error'
  if (given === undefined && detail === undefined && !isError) return undefined
  const error = given ?? body
  const text =
    typeof error === 'string' ? error : textAt(error, 'message') || textAt(body, 'detail')
  const code = textAt(error, 'code') || textAt(error, 'type')
  return { message: text || unknownError, code: code || undefined }
}

const unknownError = 'The upstream answered with an error.'

/** The error in the body of an answer with an error's status, which may be no JSON. */
export function errorOfBody(text: string): ModelError {
  return readError(parsedJson(text)) ?? { message: unknownError }
}

/** An error in the words of the client's API: Claude Code and Codex shorten a conversation only for their own. */
export function clientError(api: ModelApi, error: ModelError): ModelError {
  if (!isTooLong(error)) return error
  if (api !== 'messages') return { ...error, code: 'context_length_exceeded' }
  return {
    ...error,
    message: error.message.replace(/^(?!.*prompt is too long)/is, 'prompt is too long: '),
  }
}

const tooLong =
  /context_length_exceeded|string_too_long|prompt is too long|maximum context length|context window|input token count/i

export function isTooLong({ message, code = '' }: ModelError): boolean {
  return tooLong.test(code) || tooLong.test(message)
}
