import { parsedJson } from '../../platform/text/json-text.ts'
import { type Block, type ModelRequest, merged, type Source, type Turn } from './conversation.ts'
import type { IgnoredFields } from './given-fields.ts'
import { textOf } from './read-content.ts'
import { idForUpstream } from './tool-names.ts'

/** Anthropic requires max_tokens. All its current models write this many. */
const defaultMaxTokens = 8_192
/** platform.claude.com/docs/en/build-with-claude/extended-thinking: at least 1,024, and less than max_tokens. */
const minBudget = 1_024
const budgets: ReadonlyMap<string, number> = new Map([
  ['minimal', minBudget],
  ['low', 2_048],
  ['medium', 8_192],
  ['high', 16_384],
  ['xhigh', 32_768],
  ['max', 32_768],
])
/** Models that take a budget of thinking; later models of Anthropic take an effort. */
const takesBudget = /^(?!.*claude)|claude-3|claude-(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|@|$)/

interface Written {
  readonly model: string
  /** The most tokens that the model writes, if known. */
  readonly maxOutput: number | undefined
  readonly ignored: IgnoredFields
}

/** Writes a request of Anthropic's Messages. Undefined values are not sent. */
export function writeMessagesRequest(request: ModelRequest, written: Written): object {
  const { turns, tools, stop, format, isStream } = request
  const { model, ignored } = written
  const messages = merged(turns.filter(({ role }) => role !== 'system'))
  const { max_tokens, thinking, effort } = reasoningOf(request, messages, written)
  const isJson = format !== undefined && format.schema === undefined
  if (isJson) ignored.add('response_format')
  const schema = format?.schema && { type: 'json_schema', schema: closed(format.schema) }
  return {
    ...{ model, max_tokens, system: systemOf(turns, isJson), messages: messages.map(messageOf) },
    tools: tools.length > 0 ? tools.map(toolOf) : undefined,
    tool_choice: tools.length > 0 ? choiceOf(request) : undefined,
    ...samplingOf(request, thinking !== undefined, ignored),
    stop_sequences: stop.length > 0 ? stop : undefined,
    thinking,
    output_config: schema || effort ? { effort, format: schema } : undefined,
    stream: isStream ? true : undefined,
  }
}

/** Keywords whose value is data, not a schema. */
const dataKeywords: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])
/** Keywords whose value has schemas under names that the client chooses. */
const namedSchemas: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])

/**
 * Anthropic takes only objects without other fields than those that the schema names (platform.claude.com/docs/en/
 * build-with-claude/structured-outputs, "JSON Schema limitations"). OpenAI requires it of strict schemas alone.
 */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const own = Object.entries(schema).map(([name, value]): [string, unknown] => {
    if (dataKeywords.has(name)) return [name, value]
    if (!namedSchemas.has(name) || !isObject(value)) return [name, closed(value)]
    const named = Object.entries(value).map(([key, one]) => [key, closed(one)])
    return [name, Object.fromEntries(named)]
  })
  const isOfObjects = 'type' in schema && [schema.type].flat().includes('object')
  const isOpen = isOfObjects && !('additionalProperties' in schema)
  return Object.fromEntries(isOpen ? [...own, ['additionalProperties', false]] : own)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Anthropic's temperature ends at 1, and it takes only one of the two; none while thinking. */
function samplingOf(
  { temperature, topP }: ModelRequest,
  isThinking: boolean,
  ignored: IgnoredFields,
): object {
  const isWarm = temperature !== undefined
  if (isWarm && (isThinking || temperature > 1)) ignored.add('temperature')
  if (topP !== undefined && (isThinking || isWarm)) ignored.add('top_p')
  if (isThinking) return {}
  return isWarm ? { temperature: Math.min(1, temperature) } : { top_p: topP }
}

