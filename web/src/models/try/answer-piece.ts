import { modelsTexts } from '../../texts/models.ts'
/** What an event of a stream, or a whole answer, adds to the visible answer. */
export interface AnswerPiece {
  readonly text: string
  readonly isThinking: boolean
  /** Token counts so far, as reported by the upstream. */
  readonly inputTokens: number | undefined
  readonly outputTokens: number | undefined
  /** Why the answer ends here. */
  readonly error: string | undefined
}

/**
 * Reads OpenAI's chat completions and Anthropic's messages, streamed or whole.
 *
 * @param data JSON
 */
export function answerPiece(data: string): AnswerPiece {
  const event = parsed(data)
  const choice = at(event, 'choices', 0)
  const delta = at(choice, 'delta') ?? at(choice, 'message') ?? at(event, 'delta') ?? event
  const text = firstText(
    [at(delta, 'content'), at(delta, 'text'), at(event, 'content_block', 'text')].concat(
      at(event, 'content', 0, 'text'),
    ),
  )
  const thought = firstText([
    ...[at(delta, 'reasoning_content'), at(delta, 'reasoning'), at(delta, 'thinking')],
  ])
  const usage = at(event, 'usage') ?? at(event, 'message', 'usage')
  const error = at(event, 'error')
  return {
    text,
    isThinking: thought !== '',
    inputTokens: firstNumber([at(usage, 'prompt_tokens'), at(usage, 'input_tokens')]),
    outputTokens: firstNumber([at(usage, 'completion_tokens'), at(usage, 'output_tokens')]),
    error:
      typeof error === 'object' && error !== null
        ? firstText([at(error, 'message'), modelsTexts.try.endedWithError])
        : undefined,
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    // OpenAI's streams end with [DONE].
    return undefined
  }
}

/** The value at a path; undefined if there is none. */
function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined
    found = (found as Record<string | number, unknown>)[name]
  }
  return found ?? undefined
}

function firstText(values: readonly unknown[]): string {
  return values.find((value): value is string => typeof value === 'string' && value !== '') ?? ''
}

function firstNumber(values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === 'number')
}
