import { ApiError } from '../../platform/json-api/api-error.ts'
import type { Block, ModelRequest, Tool, Turn } from './conversation.ts'
import { type GivenFields, untranslatable } from './given-fields.ts'
import {
  contentOf,
  imageOf,
  openAiFormat,
  openAiToolChoice,
  sourceOf,
  toolResult,
} from './read-content.ts'
import { type CallContext, freeformSchema } from './tool-names.ts'

/** Reads a request of OpenAI's Responses. @throws ApiError 400 */
export function readResponsesRequest(given: GivenFields, context: CallContext): ModelRequest {
  // Reasoning always comes with what `include` asks for, and tools that could have more are refused.
  if (given.texts('include').includes('message.output_text.logprobs'))
    throw untranslatable('include')
  const previous = given.text('previous_response_id')
  if (previous !== undefined) throw noSuchResponse(previous)
  // Nothing is stored, so that no later call could name this one.
  given.refuse('conversation', 'background', 'store', 'prompt', 'top_logprobs')
  const text = given.text('instructions') ?? ''
  const system = [{ role: 'system', blocks: textBlocks(text) } as const]
  const turns =
    typeof given.raw('input') === 'string'
      ? [{ role: 'user', blocks: textBlocks(given.needText('input')) } as const]
      : given.each('input', (item) => turnOf(item, context))
  return {
    turns: [...system, ...turns],
    tools: given.each('tools', (tool) => toolsOf(tool, context)).flat(),
    toolChoice: openAiToolChoice(given, (choice) => {
      const type = choice.text('type')
      if (type !== 'function' && type !== 'custom') throw choice.unknownType()
      return context.names.of(choice.needText('name'), choice.text('namespace'))
    }),
    isParallel: given.flag('parallel_tool_calls'),
    maxTokens: given.number('max_output_tokens'),
    temperature: given.number('temperature'),
    topP: given.number('top_p'),
    stop: [],
    effort: given.in('reasoning', (reasoning) => reasoning.text('effort')),
    format: given.in('text', (one) => one.in('format', openAiFormat)),
    isStream: given.flag('stream') ?? false,
    wantsUsage: true,
  }
}

function textBlocks(text: string): readonly Block[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

/** As OpenAI says it. */
function noSuchResponse(id: string): ApiError {
  const named = /^[\w.:=+-]{1,200}$/.test(id) ? ` with id '${id}'` : ''
  const message = `Previous response${named} not found.`
  const field = 'previous_response_id'
  return new ApiError(400, message, { field, code: 'previous_response_not_found' })
}

function turnOf(item: GivenFields, { names, seal }: CallContext): Turn {
  item.skip('id', 'status', 'phase')
  const type = item.text('type') ?? 'message'
  switch (type) {
    case 'message':
      return messageOf(item)
    case 'function_call':
    case 'custom_tool_call': {
      const name = names.of(item.needText('name'), item.text('namespace'))
      const text = item.text(type === 'function_call' ? 'arguments' : 'input') ?? ''
      const input = type === 'function_call' ? text : JSON.stringify({ input: text })
      const id = item.needText('call_id')
      return { role: 'assistant', blocks: [{ type: 'tool_use', id, name, input }] }
    }
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'user', blocks: [toolResult(item, 'call_id', 'output', partOf)] }
    case 'reasoning': {
      const opened = seal.open(item.text('encrypted_content') ?? '')
      const text = item.each('summary', summaryText).join('\n\n')
      item.skip('content')
      if (opened === undefined) item.ignore('summary')
      const blocks = opened === undefined ? [] : [{ type: 'thinking', text, ...opened } as const]
      return { role: 'assistant', blocks }
    }
    default:
      throw item.unknownType()
  }
}

function summaryText(part: GivenFields): string {
  part.skip('type')
  return part.needText('text')
}

function messageOf(item: GivenFields): Turn {
  const role = item.text('role')
  const blocks = contentOf(item, 'content', partOf)
  if (role === 'assistant' || role === 'user') return { role, blocks }
  if (role !== 'system' && role !== 'developer') throw item.unknownType('role')
  return { role: 'system', blocks }
}

function partOf(part: GivenFields): Block {
  switch (part.text('type')) {
    case 'input_text':
    case 'output_text':
      part.skip('annotations', 'logprobs')
      return { type: 'text', text: part.needText('text') }
    case 'refusal':
      return { type: 'refusal', text: part.needText('refusal') }
    case 'input_image':
      return imageOf(part, 'image_url')
    case 'input_file': {
      part.refuse('file_id')
      const name = part.text('filename')
      const field = part.text('file_data') === undefined ? 'file_url' : 'file_data'
      return { type: 'document', source: sourceOf(part, field), name }
    }
    default:
      throw part.unknownType()
  }
}

const noSearch =
  ' Only OpenAI runs this tool: leave it out. In Codex, set web_search = "disabled" in config.toml.'

/** A tool, or those of an MCP server, which Codex sends as a namespace. */
function toolsOf(tool: GivenFields, context: CallContext, namespace?: string): readonly Tool[] {
  const type = tool.text('type')
  if (type === 'namespace' && namespace === undefined) {
    const group = tool.needText('name')
    return tool.each('tools', (one) => toolsOf(one, context, group)).flat()
  }
  if (type !== 'function' && type !== 'custom') {
    throw tool.unknownType('type', type?.startsWith('web_search') === true ? noSearch : '')
  }
  const isFreeform = type === 'custom'
  const name = context.names.add({ name: tool.needText('name'), namespace, isFreeform })
  const description = tool.text('description')
  if (!isFreeform) {
    return [{ name, description, schema: tool.raw('parameters'), isStrict: tool.flag('strict') }]
  }
  // No other API constrains the text of a tool, so that the model is told its grammar.
  const grammar = tool.in('format', (format) => {
    const [syntax, definition] = [format.text('syntax'), format.text('definition')]
    if (definition !== undefined) format.ignore('type')
    return definition && `The input must match this grammar (${syntax}):\n${definition}`
  })
  const text = [description, grammar].filter((one) => one !== undefined).join('\n\n')
  return [{ name, description: text, schema: freeformSchema, isStrict: undefined }]
}