function reasoningOf(
  request: ModelRequest,
  messages: readonly Turn[],
  { model, maxOutput, ignored }: Written,
) {
  const { effort = 'none', toolChoice, maxTokens: given } = request
  const budget = budgets.get(effort)
  const isForced = toolChoice?.type === 'any' || toolChoice?.type === 'tool'
  // Anthropic refuses thinking if a tool is forced, or if the assistant called tools without thinking before their results.
  const isPossible = !isForced && (given ?? minBudget + 1) > minBudget && !lacksThinking(messages)
  if (budget === undefined || !isPossible) {
    if (effort !== 'none') ignored.add('reasoning_effort')
    return { max_tokens: given ?? maxOutput ?? defaultMaxTokens }
  }
  const max_tokens = given ?? maxOutput ?? defaultMaxTokens + budget
  if (takesBudget.test(model)) {
    const budget_tokens = Math.min(budget, max_tokens - 1)
    return { max_tokens, thinking: { type: 'enabled', budget_tokens } }
  }
  const own = effort === 'minimal' ? 'low' : effort
  return { max_tokens, thinking: { type: 'adaptive' }, effort: own }
}

/** Whether the last turn of the assistant called tools without thinking. */
function lacksThinking(turns: readonly Turn[]): boolean {
  const isResult = turns.at(-1)?.blocks.some(({ type }) => type === 'tool_result') ?? false
  const blocks = turns.findLast(({ role }) => role === 'assistant')?.blocks ?? []
  return isResult && !blocks.some(({ type }) => type === 'thinking')
}

/** System prompts from anywhere, in order: Anthropic has one place for them. */
function systemOf(turns: readonly Turn[], isJson: boolean): string | undefined {
  const given = textOf(turns.flatMap(({ role, blocks }) => (role === 'system' ? blocks : [])))
  const wanted = isJson ? 'Answer with one JSON object and nothing else.' : ''
  return [given, wanted].filter((one) => one !== '').join('\n\n') || undefined
}

/** The results of tools come first in their message. */
function messageOf({ role, blocks }: Turn): object {
  const order = ({ type }: Block) => (type === 'tool_result' ? 0 : 1)
  return { role, content: blocks.toSorted((a, b) => order(a) - order(b)).map(blockOf) }
}

function blockOf(block: Block): object {
  switch (block.type) {
    case 'thinking': {
      const { isRedacted, text: thinking, signature } = block
      if (isRedacted) return { type: 'redacted_thinking', data: signature }
      return { type: 'thinking', thinking, signature }
    }
    case 'image':
      return { type: 'image', source: sourceOf(block.source) }
    case 'document':
      return { type: 'document', source: sourceOf(block.source), title: block.name }
    case 'tool_use': {
      const { type, id, name, input } = block
      return { type, id: idForUpstream(id, 64), name, input: inputOf(input) }
    }
    case 'tool_result': {
      const { type, id, content, isError } = block
      const result = { tool_use_id: idForUpstream(id, 64), content: content.map(blockOf) }
      return { type, ...result, is_error: isError ? true : undefined }
    }
    default:
      return { type: 'text', text: block.text }
  }
}

function sourceOf(source: Source): object {
  if (source.kind === 'url') return { type: 'url', url: source.url }
  return { type: 'base64', media_type: source.mediaType, data: source.data }
}

/** The input of a tool as an object. Models also write what is not JSON, which stays readable. */
export function inputOf(text: string): unknown {
  if (text.trim() === '') return {}
  const value = parsedJson(text)
  return isObject(value) ? value : { raw_arguments: text }
}

function toolOf({ name, description, schema, isStrict }: ModelRequest['tools'][number]): object {
  const given = typeof schema === 'object' && schema !== null ? schema : { properties: {} }
  const input_schema = { type: 'object', ...given }
  return { name, description, input_schema, strict: isStrict ? true : undefined }
}

function choiceOf({ toolChoice, isParallel }: ModelRequest): object | undefined {
  if (isParallel !== false || toolChoice?.type === 'none') return toolChoice
  return { ...(toolChoice ?? { type: 'auto' }), disable_parallel_tool_use: true }
}
