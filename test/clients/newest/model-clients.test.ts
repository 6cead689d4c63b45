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

/** A gateway with an upstream of each API. `solo-FLAVOUR` is at one of them, so that its name needs no prefix. */
async function endpoint(t: TestContext): Promise<string> {
  const { url, connect } = await startCalling(t)
  for (const flavour of ['openai', 'anthropic'] as const) {
    const models = ['big', 'stall', `solo-${flavour}`]
    const upstream = await StrictUpstream.start(t, { flavour, models })
    const { behave } = upstream
    upstream.behave = (call, response) => {
      if (call.model === 'solo-anthropic') return sendJson(response, 200, message)
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
