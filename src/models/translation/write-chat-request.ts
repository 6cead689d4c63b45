import {
  type Block,
  type ModelRequest,
  merged,
  type Source,
  type ThinkingBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  type Turn,
} from './conversation.ts'
import { untranslatable } from './given-fields.ts'
import { textOf } from './read-content.ts'
import { idForUpstream } from './tool-names.ts'

/** OpenAI accepts four (platform.openai.com/docs/api-reference/chat/create, `stop`). */
const maxStops = 4

/** Writes a request of OpenAI's Chat Completions. Undefined values are not sent. @throws ApiError 400 */
export function writeChatRequest(request: ModelRequest, model: string): object {
  const { tools, toolChoice, stop, effort, format, isStream } = request
  if (stop.length > maxStops) throw untranslatable(`more than ${maxStops} stop sequences`)
  const hasTools = tools.length > 0
  const choices = { auto: 'auto', none: 'none', any: 'required' } as const
  const named = { type: 'function', function: { name: toolChoice?.name } }
  return {
    model,
    messages: messagesOf(request.turns),
    tools: hasTools
      ? tools.map((tool) => ({ type: 'function', function: functionOf(tool) }))
      : undefined,
    tool_choice: hasTools && toolChoice ? (choices[toolChoice.type as 'any'] ?? named) : undefined,
    // Not sent if it is the default: some servers refuse the field.
    parallel_tool_calls: hasTools && request.isParallel === false ? false : undefined,
    ...{ max_tokens: request.maxTokens, temperature: request.temperature, top_p: request.topP },
    stop: stop.length > 0 ? stop : undefined,
    reasoning_effort: effort === 'max' ? 'xhigh' : effort,
    response_format: format && formatOf(format),
    stream: isStream ? true : undefined,
    // Without it, nobody would know what the call used.
    stream_options: isStream ? { include_usage: true } : undefined,
  }
}

function functionOf({ name, description, schema, isStrict }: ModelRequest['tools'][number]) {
  const parameters = schema ?? { type: 'object', properties: {} }
  return { name, description, parameters, strict: isStrict }
}

function formatOf({ name, schema, isStrict }: NonNullable<ModelRequest['format']>): object {
  if (schema === undefined) return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name, schema, strict: isStrict } }
}

/** The templates of many models accept one system message, at the beginning, and roles that alternate. */
function messagesOf(turns: readonly Turn[]): readonly object[] {
  const first = turns.findIndex(({ role }) => role !== 'system')
  const leading = turns.slice(0, first < 0 ? turns.length : first)
  const system = textOf(leading.flatMap(({ blocks }) => blocks))
  const rest = turns
    .slice(leading.length)
    .map((turn) => (turn.role === 'system' ? asUser(turn) : turn))
  const messages = merged(rest).flatMap(({ role, blocks }) =>
    role === 'user' ? userMessages(blocks) : assistantMessage(blocks),
  )
  return system === '' ? messages : [{ role: 'system', content: system }, ...messages]
}

/** A later system prompt stays in its place, so that the beginning stays in the upstream's cache. */
function asUser({ blocks }: Turn): Turn {
  return {
    role: 'user',
    blocks: [{ type: 'text', text: `<system>\n${textOf(blocks)}\n</system>` }],
  }
}

/** Thinking becomes `reasoning_content`, which DeepSeek and Kimi expect back with the calls of tools. */
function assistantMessage(blocks: readonly Block[]): readonly object[] {
  const uses = blocks.filter((block): block is ToolUseBlock => block.type === 'tool_use')
  const thinking = blocks.filter((block): block is ThinkingBlock => block.type === 'thinking')
  const [text, refusal] = [textOf(blocks), textOf(blocks, 'refusal')]
  const tool_calls = uses.map(({ id, name, input }) => ({
    ...{ id: idForUpstream(id, 40), type: 'function' },
    function: { name, arguments: input === '' ? '{}' : input },
  }))
  const hasCalls = tool_calls.length > 0
  if (text === '' && refusal === '' && !hasCalls) return []
  return [
    {
      ...{ role: 'assistant', content: text === '' && hasCalls ? null : text },
      refusal: refusal === '' ? undefined : refusal,
      reasoning_content: thinking.map((one) => one.text).join('') || undefined,
      tool_calls: hasCalls ? tool_calls : undefined,
    },
  ]
}

/** The messages of tools follow the calls at once. Their images come after them: only users show images. */
function userMessages(blocks: readonly Block[]): readonly object[] {
  const results = blocks.filter((block): block is ToolResultBlock => block.type === 'tool_result')
  const shown = results.flatMap(({ content }) => content.filter((one) => one.type !== 'text'))
  const own = blocks.filter((block) => block.type !== 'tool_result')
  const messages = results.map((result) => ({
    ...{ role: 'tool', tool_call_id: idForUpstream(result.id, 40), content: resultText(result) },
  }))
  const all = [...shown, ...own]
  if (all.length === 0) return messages
  const isText = all.every(({ type }) => type === 'text')
  return [...messages, { role: 'user', content: isText ? textOf(own) : all.map(partOf) }]
}

function resultText({ content, isError }: ToolResultBlock): string {
  const hasMedia = content.some(({ type }) => type !== 'text')
  const notes = [
    isError ? 'The tool failed.' : '',
    hasMedia ? 'Its files are in the next message.' : '',
  ]
  return [notes[0], textOf(content), notes[1]].filter((one) => one !== '').join('\n\n')
}

function partOf(block: Block): object {
  if (block.type === 'image') return { type: 'image_url', image_url: { url: urlOf(block.source) } }
  if (block.type !== 'document') return { type: 'text', text: textOf([block]) }
  if (block.source.kind === 'url') throw untranslatable('the URL of a document')
  const file = { filename: block.name ?? 'document.pdf', file_data: urlOf(block.source) }
  return { type: 'file', file }
}

function urlOf(source: Source): string {
  return source.kind === 'url' ? source.url : `data:${source.mediaType};base64,${source.data}`
}
