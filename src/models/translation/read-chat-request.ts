import type { Block, ModelRequest, Tool, ToolUseBlock, Turn } from './conversation.ts'
import { type GivenFields, untranslatable } from './given-fields.ts'
import {
  contentOf,
  imageOf,
  openAiFormat,
  openAiToolChoice,
  sourceOf,
  textPart,
  toolResult,
} from './read-content.ts'
import type { CallContext } from './tool-names.ts'

/** Reads a request of OpenAI's Chat Completions. @throws ApiError 400 */
export function readChatRequest(given: GivenFields, context: CallContext): ModelRequest {
  given.refuse('logprobs', 'top_logprobs', 'audio', 'web_search_options', 'logit_bias')
  given.refuse('functions', 'function_call', 'store')
  if ((given.number('n') ?? 1) !== 1) throw untranslatable('n')
  if (given.texts('modalities').some((one) => one !== 'text')) throw untranslatable('modalities')
  const maxTokens = given.number('max_tokens')
  return {
    turns: given.each('messages', (message) => turnOf(message, context)),
    tools: given.each('tools', (tool) => toolOf(tool, context)),
    toolChoice: openAiToolChoice(given, (choice) => {
      if (choice.text('type') !== 'function') throw choice.unknownType()
      return context.names.of(choice.in('function', (made) => made.needText('name')) ?? '')
    }),
    isParallel: given.flag('parallel_tool_calls'),
    maxTokens: given.number('max_completion_tokens') ?? maxTokens,
    temperature: given.number('temperature'),
    topP: given.number('top_p'),
    stop: given.texts('stop'),
    effort: given.text('reasoning_effort'),
    format: given.in('response_format', openAiFormat),
    isStream: given.flag('stream') ?? false,
    wantsUsage: given.in('stream_options', (one) => one.flag('include_usage')) ?? false,
  }
}

function turnOf(message: GivenFields, context: CallContext): Turn {
  switch (message.text('role')) {
    case 'system':
    case 'developer':
      return { role: 'system', blocks: contentOf(message, 'content', textPart) }
    case 'user':
      return { role: 'user', blocks: contentOf(message, 'content', partOf) }
    case 'tool':
      return { role: 'user', blocks: [toolResult(message, 'tool_call_id', 'content', partOf)] }
    case 'assistant': {
      message.refuse('audio', 'function_call')
      const text = message.text('refusal') ?? ''
      const refusal: readonly Block[] = text === '' ? [] : [{ type: 'refusal', text }]
      const calls = message.each('tool_calls', (call) => toolCallOf(call, context))
      const blocks = [...contentOf(message, 'content', partOf), ...refusal, ...calls]
      return { role: 'assistant', blocks }
    }
    default:
      throw message.unknownType('role')
  }
}

function partOf(part: GivenFields): Block | undefined {
  switch (part.text('type')) {
    case 'text':
      return { type: 'text', text: part.needText('text') }
    case 'refusal':
      return { type: 'refusal', text: part.needText('refusal') }
    case 'image_url':
      return part.in('image_url', (image) => imageOf(image, 'url'))
    case 'file':
      return part.in('file', (file) => {
        file.refuse('file_id')
        return {
          type: 'document',
          source: sourceOf(file, 'file_data'),
          name: file.text('filename'),
        }
      })
    default:
      throw part.unknownType()
  }
}

function toolCallOf(call: GivenFields, { names }: CallContext): ToolUseBlock {
  call.skip('type')
  const use = call.in('function', (made): ToolUseBlock => {
    const [name, input] = [names.of(made.needText('name')), made.text('arguments') ?? '']
    return { type: 'tool_use', id: call.needText('id'), name, input }
  })
  if (use === undefined) throw call.unknownType()
  return use
}

function toolOf(tool: GivenFields, { names }: CallContext): Tool {
  const read = tool.in('function', (made) => ({
    name: names.add({ name: made.needText('name'), isFreeform: false }),
    description: made.text('description'),
    schema: made.raw('parameters'),
    isStrict: made.flag('strict'),
  }))
  if (tool.text('type') !== 'function' || read === undefined) throw tool.unknownType()
  return read
}
