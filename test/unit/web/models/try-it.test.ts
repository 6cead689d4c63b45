import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { answerPiece } from '../../../../web/src/models/try/answer-piece.ts'
import { EventReader } from '../../../../web/src/models/try/event-reader.ts'
import { modelClients, modelKeyPlaceholder } from '../../../../web/src/models/try/model-clients.ts'
import { anthropicEvents, openAiEvents } from '../../../fakes/strict-upstream.ts'

/** What a stream adds up to, cut into pieces at these places. */
function read(stream: string, cuts: readonly number[]) {
  const bytes = Buffer.from(stream)
  const places = [
    0,
    ...cuts.map((cut) => cut % bytes.length).toSorted((a, b) => a - b),
    bytes.length,
  ]
  const reader = new EventReader()
  const pieces = places
    .slice(1)
    .flatMap((end, index) => reader.take(bytes.subarray(places[index], end)))
    .map(answerPiece)
  return {
    text: pieces.map(({ text }) => text).join(''),
    input: pieces.findLast(({ inputTokens }) => inputTokens !== undefined)?.inputTokens,
    output: pieces.findLast(({ outputTokens }) => outputTokens !== undefined)?.outputTokens,
  }
}

describe('An answer that is streamed', () => {
  const cases = [
    { name: 'OpenAI', events: openAiEvents('big'), text: 'héllo 🦥' },
    { name: 'Anthropic', events: anthropicEvents('big'), text: 'héllo' },
  ]
  for (const { name, events, text } of cases) {
    for (const newline of ['\n', '\r\n', '\r']) {
      test(`by ${name} is the same however it is cut (${JSON.stringify(newline)})`, () => {
        // A CR at the end waits for what follows.
        const stream = `${events.join('')}: end\n`.replaceAll('\n', newline)
        fc.assert(
          fc.property(fc.array(fc.nat(10_000), { maxLength: 20 }), (cuts) => {
            assert.deepEqual(read(stream, cuts), { text, input: 7, output: 5 })
          }),
          { numRuns: 50 },
        )
      })
    }
  }

  test('has no event of more than a million characters', () => {
    const reader = new EventReader()
    assert.throws(() => {
      for (let count = 0; count < 20; count += 1) reader.take(Buffer.alloc(100_000, 'x'))
    }, /too long/)
  })
})

describe('A piece of an answer', () => {
  test('is read whole, as thought and as error', () => {
    assert.equal(answerPiece('{"choices":[{"message":{"content":"hi"}}]}').text, 'hi')
    assert.equal(answerPiece('{"content":[{"type":"text","text":"hi"}]}').text, 'hi')
    assert.ok(answerPiece('{"choices":[{"delta":{"reasoning_content":"hm"}}]}').isThinking)
    assert.equal(answerPiece('{"error":{"message":"full"}}').error, 'full')
    assert.match(answerPiece('{"type":"error","error":{}}').error ?? '', /error/)
  })

  test('can be any JSON, and any text', () => {
    fc.assert(fc.property(fc.json(), (json) => typeof answerPiece(json).text === 'string'))
    assert.equal(answerPiece('[DONE]').text, '')
    assert.equal(answerPiece('{"__proto__":{"choices":[{"delta":{"content":"x"}}]}}').text, '')
  })
})

describe('Settings of apps', () => {
  const model = `lab/it's "big" $(x)`
  const clients = modelClients('https://files.example.com', model)

  test('have the key and the address, with /ai/v1, for Claude Code with /ai', () => {
    for (const { id, blocks } of clients) {
      const text = blocks.map((block) => block.text).join('')
      assert.ok(text.includes(modelKeyPlaceholder), id)
      assert.ok(text.includes('https://files.example.com/ai'), id)
      assert.equal(text.includes('https://files.example.com/ai/v1'), id !== 'claude-code', id)
    }
  })

  test('quote the model as each needs it', () => {
    const textOf = (wanted: string) =>
      clients.find(({ id }) => id === wanted)?.blocks[0]?.text ?? ''
    assert.ok(textOf('claude-code').includes(`ANTHROPIC_MODEL='lab/it'\\''s "big" $(x)'\n`))
    assert.ok(textOf('codex').startsWith(`model = ${JSON.stringify(model)}\n`))
    assert.match(textOf('codex'), /^web_search = 'disabled'$/m)
    assert.ok(textOf('openai-python').includes(`model=${JSON.stringify(model)},`))
    assert.ok(textOf('curl').includes(`'{"model": "lab/it'\\''s \\"big\\" $(x)"`))
  })
})
