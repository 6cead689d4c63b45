import type { Block, ModelRequest, Source, Tool, ToolChoice, Turn } from './conversation.ts'
import type { GivenFields } from './given-fields.ts'
import { contentOf, textPart, toolResult } from './read-content.ts'
import type { CallContext } from './tool-names.ts'

/** Reads a request of Anthropic's Messages. @throws ApiError 400 */
export function readMessagesRequest(given: GivenFields, context: CallContext): ModelRequest {
  given.refuse('mcp_servers', 'container')
  const system = contentOf(given, 'system', textPart)
  const turns = given.each('messages', (message) => turnOf(message, context))
  const output = given.in('output_config', (config) => ({
    effort: config.text('effort'),
    format: config.in('format', formatOf),
  }))
  let isParallel: false | undefined
  return {
    turns: [...(system.length > 0 ? [{ role: 'system', blocks: system } as const] : []), ...turns],
    tools: given.each('tools', (tool) => toolOf(tool, context)),
    toolChoice: given.in('tool_choice', (choice) => {
      if (choice.flag('disable_parallel_tool_use') === true) isParallel = false
      return choiceOf(choice, context)
    }),
    isParallel,
    maxTokens: given.number('max_tokens'),
    temperature: given.number('temperature'),
    topP: given.number('top_p'),
    stop: given.texts('stop_sequences'),
    effort: effortOf(given, output?.effort),
    format: output?.format ?? given.in('output_format', formatOf),
    isStream: given.flag('stream') ?? false,
    wantsUsage: true,
  }
}

function turnOf(message: GivenFields, context: CallContext): Turn {
  const role = message.text('role')
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw message.unknownType('role')
  return { role, blocks: contentOf(message, 'content', (part) => blockOf(part, context)) }
}

function blockOf(part: GivenFields, context: CallContext): Block | undefined {
  const { names, seal } = context
  const type = part.text('type')
  switch (type) {
    case 'text':
      return { type, text: part.needText('text') }
    case 'image':
    case 'document':
      return mediaOf(part, type)
    case 'thinking':
    case 'redacted_thinking': {
      const opened = seal.open(part.text('signature') ?? '')
      const text = part.text('thinking') ?? ''
      if (opened !== undefined) return { type: 'thinking', text, ...opened }
      // Of another provider, which alone accepts it.
      part.skip('data')
      part.ignore('thinking')
      return undefined
    }
    case 'tool_use': {
      part.skip('caller')
      const [name, input] = [
        names.of(part.needText('name')),
        JSON.stringify(part.raw('input') ?? {}),
      ]
      return { type, id: part.needText('id'), name, input }
    }
    case 'tool_result':
      return toolResult(part, 'tool_use_id', 'content', (inner) => blockOf(inner, context))
    default:
      throw part.unknownType()
  }
}

function mediaOf(part: GivenFields, type: 'image' | 'document'): Block | undefined {
  const name = part.text('title')
  return part.in('source', (given): Block => {
    const kind = given.text('type')
    if (type === 'document' && kind === 'text') {
      given.skip('media_type')
      return { type: 'text', text: [name ?? '', given.needText('data')].join('\n\n').trimStart() }
    }
    return { type, source: mediaSource(given, kind), name }
  })
}

function mediaSource(given: GivenFields, kind: string | undefined): Source {
  if (kind === 'url') return { kind, url: given.needText('url') }
  if (kind !== 'base64') throw given.unknownType()
  return { kind: 'data', mediaType: given.needText('media_type'), data: given.needText('data') }
}

function toolOf(tool: GivenFields, { names }: CallContext): Tool {
  // Tools of other types are run, or defined, by Anthropic.
  if ((tool.text('type') ?? 'custom') !== 'custom') throw tool.unknownType()
  return {
    name: names.add({ name: tool.needText('name'), isFreeform: false }),
    description: tool.text('description'),
    schema: tool.raw('input_schema'),
    isStrict: tool.flag('strict'),
  }
}

function choiceOf(choice: GivenFields, { names }: CallContext): ToolChoice {
  const type = choice.text('type')
  if (type === 'tool') return { type, name: names.of(choice.needText('name')) }
  if (type === 'auto' || type === 'any' || type === 'none') return { type }
  throw choice.unknownType()
}

/** The effort that was asked for, or that a budget of thinking stands for (`budgets` of write-messages-request.ts). */
function effortOf(given: GivenFields, asked: string | undefined): string | undefined {
  const budget = given.in('thinking', (thinking) => {
    const tokens = thinking.number('budget_tokens')
    if (tokens !== undefined || asked !== undefined) thinking.skip('type')
    return tokens
  })
  if (asked !== undefined || budget === undefined) return asked
  if (budget < 4_096) return 'low'
  return budget < 16_384 ? 'medium' : 'high'
}

function formatOf(given: GivenFields): ModelRequest['format'] {
  if (given.text('type') !== 'json_schema') throw given.unknownType()
  return { name: 'answer', schema: given.raw('schema') ?? {}, isStrict: true }
}
