import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ChatWriter } from '../../../../src/models/translation/chat-answer-writer.ts'
import type {
  AnswerEvent,
  Block,
  ModelRequest,
} from '../../../../src/models/translation/conversation.ts'
import { GivenFields, IgnoredFields } from '../../../../src/models/translation/given-fields.ts'
import { MessagesWriter } from '../../../../src/models/translation/messages-answer-writer.ts'
import { ChatEvents } from '../../../../src/models/translation/read-chat-answer.ts'
import { readChatRequest } from '../../../../src/models/translation/read-chat-request.ts'
import { MessagesEvents } from '../../../../src/models/translation/read-messages-answer.ts'
import { readMessagesRequest } from '../../../../src/models/translation/read-messages-request.ts'
import { Seal, ToolNames } from '../../../../src/models/translation/tool-names.ts'
import { writeChatRequest } from '../../../../src/models/translation/write-chat-request.ts'
import { writeMessagesRequest } from '../../../../src/models/translation/write-messages-request.ts'

const context = () => ({ names: new ToolNames(), seal: new Seal('lab') })
const parsed = (value: object) =>
  new GivenFields(JSON.parse(JSON.stringify(value)), new IgnoredFields())

const words = fc.string({ minLength: 1, unit: 'grapheme' })
const name = fc.stringMatching(/^[a-z][\w-]{0,40}$/)
const id = fc.stringMatching(/^call_\w{1,20}$/)
const json = fc.dictionary(name, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
const text: fc.Arbitrary<Block> = words.map((one) => ({ type: 'text', text: one }))
const image: fc.Arbitrary<Block> = fc.constantFrom(
  { type: 'image', source: { kind: 'url', url: 'https://a.test/b.png' } },
  { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'iVBORw0KGgo=' } },
)

