import type { ServerResponse } from 'node:http'
import { type TestContext, test } from 'node:test'
import { StrictUpstream, sendJson, streamHead } from '../../fakes/strict-upstream.ts'
import { fieldsOf, modelsApiKey, startCalling } from '../../support/calling.ts'
import type { NewestClient } from './clients.ts'
import { absenceOfRegistry, installAlone } from './installers.ts'

const client = (
  registry: 'npm' | 'PyPI',
  scenario: string,
  ...packages: readonly [string, ...string[]]
): NewestClient => ({ name: packages[0], registry, scenario, packages })

/** The newest releases of clients that call models, at their defaults. They need the cached. */
const clients: readonly NewestClient[] = [
  client('npm', 'node/call-openai.mjs', 'openai'),
  client('npm', 'node/call-anthropic.mjs', '@anthropic-ai/sdk'),
  client('npm', 'node/call-ai.mjs', 'ai', '@ai-sdk/openai-compatible', '@ai-sdk/anthropic'),
  client('PyPI', 'python/call_openai.py', 'openai'),
  client('PyPI', 'python/call_anthropic.py', 'anthropic'),
  client('PyPI', 'python/call_langchain.py', 'langchain-openai'),
  client('PyPI', 'python/call_litellm.py', 'litellm'),
]

for (const each of clients) {
  const skip = absenceOfRegistry(each.registry)
  test(`${each.name} of ${each.registry} calls models`, { skip }, async (t) => {
    const { run } = await installAlone(t, each)
    await run({ ENDPOINT: await endpoint(t), MODELS_KEY: modelsApiKey })
  })
}

/** An answer with all fields (https://platform.claude.com/docs/en/api/messages). */
const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'solo-anthropic' },
  content: [{ type: 'text', text: 'héllo' }],
  ...{ stop_reason: 'end_turn', stop_sequence: null },
  usage: { input_tokens: 7, output_tokens: 5 },
}

/** Deltas of Chat Completions: reasoning, a text, and two calls of tools whose arguments arrive in turns. */
const deltas = [
  { role: 'assistant', reasoning_content: 'Both ' },
  { reasoning_content: 'at once.' },
  { content: 'Looking.' },
  { tool_calls: [{ index: 0, id: 'call_a', function: { name: 'read', arguments: '{"path":' } }] },
  { tool_calls: [{ index: 1, id: 'call_b', function: { name: 'list', arguments: '' } }] },
  { tool_calls: [{ index: 0, function: { arguments: '"a.txt"}' } }] },
  { tool_calls: [{ index: 1, function: { arguments: '{"all":true}' } }] },
]

function streamTools(response: ServerResponse): void {
  const chunk = (fields: object) => `data: ${JSON.stringify({ id: 'chatcmpl-1', ...fields })}\n\n`
  const ended = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }
  const chunks = deltas.map((delta) => chunk({ choices: [{ index: 0, delta }] }))
  const usage = chunk({ choices: [], usage: { prompt_tokens: 21, completion_tokens: 13 } })
  response.writeHead(200, streamHead).end(chunks.join('') + chunk(ended) + usage)
}

/** A gateway with an upstream of each API. `solo-FLAVOUR` is at one of them, so that its name needs no prefix. */
async function endpoint(t: TestContext): Promise<string> {
  const { url, connect } = await startCalling(t)
  for (const flavour of ['openai', 'anthropic'] as const) {
    const models = ['big', 'stall', `solo-${flavour}`]
    const upstream = await StrictUpstream.start(t, { flavour, models })
    const { behave } = upstream
    upstream.behave = (call, response) => {
      if (call.model === 'solo-anthropic') return sendJson(response, 200, message)
      // Until the results of the tools come.
      const [asked, answered] = ['"tools"', '"role":"tool"'].map((text) => call.body.includes(text))
      if (flavour === 'openai' && asked && !answered) return streamTools(response)
      if (call.model !== 'stall') return behave(call, response)
      response.writeHead(200, streamHead).write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')
    }
    const fields = fieldsOf(upstream)
    await connect(flavour, {
      ...fields,
      providerSpecificData: { ...fields.providerSpecificData, enabledModels: models },
    })
  }
  return url
}
