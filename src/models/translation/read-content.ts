import type { AnswerFormat, Block, Source, ToolChoice, ToolResultBlock } from './conversation.ts'
import { type GivenFields, wrongType } from './given-fields.ts'

type Part = (part: GivenFields) => Block | undefined

/** The content of a message: a text, or an array of parts. Empty texts are left out: Anthropic refuses them. */
export function contentOf(message: GivenFields, name: string, read: Part): readonly Block[] {
  const value = message.raw(name)
  const blocks =
    typeof value === 'string' ? [{ type: 'text', text: value } as const] : message.each(name, read)
  return blocks.flatMap((one) =>
    one === undefined || (one.type === 'text' && one.text === '') ? [] : [one],
  )
}

/** A part where only text is possible. */
export function textPart(part: GivenFields): Block {
  const type = part.text('type')
  if (type !== 'text' && type !== 'input_text') throw part.unknownType()
  return { type: 'text', text: part.needText('text') }
}

/** The texts and media in the result of a tool. */
export function toolResult(
  given: GivenFields,
  id: string,
  name: string,
  read: Part,
): ToolResultBlock {
  const content = contentOf(given, name, read).map((block) => {
    if (block.type === 'text' || block.type === 'image' || block.type === 'document') return block
    throw wrongType(given.at(name), 'text, images or documents')
  })
  return {
    type: 'tool_result',
    id: given.needText(id),
    content,
    isError: given.flag('is_error') ?? false,
  }
}

const dataUrl = /^data:([\w.+/-]+)(?:;[\w=.+-]+)*;base64,/i

/** A `data:` URL, or the address of something that the provider fetches. */
export function sourceOf(given: GivenFields, name: string): Source {
  const url = given.needText(name)
  const [head, mediaType] = dataUrl.exec(url.slice(0, 200)) ?? []
  if (head !== undefined && mediaType !== undefined) {
    return { kind: 'data', mediaType: mediaType.toLowerCase(), data: url.slice(head.length) }
  }
  if (/^https?:/i.test(url)) return { kind: 'url', url }
  throw wrongType(given.at(name), 'an http(s) URL or a data: URL in base64')
}

/** An image of OpenAI's APIs. */
export function imageOf(given: GivenFields, name: string): Block {
  given.refuse('file_id')
  const detail = given.text('detail') ?? 'auto'
  if (detail !== 'auto') given.ignore('detail')
  return { type: 'image', source: sourceOf(given, name) }
}

/** The choice of a tool in OpenAI's APIs. @param nameOf the name in its object form */
export function openAiToolChoice(
  given: GivenFields,
  nameOf: (choice: GivenFields) => string,
): ToolChoice | undefined {
  const value = given.raw('tool_choice')
  if (value === 'auto' || value === 'none') return { type: value }
  if (value === 'required') return { type: 'any' }
  return given.in('tool_choice', (choice) => ({ type: 'tool', name: nameOf(choice) }))
}

/** `response_format`, and `text.format` of Responses, whose schema has no object of its own. */
export function openAiFormat(format: GivenFields): AnswerFormat | undefined {
  const type = format.text('type')
  if (type === undefined || type === 'text') return undefined
  if (type === 'json_object') return { name: '', schema: undefined, isStrict: undefined }
  if (type !== 'json_schema') throw format.unknownType()
  const read = (made: GivenFields) => ({
    name: made.text('name') ?? 'answer',
    schema: made.raw('schema') ?? {},
    isStrict: made.flag('strict'),
  })
  return format.in('json_schema', read) ?? read(format)
}

/** What blocks of one kind say together. */
export function textOf(blocks: readonly Block[], type: 'text' | 'refusal' = 'text'): string {
  return blocks.flatMap((one) => (one.type === type ? [one.text] : [])).join('\n\n')
}