/** Turns in the order that all APIs allow: system, then user and assistant in turn, each call with its result. */
const turns = fc
  .array(
    fc.record({
      user: fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 3 }),
      said: words,
      calls: fc.uniqueArray(fc.record({ id, name, input: json, result: words }), {
        selector: (one) => one.id,
        maxLength: 3,
      }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((rounds) =>
    rounds.flatMap(({ user, said, calls }, index) => [
      { role: 'user' as const, blocks: index === 0 ? user : [] },
      {
        role: 'assistant' as const,
        blocks: [
          { type: 'text' as const, text: said },
          ...calls.map((call) => ({
            type: 'tool_use' as const,
            id: call.id,
            name: call.name,
            input: JSON.stringify(call.input),
          })),
        ],
      },
      {
        role: 'user' as const,
        blocks: [
          ...calls.map((call) => ({
            ...{ type: 'tool_result' as const, id: call.id, isError: false },
            content: [{ type: 'text' as const, text: call.result }],
          })),
          { type: 'text' as const, text: 'go on' },
        ],
      },
    ]),
  )

const request: fc.Arbitrary<ModelRequest> = fc.record({
  turns: fc
    .tuple(words, turns)
    .map(([system, all]) => [
      { role: 'system' as const, blocks: [{ type: 'text' as const, text: system }] },
      ...all,
    ]),
  tools: fc.uniqueArray(
    fc.record({
      ...{ name, description: fc.option(words, { nil: undefined }) },
      schema: json.map((one) => ({ type: 'object', ...one })),
      isStrict: fc.constantFrom(true, undefined),
    }),
    { selector: (one) => one.name, minLength: 1, maxLength: 3 },
  ),
  toolChoice: fc.constantFrom(
    { type: 'auto' as const },
    { type: 'any' as const },
    { type: 'tool' as const, name: 'f' },
  ),
  isParallel: fc.constantFrom(false as const, undefined),
  maxTokens: fc.integer({ min: 1, max: 99_999 }),
  temperature: fc.constantFrom(undefined, 0, 0.5, 1),
  topP: fc.constant(undefined),
  stop: fc.array(words, { maxLength: 4 }),
  effort: fc.constant(undefined),
  format: fc.constantFrom(undefined, {
    name: 'answer',
    schema: { type: 'object', additionalProperties: false },
    isStrict: true,
  }),
  ...{ isStream: fc.boolean(), wantsUsage: fc.constant(true) },
})

/** What two requests must have in common: adjacent turns and texts may be joined. */
function meaning({ turns: all, ...rest }: ModelRequest) {
  const said = all.flatMap(({ role, blocks }) =>
    blocks.map((block) => {
      if (block.type === 'text') return [role, 'text', block.text] as const
      if (block.type === 'tool_use')
        return [role, block.id, block.name, JSON.parse(block.input)] as const
      if (block.type === 'tool_result')
        return [role, block.id, block.content.map((one) => JSON.stringify(one)).join()] as const
      return [role, JSON.stringify(block)] as const
    }),
  )
  const texts = (wanted: string) =>
    said
      .filter(([role, kind]) => role === wanted && kind === 'text')
      .map((one) => one[2])
      .join('\n\n')
  const others = said.filter(([, kind]) => kind !== 'text')
  return JSON.parse(
    JSON.stringify({
      ...rest,
      wantsUsage: true,
      others,
      texts: ['system', 'user', 'assistant'].map(texts),
    }),
  )
}

test('A request that is written in an API and read again is the same', () => {
  fc.assert(
    fc.property(request, (given) => {
      const chat = writeChatRequest(given, 'm')
      assert.deepEqual(meaning(readChatRequest(parsed(chat), context())), meaning(given))
      const messages = writeMessagesRequest(given, {
        ...{ model: 'm', maxOutput: undefined, ignored: new IgnoredFields() },
      })
      assert.deepEqual(meaning(readMessagesRequest(parsed(messages), context())), meaning(given))
    }),
  )
})

const answer: fc.Arbitrary<readonly AnswerEvent[]> = fc
  .record({
    thinking: fc.option(words, { nil: undefined }),
    texts: fc.array(words, { maxLength: 3 }),
    calls: fc.array(
      fc.record({ id, name, pieces: fc.array(words, { minLength: 1, maxLength: 3 }) }),
      { maxLength: 3 },
    ),
    reason: fc.constantFrom('length' as const, 'refusal' as const),
    usage: fc.record({
      ...{ input: fc.integer({ min: 500, max: 999 }), output: fc.nat(99) },
      ...{ cacheRead: fc.nat(99), cacheWrite: fc.constant(0), reasoning: fc.constant(0) },
    }),
  })
  .map(({ thinking, texts, calls, reason, usage }) => [
    { type: 'start', id: '1', model: 'm' },
    ...(thinking === undefined ? [] : blockEvents({ type: 'open', block: 'thinking' }, [thinking])),
    ...(texts.length === 0 ? [] : blockEvents({ type: 'open', block: 'text' }, texts)),
    ...calls.flatMap((call) =>
      blockEvents({ type: 'open', block: 'tool_use', id: call.id, name: call.name }, call.pieces),
    ),
    { type: 'stop', reason, usage },
  ])

const blockEvents = (open: AnswerEvent, texts: readonly string[]): AnswerEvent[] => [
  open,
  ...texts.map((one) => ({ type: 'delta' as const, text: one })),
  { type: 'close' },
]

/** Reads what was written, cut into other pieces of events. */
function readAgain(text: string, reader: { take(event: unknown): void; end(): void }): void {
  for (const block of text.split('\n\n')) {
    const data = /^data: ([^\n]*)$/m.exec(block)?.[1]
    if (data !== undefined) reader.take(data === '[DONE]' ? undefined : JSON.parse(data))
  }
  reader.end()
}

/** What the events say, as an answer. */
function said(events: readonly AnswerEvent[]): object {
  const writer = new MessagesWriter(new Seal('lab'))
  for (const event of events) writer.write(event)
  // Of the id and the signature, each writer makes its own.
  return JSON.parse(JSON.stringify({ ...writer.answer, id: '' }).replaceAll(/bucketry[\w.]+/g, ''))
}

test('A stream that is written in an API and read again is the same', () => {
  fc.assert(
    fc.property(answer, (given) => {
      for (const api of ['chat', 'messages'] as const) {
        const writer =
          api === 'chat' ? new ChatWriter(1, true) : new MessagesWriter(new Seal('lab'))
        const read: AnswerEvent[] = []
        const reader =
          api === 'chat'
            ? new ChatEvents((one) => read.push(one))
            : new MessagesEvents((one) => read.push(one))
        readAgain(given.map((event) => writer.write(event)).join(''), reader)
        assert.deepEqual(said(read), said(given), api)
      }
    }),
  )
})
